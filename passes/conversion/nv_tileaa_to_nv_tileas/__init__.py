"""Conversion from nv_tileaa to nv_tileas."""
