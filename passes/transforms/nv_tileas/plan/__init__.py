"""The plan of a kernel, and what applies it to tiles and loops."""
