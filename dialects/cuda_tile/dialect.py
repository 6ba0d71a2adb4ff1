"""The cuda_tile dialect object; every operation family of the dialect builds on it."""

from tilec.ir.bindings import ext


class CudaTile(ext.Dialect, name="cuda_tile"):
    """Namespace of the cuda_tile dialect."""
