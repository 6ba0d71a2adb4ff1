"""Passes on the nv_tileaa dialect."""
