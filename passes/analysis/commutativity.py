"""Whether the order matters in which a reduction or scan combines elements."""

from typing import Any

from tilec.dialects.nv_tileas.tile_ops import ReduceOp, ScanOp
from tilec.ir.structured import body_operations, terminator

_SYMMETRIC = frozenset(
    f"arith.{name}"
    for name in (
        *("addf", "mulf", "maxnumf", "minnumf", "maximumf", "minimumf"),
        *("addi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui"),
    )
)
"""Operations whose two operands may change places, to the last bit of the result."""


def keeps_order(op: Any) -> bool:
    """Tell whether an operation is a scan or reduction that combines elements in their order."""
    if op.name == ReduceOp.OPERATION_NAME:
        return not is_commutative(op)
    return op.name == ScanOp.OPERATION_NAME


def is_commutative(op: Any) -> bool:
    """Tell whether the function of a reduction gives the same where its two sides are swapped.

    Both ways are written down as expressions. They are the same if they differ only in the order of
    operands that may change places. Functions that are commutative for another reason count as not
    commutative: that costs time, but is right.
    """
    numbers: dict[tuple[Any, ...], int] = {}
    return _expressions(op.opview.block, 0, numbers) == _expressions(op.opview.block, 1, numbers)


def _expressions(block: Any, swapped: int, numbers: dict[tuple[Any, ...], int]) -> list[int]:
    """Return a number for each result of a body; equal expressions have equal numbers.

    Args:
        block: The body.
        swapped: 1 if the sides change places, otherwise 0.
        numbers: The expressions that have numbers, to which new ones are added.
    """

    def number(*expression: Any) -> int:
        return numbers.setdefault(expression, len(numbers))

    known = {
        argument: number("argument", place ^ swapped)
        for place, argument in enumerate(block.arguments)
    }

    def number_of(value: Any) -> int:
        return known[value] if value in known else number("outside", value)

    for op in body_operations(block)[:-1]:
        operands = [number_of(value) for value in op.operands]
        if op.name in _SYMMETRIC:
            operands.sort()
        attributes = sorted((name, str(item)) for name, item in op.attributes.items())
        for place, result in enumerate(op.results):
            known[result] = number(op.name, place, str(result.type), *attributes, *operands)
    return [number_of(value) for value in terminator(block).operands]
