"""Benchmarks on a GPU: tilec against vendor libraries and Triton, in one process."""
