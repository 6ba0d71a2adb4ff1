"""Tiles of indices: what one step along an axis adds to their elements."""

from typing import Any

from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts.constants import number_of

Steps = tuple[int, ...]


def index_steps(tile: Any) -> Steps | None:
    """Return by how much the elements of an integer tile grow with each step along its axes.

    Such a tile is a sum of ranges and scalars of the nv_tileas dialect, as `n * 128 + arange(128)`
    is. None where it is not, or where no axis has a range.
    """
    found = _steps(tile)
    return found if found is not None and any(found) else None


def _steps(tile: Any) -> Steps | None:
    op = defining_operation(tile)
    rule = None if op is None else _RULES.get(op.name)
    return None if rule is None else rule(op)


def _scalar(op: Any) -> Steps | None:
    if op.name == "arith.constant" and number_of(op.results[0]) is None:
        return None
    return (0,) * len(op.results[0].type.shape)


def _range(op: Any) -> Steps:
    del op
    return (1,)


def _sum(op: Any) -> Steps | None:
    a, b = (_steps(operand) for operand in op.operands)
    if a is None or b is None:
        return None
    sign = -1 if op.name == "arith.subi" else 1
    return tuple(x + sign * y for x, y in zip(a, b, strict=True))


def _broadcast(op: Any) -> Steps | None:
    return _steps(op.operands[0])  # an axis of extent 1 has no steps


def _permute(op: Any) -> Steps | None:
    source = _steps(op.operands[0])
    return None if source is None else tuple(source[axis] for axis in op.opview.permutation)


def _view(op: Any) -> Steps | None:
    """Return the steps of what a view shows, which inserts or drops axes of extent 1."""
    source = _steps(op.operands[0])
    before, after = op.operands[0].type.shape, op.results[0].type.shape
    if source is None or [n for n in before if n > 1] != [n for n in after if n > 1]:
        return None
    steps = iter([step for step, extent in zip(source, before, strict=True) if extent > 1])
    return tuple(next(steps) if extent > 1 else 0 for extent in after)


def _copy(op: Any) -> Steps | None:
    return _steps(op.operands[0])


_RULES = {
    "arith.addi": _sum,
    "arith.constant": _scalar,
    "arith.subi": _sum,
    "nv_tileas.broadcast": _broadcast,
    "nv_tileas.convert_layout": _copy,
    "nv_tileas.make_range": _range,
    "nv_tileas.permute": _permute,
    "nv_tileas.splat": _scalar,
    "nv_tileas.view": _view,
}
