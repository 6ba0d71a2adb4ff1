"""The model of a matrix multiply: tiles, what they cost, what CTAs share. Pure Python."""
