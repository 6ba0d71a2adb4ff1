"""Which loads fetch the same tile in several CTAs of a cluster.

A load whose coordinates do not depend on the block's coordinate along a grid axis fetches the same
tile in all CTAs of a cluster that differ in this coordinate alone. One of them can fetch it for all
(TMA multicast), if all of them come by equally often: the loops and branches around the load must
not depend on the block at all.
"""

from collections.abc import Iterable
from math import prod
from typing import Any

from tilec.ir.attributes import integer_or
from tilec.ir.bindings import ir
from tilec.ir.integers import i64
from tilec.ir.structured import (
    FOR_BOUNDS,
    defining_operation,
    enclosing_loops,
    parent_operation,
    terminator,
)
from tilec.layout import SharedLayout
from tilec.layout.descriptors import CORE_ROWS, K_STEP_BYTES

MULTICAST_AXIS = "multicast_axis"
"""On a load: the cluster axis along which CTAs share its tile."""


def dependences(values: Iterable[Any], sources: set[Any], *, bounds: bool = True) -> set[Any]:
    """Return the operations of `sources` that `values` are computed from.

    Args:
        values: The values.
        sources: Operations to look for.
        bounds: Whether a loop variable is computed from the bounds of its loop, what a `while`
            returns from its condition, and what a branch returns from the condition of that.
    """
    found: set[Any] = set()
    seen: set[Any] = set()
    pending = list(values)
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        op = defining_operation(value)
        if op is None:
            pending.extend(_carried(value, bounds))
        elif op in sources:
            found.add(op)
        else:
            if not bounds and op.name in ("scf.for", "scf.if"):
                pending.extend(_returned(op, ir.OpResult(value).result_number))
                continue
            pending.extend(op.operands)
            for region in op.regions:
                for block in region.blocks:
                    pending.extend(_passed_on(terminator(block), bounds))
    return found


def _returned(op: Any, number: int) -> list[Any]:
    """Return the values that one result of a loop or branch comes from."""
    values = [terminator(region.blocks[0]).operands[number] for region in op.regions]
    return [op.operands[FOR_BOUNDS + number], *values] if op.name == "scf.for" else values


def _passed_on(last: Any, bounds: bool) -> list[Any]:
    """Return what a block passes on; with `bounds`, also whether its loop goes on."""
    values = list(last.operands)
    return values if bounds or last.name != "scf.condition" else values[1:]


def _carried(argument: Any, bounds: bool) -> list[Any]:
    """Return the values that a block argument comes from."""
    loop = argument.owner.owner.operation
    if loop.name not in ("scf.for", "scf.while"):
        return []
    if loop.name == "scf.while":
        lasts = [terminator(region.blocks[0]) for region in loop.regions]
        return [*loop.operands, *(value for last in lasts for value in _passed_on(last, bounds))]
    number = argument.arg_number
    if number == 0:
        return list(loop.operands)[:3] if bounds else []
    return _returned(loop, number - 1)


def control_operands(op: Any) -> list[Any]:
    """Return what decides whether and how often `op` runs: loop bounds and conditions."""
    operands: list[Any] = []
    around = parent_operation(op)
    while around is not None and around.name.startswith("scf."):
        if around.name == "scf.for":
            operands.extend(list(around.operands)[:3])
        elif around.name == "scf.if":
            operands.append(around.operands[0])
        else:
            operands.extend(terminator(around.regions[0].blocks[0]).operands)
            operands.extend(around.operands)
        around = parent_operation(around)
    return operands


def shared_axes(load: Any, coords: Iterable[Any], ids: dict[Any, int]) -> tuple[int, ...]:
    """Return the cluster axes along which CTAs may share the tile of `load`.

    Args:
        load: A load; one outside of loops is not worth it.
        coords: Its coordinates.
        ids: Operations that return the block's coordinate, with the cluster axis (0 or 1) they are
            for, or -1 when the coordinate is the same in a cluster.
    """
    sources = {op for op, axis in ids.items() if axis >= 0}
    if not enclosing_loops(load) or dependences(control_operands(load), sources):
        return ()
    varying = {ids[op] for op in dependences(coords, sources)}
    return tuple(axis for axis in (0, 1) if axis not in varying)


def multicast_layout(
    layout: SharedLayout, peers: int, *, rows_are_k: bool = False
) -> SharedLayout | None:
    """Return `layout` in boxes that `peers` CTAs can divide among them, or None.

    Each CTA takes a run of consecutive boxes. Rows of one column of boxes may be cut further: the
    bytes of the tile stay where they are. Where there are several columns, they do not, and the
    rows can be cut if they are steps of K: an instruction of wgmma reads one step of all columns,
    which are as far from each other in every step.

    Args:
        layout: Boxes of a tile.
        peers: CTAs that share it.
        rows_are_k: Whether it is an operand of wgmma whose M or N is contiguous.
    """
    if share_axis(layout, peers) is not None:
        return layout
    rows = next((axis for axis, extent in enumerate(layout.shape[:-1]) if extent > 1), -1)
    if rows < 0 or layout.box[rows] != layout.shape[rows] or layout.box[rows] % peers:
        return None
    unit = CORE_ROWS if layout.box_count == 1 else K_STEP_BYTES // layout.element_bytes
    if (layout.box_count > 1 and not rows_are_k) or prod(layout.box[:-1]) % (peers * unit):
        return None
    box = list(layout.box)
    box[rows] //= peers
    return SharedLayout(layout.shape, layout.element_bits, tuple(box), layout.swizzle)


def share_axis(layout: SharedLayout, peers: int) -> int | None:
    """Return the axis along which runs of 1/`peers` of the boxes divide the tile, or None."""
    for axis, (outer, inner) in enumerate(zip(layout.shape, layout.box, strict=True)):
        if outer // inner > 1:
            return axis if outer // inner % peers == 0 else None
    return None


def multicast_axis(load: Any) -> int | None:
    """Return the cluster axis along which CTAs share the tile of `load`, or None."""
    return integer_or(load, MULTICAST_AXIS, None)


def set_multicast_axis(load: Any, axis: int) -> None:
    """Let the CTAs of a cluster share the tile of `load` along cluster axis `axis`."""
    load.attributes[MULTICAST_AXIS] = i64(axis)
