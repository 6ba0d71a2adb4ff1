"""Scalar tests that tell whether a mask holds for all elements of its tile, or for none.

A mask is a tile of bools that is built from comparisons of tiles of indices. The least and the
largest element of such a tile are linear expressions of scalars, so `columns < N` holds everywhere
if the largest of `columns` is less than N. So are those of `(16 * m + range) // 8`, where a query
has eight rows. A test is sufficient: it may fail for a tile whose mask holds everywhere.

Indices wrap around at the end of their type, the expressions do not. Where the ranges of the
scalars do not exclude that, the test also asks whether both ends of a tile fit its type.
"""

from collections.abc import Callable, Iterable
from typing import Any

from tilec.ir.attributes import integer
from tilec.ir.bindings import arith, ir
from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts import intervals
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.facts.linear import Linear, linear_form
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.support.fast_dataclasses import dataclass, field

_P = arith.CmpIPredicate
_OPPOSITES = (
    (_P.eq, _P.ne),
    (_P.slt, _P.sge),
    (_P.sle, _P.sgt),
    (_P.ult, _P.uge),
    (_P.ule, _P.ugt),
)
OPPOSITE = {int(a): int(b) for pair in _OPPOSITES for a, b in (pair, pair[::-1])}
"""The predicate of a comparison that holds where another one does not, by that one."""
_SWAPPED = {int(_P.sgt): int(_P.slt), int(_P.sge): int(_P.sle)}
_SWAPPED |= {int(_P.ugt): int(_P.ult), int(_P.uge): int(_P.ule)}
_FREE = ("nv_tileaa.view", "nv_tileaa.broadcast", "nv_tileaa.permute")
_TEST_BITS = 64
"""Width of the widest arithmetic of a test."""
_MOST_OPERATIONS = 64
"""Operations that a mask may consist of; more are left alone, as time and code would grow."""


@dataclass(frozen=True)
class Positive:
    """Whether a linear expression is greater than 0, in arithmetic of `width` bits."""

    expression: Linear
    width: int


@dataclass(frozen=True)
class Flag:
    """Whether a scalar bool has a value."""

    value: Any
    wanted: bool


@dataclass(frozen=True)
class All:
    """Whether all parts hold; without parts they do."""

    parts: tuple["Condition", ...] = ()


@dataclass(frozen=True)
class Either:
    """Whether one of the parts holds; without parts none does."""

    parts: tuple["Condition", ...] = ()


Condition = Positive | Flag | All | Either
TRUE, FALSE = All(), Either()


class NoTestError(Exception):
    """No test can be derived; the text is the reason."""


@dataclass(frozen=True)
class MaskTest:
    """A test of a mask.

    Attributes:
        condition: What holds if the whole mask has the wanted value.
        operations: The operations that compute the mask from scalars.
    """

    condition: Condition
    operations: tuple[Any, ...]


def all_of(parts: Iterable[Condition]) -> Condition:
    """Return the conjunction of conditions in its simplest form."""
    return _joined(parts, All, FALSE)


def either_of(parts: Iterable[Condition]) -> Condition:
    """Return the disjunction of conditions in its simplest form."""
    return _joined(parts, Either, TRUE)


def _joined(parts: Iterable[Condition], kind: type[All] | type[Either], ruling: Condition) -> Any:
    flat: dict[Condition, None] = {}
    for part in parts:
        if part == ruling:
            return ruling
        flat |= dict.fromkeys(part.parts if isinstance(part, kind) else [part])
    return next(iter(flat)) if len(flat) == 1 else kind(tuple(flat))


def derive_test(mask: Any, wanted: bool, ranges: ValueRanges) -> MaskTest:
    """Return a test of whether all elements of a mask equal `wanted`.

    Args:
        mask: A tile of bools of the nv_tileaa dialect.
        wanted: The value.
        ranges: Ranges of the values of its kernel.

    Raises:
        NoTestError: The mask depends on more than ranges and scalars.
    """
    derivation = _Derivation(ranges)
    condition = derivation.condition(mask, wanted)
    return MaskTest(condition, tuple(derivation.met))


@dataclass
class _Derivation:
    """Derives a test; `met` collects the operations that it has read."""

    ranges: ValueRanges
    met: dict[Any, None] = field(default_factory=dict)
    steps: int = 0

    def condition(self, mask: Any, wanted: bool) -> Condition:
        """Return when all elements of a tile of bools equal `wanted`."""
        op = self._read(mask)
        if op.name in _FREE:
            return self.condition(op.operands[0], wanted)
        if op.name == "arith.cmpi":
            return self._comparison(op, wanted)
        if op.name in ("arith.andi", "arith.ori"):
            every = (op.name == "arith.andi") == wanted
            return (self._every if every else self._any)(op, wanted)
        if op.name == "nv_tileaa.splat":
            return Flag(op.operands[0], wanted)
        constant = _constant_ends(op)
        if constant is not None:
            return TRUE if constant == (int(wanted), int(wanted)) else FALSE
        return self._inversion(op, wanted)

    def _every(self, op: Any, wanted: bool) -> Condition:
        return all_of([self.condition(part, wanted) for part in op.operands])

    def _any(self, op: Any, wanted: bool) -> Condition:
        """Return when one operand equals `wanted`; one without a test never counts."""
        found, reasons = [], []
        for part in op.operands:
            met = dict(self.met)
            try:
                found.append(self.condition(part, wanted))
            except NoTestError as failure:
                reasons.append(failure)
                self.met = met
        if not found:
            raise reasons[0]
        return either_of(found)

    def _inversion(self, op: Any, wanted: bool) -> Condition:
        if op.name == "arith.xori":
            for number in (0, 1):
                other = defining_operation(op.operands[1 - number])
                ends = None if other is None else _constant_ends(other)
                if ends is not None and ends[0] == ends[1]:
                    self.met[other] = None
                    return self.condition(op.operands[number], wanted != bool(ends[0]))
        raise NoTestError(f"a part of it comes from '{op.name}'")

    def _comparison(self, op: Any, wanted: bool) -> Condition:
        predicate = integer(op, "predicate")
        predicate = predicate if wanted else OPPOSITE[predicate]
        left, right = op.operands
        if predicate in _SWAPPED:
            left, right, predicate = right, left, _SWAPPED[predicate]
        width = ir.IntegerType(left.type.element_type).width
        if width == 1:
            raise NoTestError("a part of it compares bools")
        a, b = self._ends(left), self._ends(right)
        fits = [self._fits(ends, width) for ends in (a, b)]
        return all_of([self._relation(predicate, a, b, width), *fits])

    def _relation(self, predicate: int, a: Any, b: Any, width: int) -> Condition:
        """Return when all numbers between the ends `a` are so related to all between `b`."""

        def before(first: Any, second: Any, slack: int) -> Condition:
            """Return when the largest of `first` is less than the least of `second` + slack."""
            return self._positive(second[0] - first[1] + Linear(slack), width)

        if predicate == _P.ne:
            return either_of([before(a, b, 0), before(b, a, 0)])
        if predicate == _P.eq:
            return all_of([before(a, b, 1), before(b, a, 1)])
        slack = int(predicate in (_P.sle, _P.ule))
        ordered = before(a, b, slack)
        if predicate in (_P.slt, _P.sle):
            return ordered
        # Of numbers that are not negative, signed and unsigned order are the same.
        return all_of([self._positive(a[0] + Linear(1), width), ordered])

    def _fits(self, ends: tuple[Linear, Linear], width: int) -> Condition:
        """Return when the numbers between `ends` do not wrap around in `width` bits."""
        least, largest = intervals.signed_limits(width)
        low = self._positive(ends[0] + Linear(1 - least), width)
        return all_of([low, self._positive(Linear(largest + 1) - ends[1], width)])

    def _positive(self, expression: Linear, width: int) -> Condition:
        """Return when an expression is greater than 0.

        Raises:
            NoTestError: It does not fit the widest arithmetic.
        """
        low, high = expression.range(self.ranges)
        if low > 0 or high <= 0:
            return TRUE if low > 0 else FALSE
        for bits in dict.fromkeys((width, _TEST_BITS)):
            limits = intervals.signed_limits(bits)
            sums = [item for part in expression.parts() for item in part.prefixes(self.ranges)]
            if all(intervals.is_within(item, limits) for item in sums):
                return Positive(expression, bits)
        raise NoTestError("an index may be too large for 64 bits")

    def _ends(self, tile: Any) -> tuple[Linear, Linear]:
        """Return the least and the largest element of a tile of integers, before they wrap."""
        op = self._read(tile)
        if op.name in _FREE:
            return self._ends(op.operands[0])
        if op.name == "nv_tileaa.make_range":
            start = op.opview.start.value
            return Linear(start), Linear(start + tile.type.shape[0] - 1)
        if op.name == "nv_tileaa.splat":
            scalar = Linear(0, ((op.operands[0], 1),))
            return scalar, scalar
        if op.name == "nv_tileaa.bounded":
            low, high = (Linear(0, ((end, 1),)) for end in list(op.operands)[1:])
            return low, high
        constant = _constant_ends(op)
        if constant is not None:
            return Linear(constant[0]), Linear(constant[1])
        if op.name == "arith.extsi":
            return self._whole(op.operands[0], "extended")
        if op.name in _DIVIDED:
            return self._divided(op)
        combine = _COMBINED.get(op.name)
        if combine is None:
            raise NoTestError(f"an index comes from '{op.name}'")
        return combine(*(self._ends(operand) for operand in op.operands))

    def _whole(self, tile: Any, use: str) -> tuple[Linear, Linear]:
        """Return the ends of a tile that does not wrap."""
        ends = self._ends(tile)
        if self._fits(ends, ir.IntegerType(tile.type.element_type).width) != TRUE:
            raise NoTestError(f"an index that may wrap around is {use}")
        return ends

    def _divided(self, op: Any) -> tuple[Linear, Linear]:
        """Return the ends of a quotient or remainder, where it is rounded down."""
        tile, (divisor, other) = op.operands[0], self._ends(op.operands[1])
        number = divisor.constant
        if (divisor, other) != (Linear(number), Linear(number)) or number < 0:
            raise NoTestError("an index is divided by a number that is not a positive constant")
        low, high = self._whole(tile, "divided")
        ends = self._spread(low), self._spread(high)
        if op.name == "arith.shrsi":
            return _quotient(ends, 1 << number)
        if number == 0 or ends[0].range(self.ranges)[0] < 0:
            raise NoTestError("an index that may be negative is divided")
        return (_quotient if op.name == "arith.divsi" else _remainder)(ends, number)

    def _spread(self, end: Linear) -> Linear:
        """Return an expression of the scalars that its own scalars are computed from."""
        total = Linear(end.constant)
        for value, factor in end.terms:
            total = total + linear_form(value, self.ranges).times(factor)
        return total

    def _read(self, tile: Any) -> Any:
        op = defining_operation(tile)
        if op is None:
            raise NoTestError("a part of it is a tile that a loop carries")
        self.steps += 1
        if self.steps > _MOST_OPERATIONS:
            raise NoTestError(f"it consists of more than {_MOST_OPERATIONS} operations")
        self.met[op] = None
        return op


_Ends = tuple[Linear, Linear]


def _sum(a: _Ends, b: _Ends) -> _Ends:
    return a[0] + b[0], a[1] + b[1]


def _difference(a: _Ends, b: _Ends) -> _Ends:
    return a[0] - b[1], a[1] - b[0]


def _product(a: _Ends, b: _Ends) -> _Ends:
    """Return the ends of a product, one factor of which is a constant.

    Raises:
        NoTestError: No factor is.
    """
    for tile, other in ((a, b), (b, a)):
        factor = other[0].constant
        if other == (Linear(factor), Linear(factor)):
            low, high = tile[0].times(factor), tile[1].times(factor)
            return (low, high) if factor >= 0 else (high, low)
    raise NoTestError("an index is a product of two numbers that are not constant")


def _quotient(ends: _Ends, divisor: int) -> _Ends:
    """Return the ends of a quotient that is rounded down; `divisor` is positive.

    Raises:
        NoTestError: A scalar has a factor that is no multiple of the divisor.
    """
    if any(factor % divisor for end in ends for _, factor in end.terms):
        raise NoTestError(f"a scalar that is no multiple of {divisor} is divided by {divisor}")
    low, high = (
        Linear(end.constant // divisor, tuple((v, f // divisor) for v, f in end.terms))
        for end in ends
    )
    return low, high


def _remainder(ends: _Ends, divisor: int) -> _Ends:
    """Return numbers between which a remainder lies; `divisor` is positive."""
    low, high = ends
    multiples = all(factor % divisor == 0 for _, factor in low.terms)
    if multiples and low.terms == high.terms:
        first, last = low.constant % divisor, high.constant % divisor
        if last - first == high.constant - low.constant:  # no multiple lies between them
            return Linear(first), Linear(last)
    return Linear(0), Linear(divisor - 1)


_DIVIDED = ("arith.divsi", "arith.remsi", "arith.shrsi")
_COMBINED: dict[str, Callable[[_Ends, _Ends], _Ends]] = {
    "arith.addi": _sum,
    "arith.subi": _difference,
    "arith.muli": _product,
}


def _constant_ends(op: Any) -> tuple[int, int] | None:
    """Return the least and the largest element of a constant tile; None for other operations.

    Bools are 0 and 1.
    """
    number = number_of(op.results[0]) if op.name == "arith.constant" else None
    if number is None:
        return None
    is_bool = ir.IntegerType(op.results[0].type.element_type).width == 1
    number = abs(number) if is_bool else number
    return number, number
