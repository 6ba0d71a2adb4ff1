"""The nv_tileaa dialect: memrefs with facts, memory tokens, copy-atom witnesses."""

from tilec.dialects.nv_tileaa import (
    element_ops,
    func_ops,
    measure_ops,
    memory_ops,
    report_ops,
    tile_ops,
    types,
)
from tilec.dialects.nv_tileaa.dialect import NvTileAA

__all__ = [
    "NvTileAA",
    "element_ops",
    "func_ops",
    "measure_ops",
    "memory_ops",
    "report_ops",
    "tile_ops",
    "types",
]
