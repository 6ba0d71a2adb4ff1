"""Runs compiled kernels: driver API, argument checks, tensor maps, launches, and the JIT."""
