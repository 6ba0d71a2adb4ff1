"""The nv_tileaa dialect object; every operation family of the dialect builds on it."""

from tilec.ir.bindings import ext


class NvTileAA(ext.Dialect, name="nv_tileaa"):
    """Namespace of the nv_tileaa dialect."""
