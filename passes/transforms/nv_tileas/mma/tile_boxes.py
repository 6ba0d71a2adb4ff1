"""Boxes of a tile that threads hold as they hold an accumulator, and what is computed of them.

A *box* has the first or the last eight rows of each 16, and some columns. A thread has one of these
rows of each 16 (PTX ISA, wgmma, accumulator fragments), so boxes cost no instruction: `view`,
`tile_slice` and `cat` only name registers.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

from tilec.dialects.common.shape_ops import tile_type
from tilec.dialects.nv_tileas import TileSliceOp
from tilec.dialects.nv_tileas.tile_ops import CatOp, PermuteOp, ViewOp
from tilec.ir.bindings import arith, ir
from tilec.support.fast_dataclasses import dataclass

_BLOCK, _HALF = 16, 8
"""Rows of a block of an accumulator, and how far apart the two rows of it are that a thread holds
(PTX ISA, wgmma, accumulator fragments)."""


@dataclass(frozen=True)
class Box:
    """Rows and columns of a tile.

    Attributes:
        part: 0 for the first eight rows of each 16, 1 for the last ones.
        begin: The first column.
        end: The one after the last column.
    """

    part: int
    begin: int
    end: int

    def type_of(self, type_: Any) -> Any:
        """Return the type of the box of a tile; a tile of one column has it in each box."""
        rows, columns = type_.shape
        width = min(columns, self.end - self.begin)
        return tile_type([rows // 2, width], type_.element_type)

    def of(self, tile: Any) -> Any:
        """Emit the box of a tile."""
        rows, columns = tile.type.shape
        blocks = ViewOp.build(tile, (rows // _BLOCK, 2, _HALF, columns))
        shape, origin = (rows // _BLOCK, 1, _HALF, columns), (0, self.part, 0, 0)
        half = ViewOp.build(TileSliceOp.build(blocks, shape, origin), (rows // 2, columns))
        return self.columns_of(half)

    def columns_of(self, tile: Any) -> Any:
        """Emit the columns of the box of a tile of any rows."""
        rows, columns = tile.type.shape
        if columns in (1, self.end - self.begin):
            return tile
        return TileSliceOp.build(tile, (rows, self.end - self.begin), (0, self.begin))


def has_boxes(type_: Any) -> bool:
    """Tell whether a tile has boxes."""
    return len(type_.shape) == 2 and type_.shape[0] % _BLOCK == 0


def joined(first: Any, last: Any) -> Any:
    """Emit the tile of whose blocks these are the first and last rows."""
    rows, *others = first.type.shape
    blocks = (rows // _HALF, 1, _HALF, *others)
    whole = CatOp.build(ViewOp.build(first, blocks), ViewOp.build(last, blocks), 1)
    return ViewOp.build(whole, (2 * rows, *others))


def named_shape(op: Any, shape: Sequence[int], axis: int) -> tuple[list[int], int] | None:
    """Return the shape that a `view` or `permute` gives a box, and which axis of it is cut.

    Args:
        op: The operation, on the whole tile.
        shape: Extents of the box.
        axis: The axis along which it is cut; its rows are not the whole ones, either.

    Returns:
        None where the box has no such shape, or its rows move.
    """
    whole, result = op.operands[0].type.shape, op.results[0].type.shape
    if op.name == PermuteOp.OPERATION_NAME:
        order = list(op.opview.permutation)
        return None if order[0] else ([shape[dim] for dim in order], order.index(axis))
    if op.name != ViewOp.OPERATION_NAME or result[0] != whole[0]:
        return None
    size = prod(shape[axis:])
    for place in range(1, len(result)):
        inner = prod(result[place + 1 :])
        if prod(result[:place]) == prod(whole[:axis]) and size % inner == 0:
            return [shape[0], *result[1:place], size // inner, *result[place + 1 :]], place
    return None


def shapes_named(names: Sequence[Any], shape: Sequence[int]) -> list[tuple[list[int], int]] | None:
    """Return what `named_shape` does for operations one after another, for columns of a tile."""
    found: list[tuple[list[int], int]] = []
    last: tuple[Sequence[int], int] = (shape, 1)
    for op in names:
        following = named_shape(op, *last)
        if following is None:
            return None
        found.append(following)
        last = following
    return found


def alike(op: Any, operands: list[Any], type_: Any) -> Any:
    """Emit an operation like `op` on other operands; return its result, of type `type_`."""
    attributes = {item: op.attributes[item] for item in op.attributes}
    made = ir.Operation.create(op.name, results=[type_], operands=operands, attributes=attributes)
    return made.results[0]


def constant(maker: Any, type_: Any) -> Any:
    """Emit a constant tile of one value for a box of a tile of that value."""
    value = ir.DenseElementsAttr(maker.attributes["value"]).get_splat_value()
    return arith.constant(type_, ir.DenseElementsAttr.get_splat(type_, value))
