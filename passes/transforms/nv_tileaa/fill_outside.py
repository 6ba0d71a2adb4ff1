"""Padding of tiles that TMA loads: a select after the load, where TMA does not fill in zeros.

TMA fills what lies outside of an array with zeros. It does not know slices of arrays.
"""

import functools
from typing import Any

from tilec.dialects.nv_tileaa.tile_ops import BroadcastOp, MakeRangeOp, SplatOp, ViewOp
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import arith, ir
from tilec.ir.constants import full
from tilec.passes.analysis.facts.comparisons import record_run, shared_run
from tilec.passes.analysis.facts.divisibility import UNKNOWN
from tilec.passes.analysis.facts.padding import padded_axes
from tilec.passes.analysis.kernels import tiled_access
from tilec.passes.transforms.nv_tileaa.infer_facts import all_sizes

PADDINGS = {
    "zero": 0.0,
    "neg_zero": -0.0,
    "nan": float("nan"),
    "pos_inf": float("inf"),
    "neg_inf": float("-inf"),
}
"""Values of floats outside of an array, by name."""


def fill_outside(load: Any) -> None:
    """Replace what TMA loads from outside, where that is not the padding of `load`."""
    access, padding, checked = tiled_access(load), load.opview.padding, padded_axes(load)
    load.attributes["padding"] = ir.StringAttr.get("zero")
    if not checked:
        return
    sizes = all_sizes(access.view.owner.operation)
    tile = load.results[0]
    shape = list(tile.type.shape)
    with ir.InsertionPoint.after(load), load.location:
        masks = [_inside(load, sizes[axis], shape, axis) for axis in checked]
        outside = full(tile.type, PADDINGS[padding])
        padded = arith.select(functools.reduce(arith.andi, masks), tile, outside)
    tile.replace_all_uses_except(padded, padded.owner.operation)


def _inside(load: Any, size: Any, shape: list[int], axis: int) -> Any:
    """Emit where the positions of the tile of `load` along `axis` lie inside of the array."""
    access, coord = tiled_access(load), tiled_access(load).coords[axis]
    i32, extent = ir.IntegerType.get_signless(32), shape[axis]
    limit = arith.constant(i32, size) if isinstance(size, int) else size
    start, end = (SplatOp.build(value, [extent]) for value in (coord, limit))
    positions = arith.addi(MakeRangeOp.build(extent, i32), start)
    # As an unsigned number a position before the array is beyond its end.
    inside = arith.cmpi(arith.CmpIPredicate.ult, positions, end)
    starts = _divisor(load, "coord_div_by", axis)
    sizes_div_by = _divisor(access.view.owner.operation, "size_div_by", axis)
    record_run(inside.owner.operation, shared_run(starts, sizes_div_by))
    line = [extent if number == axis else 1 for number in range(len(shape))]
    if line != [extent]:
        inside = ViewOp.build(inside, line)
    return inside if line == shape else BroadcastOp.build(inside, shape)


def _divisor(op: Any, name: str, axis: int) -> int:
    """Return a divisor that `nv-tileaa-infer-facts` wrote; nothing is known without it."""
    return elements_of(op.attributes[name])[axis] if name in op.attributes else UNKNOWN
