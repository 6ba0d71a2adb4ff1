"""From text or Python functions to a syntax tree."""
