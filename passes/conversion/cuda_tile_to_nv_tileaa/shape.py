"""Operations that make or reshape tiles, and the block coordinates."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects import cuda_tile
from tilec.dialects.nv_tileaa.tile_ops import (
    BroadcastOp,
    CatOp,
    ExtractOp,
    GetNumProgramsOp,
    GetProgramIdOp,
    HistogramOp,
    MakeRangeOp,
    PermuteOp,
    SplatOp,
    ViewOp,
)
from tilec.ir.slices import check_constant_indices
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.rules import (
    RULES,
    Conversion,
    convert_type,
    segments,
)


def _shape(op: Any) -> list[int]:
    return list(convert_type(op.results[0].type).shape)


@RULES.converts(cuda_tile.SplatOp)
def convert_splat(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a tile of equal elements."""
    return [SplatOp.build(state.get(op.operands[0]), _shape(op))]


@RULES.converts(cuda_tile.IotaOp)
def convert_iota(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite the tile 0, 1, 2, ..."""
    tile = convert_type(op.results[0].type)
    return [MakeRangeOp.build(tile.shape[0], tile.element_type)]


@RULES.converts(cuda_tile.ReshapeOp)
def convert_reshape(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a change of shape."""
    return [ViewOp.build(state.get(op.operands[0]), _shape(op))]


@RULES.converts(cuda_tile.BroadcastOp)
def convert_broadcast(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a repetition along dims of extent 1."""
    return [BroadcastOp.build(state.get(op.operands[0]), _shape(op))]


@RULES.converts(cuda_tile.PermuteOp)
def convert_permute(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a reordering of dims."""
    order = list(op.attributes["permutation"])
    return [PermuteOp.build(state.get(op.operands[0]), order)]


@RULES.converts(cuda_tile.CatOp)
def convert_cat(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a concatenation."""
    lhs, rhs = state.operands(op)
    return [CatOp.build(lhs, rhs, op.attributes["dim"].value)]


@RULES.converts(cuda_tile.ExtractOp)
def convert_extract(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a slice."""
    (source,), indices = segments(op)
    check_constant_indices(op)
    return [ExtractOp.build(state.get(source), [state.get(i) for i in indices], _shape(op))]


@RULES.converts(cuda_tile.HistogramOp)
def convert_histogram(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a histogram."""
    return [HistogramOp.build(state.get(op.operands[0]), *_shape(op))]


@RULES.converts(cuda_tile.GetTileBlockIdOp)
def convert_block_id(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite the coordinates of the block."""
    return [GetProgramIdOp.build(axis) for axis in range(len(op.results))]


@RULES.converts(cuda_tile.GetNumTileBlocksOp)
def convert_num_blocks(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite the extents of the launch grid."""
    return [GetNumProgramsOp.build(axis) for axis in range(len(op.results))]
