"""Memory operations that nv_tileas takes over from nv_tileaa; types stay those of nv_tileaa."""

from tilec.dialects.common.memory_ops import (
    CreateMemTokenBase,
    JoinMemTokenBase,
    MakeMemrefBase,
    TiledLoadBase,
    TiledStoreBase,
)
from tilec.dialects.nv_tileas.dialect import NvTileAS


class MakeMemrefOp(MakeMemrefBase, dialect=NvTileAS, name="make_memref"):
    """Describe a strided array, with the facts that nv_tileaa found out."""


class TiledLoadOp(TiledLoadBase, dialect=NvTileAS, name="tiled_load"):
    """Load one tile with the copy atom of its witness."""

    SEMANTICS = ("weak", "relaxed")
    ATOM_REQUIRED = True


class TiledStoreOp(TiledStoreBase, dialect=NvTileAS, name="tiled_store"):
    """Store one tile with the copy atom of its witness."""

    SEMANTICS = ("weak", "relaxed")
    ATOM_REQUIRED = True


class CreateMemTokenOp(CreateMemTokenBase, dialect=NvTileAS, name="create_mem_token"):
    """Make a token that depends on nothing."""


class JoinMemTokenOp(JoinMemTokenBase, dialect=NvTileAS, name="join_mem_token"):
    """Make a token that depends on several others."""
