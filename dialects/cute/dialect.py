"""The cute dialect object; every operation family of the dialect builds on it."""

from tilec.ir.bindings import ext


class Cute(ext.Dialect, name="cute"):
    """Namespace of the cute dialect."""
