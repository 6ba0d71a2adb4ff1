"""The dialects of tilec: cuda_tile, nv_tileaa, nv_tileas and cute."""

from tilec.dialects.cuda_tile import CudaTile
from tilec.dialects.cute import Cute
from tilec.dialects.nv_tileaa import NvTileAA
from tilec.dialects.nv_tileas import NvTileAS
from tilec.ir.bindings import register_dialect_module
from tilec.ir.dialect_loading import load_dialect
from tilec.ir.segments import declare

DIALECTS = (CudaTile, Cute, NvTileAA, NvTileAS)


def load_all() -> None:
    """Load every dialect into the current context."""
    for dialect in DIALECTS:
        register_dialect_module(dialect.DIALECT_NAMESPACE)
        load_dialect(dialect)
        for operation in dialect.operations:
            declare(operation)
