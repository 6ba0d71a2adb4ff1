"""The builtins of the language: one module per family, and the table that has all of them."""
