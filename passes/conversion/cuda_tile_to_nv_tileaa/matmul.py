"""Matrix multiply-accumulate. A batch of one product is one, which the tensor cores can do."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects import cuda_tile
from tilec.dialects.nv_tileaa.tile_ops import DotOp, ViewOp
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.rules import RULES, Conversion, text


@RULES.converts(cuda_tile.MmaFOp)
def convert_float_mma(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a product of float tiles."""
    result = DotOp.build(*_without_batch_of_one(state.operands(op)))
    for name in ("precision", "promote"):
        if name in op.attributes:
            result.owner.attributes[name] = op.attributes[name]
    return [_in_shape_of(result, op, state)]


@RULES.converts(cuda_tile.MmaIOp)
def convert_integer_mma(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a product of integer tiles."""
    signedness = (text(op, "signedness_lhs", "signed"), text(op, "signedness_rhs", "signed"))
    result = DotOp.build(*_without_batch_of_one(state.operands(op)), signedness=signedness)
    return [_in_shape_of(result, op, state)]


def _without_batch_of_one(tiles: Sequence[Any]) -> list[Any]:
    """Return matrices for batches that consist of one; other tiles as they are."""
    return [_viewed(tile, list(tile.type.shape)[-2:]) for tile in tiles]


def _in_shape_of(product: Any, op: Any, state: Conversion) -> Any:
    """Return `product` in the shape of the accumulator of `op`."""
    return _viewed(product, list(state.operands(op)[2].type.shape))


def _viewed(tile: Any, shape: list[int]) -> Any:
    """Emit a view of `tile`, where that only adds or drops a first dim of extent 1."""
    short, long = sorted((shape, list(tile.type.shape)), key=len)
    return ViewOp.build(tile, shape) if long == [1, *short] else tile
