"""The version of tilec; the package metadata and the caches read it."""

__version__ = "0.1.0"
