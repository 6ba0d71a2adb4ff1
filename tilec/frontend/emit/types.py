"""Types and element types of the typed program as MLIR types."""

from typing import Any

from tilec.dialects.cuda_tile import (
    PartitionViewType,
    PtrType,
    StridedViewType,
    TensorViewType,
    TileType,
)
from tilec.frontend.semantics import hir
from tilec.ir.bindings import ir
from tilec.support.dtypes import DType


def element_type(dtype: DType) -> Any:
    """Return the MLIR type of one element."""
    return ir.Type.parse(dtype.mlir)


def mlir_type(kind: hir.Type) -> Any:
    """Return the MLIR type of a value."""
    if isinstance(kind, hir.ScalarType):
        return element_type(kind.dtype)
    if isinstance(kind, hir.TileType):
        return TileType.of([int(extent) for extent in kind.shape], element_type(kind.dtype))
    if isinstance(kind, hir.PointerType):
        return PtrType.of(element_type(kind.dtype))
    if isinstance(kind, hir.TensorViewType):
        return TensorViewType.of(element_type(kind.dtype), kind.shape, kind.strides)
    tiles = PartitionViewType.of(kind.tile, mlir_type(kind.view), kind.dim_map, kind.padding)
    return tiles if kind.steps is None else StridedViewType.of(tiles, kind.steps)


def signedness(signed: bool) -> str:
    """Return the `signedness` attribute value."""
    return "signed" if signed else "unsigned"
