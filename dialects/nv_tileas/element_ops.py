"""Accesses to single elements of the nv_tileas dialect: gather, scatter, atomics."""

from tilec.dialects.common.element_ops import AtomicBase, GatherBase, ScatterBase
from tilec.dialects.nv_tileas.dialect import NvTileAS


class GatherOp(GatherBase, dialect=NvTileAS, name="gather"):
    """Load single elements."""


class ScatterOp(ScatterBase, dialect=NvTileAS, name="scatter"):
    """Store single elements."""


class AtomicOp(AtomicBase, dialect=NvTileAS, name="atomic"):
    """Change single elements, each of them in one step."""
