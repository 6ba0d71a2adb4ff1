"""Conversion from cuda_tile to nv_tileaa, one op family a file."""
