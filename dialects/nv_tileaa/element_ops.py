"""Accesses to single elements of the nv_tileaa dialect: gather, scatter, atomics."""

from tilec.dialects.common.element_ops import AtomicBase, GatherBase, ScatterBase
from tilec.dialects.nv_tileaa.dialect import NvTileAA


class GatherOp(GatherBase, dialect=NvTileAA, name="gather"):
    """Load single elements."""


class ScatterOp(ScatterBase, dialect=NvTileAA, name="scatter"):
    """Store single elements."""


class AtomicOp(AtomicBase, dialect=NvTileAA, name="atomic"):
    """Change single elements, each of them in one step."""
