"""Transforms of the nv_tileas dialect: one pass a file."""
