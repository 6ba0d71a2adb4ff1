"""The nv_tileas dialect object; every operation family of the dialect builds on it."""

from tilec.ir.bindings import ext


class NvTileAS(ext.Dialect, name="nv_tileas"):
    """Namespace of the nv_tileas dialect."""
