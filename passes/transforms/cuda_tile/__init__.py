"""Passes on the cuda_tile dialect."""
