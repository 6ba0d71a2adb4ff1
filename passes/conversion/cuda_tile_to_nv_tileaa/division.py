"""Integer division, of scalars and of tiles: a result for every pair of operands.

A quotient by 0 and the quotient of the smallest integer and -1 are undefined behaviour below, from
which LLVM concludes that they do not happen: `where(y != 0, x // y, 7)` would lose its choice.
Where operands may be such, the divisor is replaced by 1, and the result by that of the CPU
reference: a division by 0 gives 0, as does its remainder, and -1 gives the negated dividend, which
for the smallest integer is itself.
"""

from collections.abc import Sequence
from typing import Any

from tilec.ir.bindings import arith, ir
from tilec.ir.constants import full
from tilec.ir.structured import defining_operation
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.facts.intervals import Range, signed_limits, unsigned_limits, wrapped
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.rules import create

SIGNED = ("arith.divsi", "arith.floordivsi", "arith.ceildivsi", "arith.remsi")
UNSIGNED = ("arith.divui", "arith.ceildivui", "arith.remui")
DIVISIONS = frozenset((*SIGNED, *UNSIGNED))
_SAME_ELEMENTS = ("nv_tileaa.broadcast", "nv_tileaa.view", "nv_tileaa.permute", "nv_tileaa.splat")


def divide(name: str, operands: Sequence[Any], ranges: ValueRanges) -> Any:
    """Emit division or remainder `name` of two integers or tiles of them.

    Args:
        name: One of `DIVISIONS`.
        operands: Dividend and divisor.
        ranges: Ranges of the scalars of the kernel.
    """
    dividend, divisor = operands
    type_ = dividend.type
    zero, minus_one = _dangers(name in SIGNED, dividend, divisor, ranges)
    if not zero and not minus_one:
        return create(name, [type_], operands).result
    special = _equals_one_of(divisor, zero=zero, minus_one=minus_one)
    safe = arith.select(special, constant_like(type_, 1), divisor)
    result = create(name, [type_], [dividend, safe]).result
    if name in ("arith.remsi", "arith.remui"):
        return result
    return arith.select(special, _special(dividend, divisor, zero, minus_one), result)


def constant_like(type_: Any, number: int) -> Any:
    """Emit an integer, or a tile of it, of a type."""
    if isinstance(type_, ir.RankedTensorType):
        return full(type_, number)
    return arith.constant(type_, number)


def _dangers(signed: bool, dividend: Any, divisor: Any, ranges: ValueRanges) -> tuple[bool, bool]:
    """Tell whether the divisor may be 0, and whether it may be -1 with a quotient too large."""
    low, high = _range(divisor, ranges, signed=signed)
    zero = low <= 0 <= high
    if not signed:
        return zero, False
    least = signed_limits(_width(dividend))[0]
    return zero, low <= -1 <= high and _range(dividend, ranges, signed=True)[0] == least


def _equals_one_of(divisor: Any, *, zero: bool, minus_one: bool) -> Any:
    """Emit whether the divisor is 0 or -1, as far as it may be."""
    if zero and minus_one:
        raised = arith.addi(divisor, constant_like(divisor.type, 1))
        return arith.cmpi(arith.CmpIPredicate.ult, raised, constant_like(divisor.type, 2))
    number = constant_like(divisor.type, 0 if zero else -1)
    return arith.cmpi(arith.CmpIPredicate.eq, divisor, number)


def _special(dividend: Any, divisor: Any, zero: bool, minus_one: bool) -> Any:
    """Emit the quotient by 0 or -1: all bits of the dividend are kept by -1, none by 0."""
    nothing = constant_like(dividend.type, 0)
    if not minus_one:
        return nothing
    return arith.subi(nothing, arith.andi(dividend, divisor) if zero else dividend)


def _width(value: Any) -> int:
    return ir.IntegerType(getattr(value.type, "element_type", value.type)).width


def _range(value: Any, ranges: ValueRanges, *, signed: bool) -> Range:
    """Return the range of an integer or of the elements of a tile."""
    limits = (signed_limits if signed else unsigned_limits)(_width(value))
    while is_tile(value):
        op = defining_operation(value)
        if op is None or op.name not in _SAME_ELEMENTS:
            number = number_of(value)
            return limits if number is None else wrapped((number, number), limits)
        value = op.operands[0]
    return wrapped(ranges.of(value), limits)
