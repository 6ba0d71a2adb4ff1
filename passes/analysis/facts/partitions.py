"""Whether loops of neighbouring blocks go through parts of a range that do not overlap.

Performance follows from the answer, and no result does. So numbers count as whole numbers that do
not wrap around.
"""

from typing import Any

from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts.index_ranges import constant_value

_SMALLER = ("arith.minsi", "arith.minui")


def takes_a_part(loop: Any, coordinate: Any) -> bool:
    """Tell whether a loop ends, at the latest, where that of the next block begins.

    As in `for n in range(p * share, min((p + 1) * share, count))`.

    Args:
        loop: An `scf.for`.
        coordinate: The operation that returns the coordinate of the block along an axis.
    """
    first, last = list(loop.operands)[:2]
    return any(_is_next(end, first, coordinate) is True for end in _bounds(last))


def _bounds(value: Any) -> list[Any]:
    """Return values that are all at least `value`."""
    op = defining_operation(value)
    if op is None or op.name not in _SMALLER:
        return [value]
    return [bound for operand in op.operands for bound in _bounds(operand)]


def _is_next(later: Any, now: Any, coordinate: Any) -> bool | None:
    """Tell whether `later` is `now` with the next coordinate; None if both are without it."""
    op, other = defining_operation(now), defining_operation(later)
    if op is None or other is None:
        return None if later == now else False
    if op == coordinate:
        return other.name == "arith.addi" and _adds_one(other, now)
    same = op.name == other.name and dict(op.attributes.items()) == dict(other.attributes.items())
    if not same or len(op.regions):
        return False
    pairs = zip(other.operands, op.operands, strict=True)
    found = [_is_next(*pair, coordinate) for pair in pairs]
    if all(item is None for item in found):
        return None if later == now else False
    return False not in found


def _adds_one(addition: Any, value: Any) -> bool:
    others = [operand for operand in addition.operands if operand != value]
    return len(others) == 1 and constant_value(others[0]) == 1
