"""What is known about the floats that a round of a loop computes, where a mask hides its scores.

Values are computed from what is known about those that the loop carries, by the rules of
`passes/analysis/facts/float_ranges.py`. Scalars of which nothing is known may be taken for
positive.
"""

import math
from collections.abc import Callable
from typing import Any

from tilec.ir.attributes import integer
from tilec.ir.bindings import arith, ir
from tilec.ir.structured import body_operations, defining_operation, enclosing_operations
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts import float_ranges as ranges
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.facts.float_ranges import ANYTHING, INFINITY, NAN, Known
from tilec.support.fast_dataclasses import dataclass

USUAL = (2.0**-20, 2.0**20)
"""Between which numbers a scalar factor must lie: so far from 0 and from infinity that its product
with a constant such as 1e30 is neither."""
DROPS_NAN = {"arith.maxnumf": True, "arith.maximumf": False}
"""Maxima, and whether they are the operand that is no NaN if one is."""
_P = arith.CmpFPredicate
_ORDERED: dict[int, tuple[bool, bool]] = {
    int(_P.OLT): (False, False),
    int(_P.OLE): (False, True),
    int(_P.OGT): (True, False),
    int(_P.OGE): (True, True),
}
"""Ordered comparisons: whether the operands change places, and whether equal ones count."""
_NEGATED = {
    int(_P.ULT): int(_P.OGE),
    int(_P.ULE): int(_P.OGT),
    int(_P.UGT): int(_P.OLE),
    int(_P.UGE): int(_P.OLT),
    int(_P.UNE): int(_P.OEQ),
}
"""Unordered comparisons, by the ordered ones that are false where they are true."""
_REPEATING = ("nv_tileaa.broadcast", "nv_tileaa.splat")
_MOST_OPERATIONS = 200
"""Operations of a proof; longer rounds are left alone."""


class TooLongError(Exception):
    """A round has too many operations."""


def own_axes(value: Any) -> tuple[int | None, ...]:
    """Return the axes of a tile; None for those of extent 1, along which nothing changes."""
    if not is_tile(value):
        return ()
    return tuple(axis if extent > 1 else None for axis, extent in enumerate(value.type.shape))


@dataclass
class Evaluation:
    """Computes what is known about the values of a round.

    Attributes:
        loop: The loop.
        hidden: For selects of tiles, the operand that they return where everything is hidden.
        known: What is known about values; first of all about those that the loop carries.
        scalars: Collects the scalars that are taken for numbers of `USUAL`; None where none is.
        score: What all masked scores are; None where they are hidden.
        left: How many more operations may be looked at.
    """

    loop: Any
    hidden: dict[Any, int]
    known: dict[Any, Known]
    scalars: dict[Any, None] | None
    score: Known | None = None
    left: int = _MOST_OPERATIONS

    def of(self, value: Any) -> Known:
        """Return what is known about a value.

        Raises:
            TooLongError: It takes too many operations.
        """
        if value not in self.known:
            if not self.left:
                raise TooLongError("a round has too many operations")
            self.left -= 1
            self.known[value] = self._find(value)
        return self.known[value]

    def _find(self, value: Any) -> Known:
        op = defining_operation(value)
        if op is None or op.name not in _RULES:
            return self._unknown(value)
        return _RULES[op.name](self, op)

    def _unknown(self, value: Any) -> Known:
        if self.scalars is None or not isinstance(value.type, ir.F32Type):
            return ANYTHING
        op = defining_operation(value)
        if op is not None and self.loop in enclosing_operations(op):
            return ANYTHING
        self.scalars[value] = None
        return ranges.between(*USUAL)

    def condition(self, value: Any) -> bool | None:
        """Return what a scalar bool, or all bools of a tile, are; None if that is not known."""
        op = defining_operation(value)
        if op is None:
            return None
        if op.name in ("nv_tileaa.view", *_REPEATING):
            return self.condition(op.operands[0])
        if op.name != "arith.cmpf":
            return None
        predicate = integer(op, "predicate")
        a, b = map(self.of, op.operands)
        opposite = _compared(_NEGATED.get(predicate, predicate), a, b)
        return not opposite if predicate in _NEGATED and opposite is not None else opposite


def _compared(predicate: int, a: Known, b: Known) -> bool | None:
    if predicate == int(_P.OEQ):
        return ranges.equal(a, b)
    if predicate not in _ORDERED:
        return None
    swapped, or_equal = _ORDERED[predicate]
    return ranges.less(*((b, a) if swapped else (a, b)), or_equal=or_equal)


def _constant(evaluation: Evaluation, op: Any) -> Known:
    del evaluation
    number = number_of(op.results[0])
    return ranges.exactly(number) if isinstance(number, float) else ANYTHING


def _select(evaluation: Evaluation, op: Any) -> Known:
    hidden = evaluation.hidden.get(op)
    if hidden is not None:
        return evaluation.of(op.operands[hidden]) if evaluation.score is None else evaluation.score
    choice = evaluation.condition(op.operands[0])
    if choice is not None:
        return evaluation.of(op.operands[1 if choice else 2])
    return ranges.hull(*map(evaluation.of, list(op.operands)[1:]))


def _product(evaluation: Evaluation, op: Any) -> Known:
    return _times(evaluation, *map(evaluation.of, op.operands))


def _times(evaluation: Evaluation, a: Known, b: Known) -> Known:
    """Return a product; a hidden weight of 0 makes it 0, as docs/language.md says."""
    if evaluation.score is None and any(
        one.number == 0 and other == ANYTHING for one, other in ((a, b), (b, a))
    ):
        return ranges.exactly(0.0)
    return ranges.product(a, b)


def _fma(evaluation: Evaluation, op: Any) -> Known:
    a, b, c = map(evaluation.of, op.operands)
    return ranges.total(_times(evaluation, a, b), c)


def _dot(evaluation: Evaluation, op: Any) -> Known:
    a, b, c = map(evaluation.of, op.operands)
    if a.is_nan or b.is_nan or c.is_nan:
        return NAN
    is_hidden = evaluation.score is None and 0 in (a.number, b.number)
    return c if is_hidden else ANYTHING


def _larger(evaluation: Evaluation, op: Any) -> Known:
    a, b = map(evaluation.of, op.operands)
    return ranges.larger(a, b, drops_nan=DROPS_NAN[op.name])


def _reduce(evaluation: Evaluation, op: Any) -> Known:
    """Return what a maximum or a sum of elements is.

    The maximum of a row with an infinite score is that score, and a sum with NaN is NaN.
    """
    if len(op.operands) != 1:
        return ANYTHING
    (combine, *rest) = body_operations(op.regions[0].blocks[0])[:-1]
    if rest:
        return ANYTHING
    known = ranges.moved(evaluation.of(op.operands[0]))
    if combine.name in DROPS_NAN:
        return known
    is_same = known.number == 0 or known.is_nan
    return known if combine.name == "arith.addf" and is_same else ANYTHING


def _repeat(evaluation: Evaluation, op: Any) -> Known:
    known = evaluation.of(op.operands[0])
    if known.place is None or op.name == "nv_tileaa.broadcast":
        return known
    axes = (None,) * len(op.results[0].type.shape)
    return Known(known.low, known.high, known.may_be_nan, (known.place[0], axes))


def _view(evaluation: Evaluation, op: Any) -> Known:
    """Return what a view knows: the place of elements too, if only axes of extent 1 come or go."""
    known = evaluation.of(op.operands[0])
    if known.place is None:
        return known
    before, after = (value.type.shape for value in (op.operands[0], op.results[0]))
    if [n for n in before if n > 1] != [n for n in after if n > 1]:
        return ranges.moved(known)
    number, axes = known.place
    wide = iter([axis for axis, extent in zip(axes, before, strict=True) if extent > 1])
    made = tuple(next(wide) if extent > 1 else None for extent in after)
    return Known(known.low, known.high, known.may_be_nan, (number, made))


def _permute(evaluation: Evaluation, op: Any) -> Known:
    known = evaluation.of(op.operands[0])
    if known.place is None:
        return known
    number, axes = known.place
    made = tuple(axes[axis] for axis in op.opview.permutation)
    return Known(known.low, known.high, known.may_be_nan, (number, made))


def _convert(evaluation: Evaluation, op: Any) -> Known:
    """Return what another float type makes of elements: 0, 1, infinities and NaN stay."""
    known = evaluation.of(op.operands[0])
    exact = (0.0, 1.0, INFINITY, -INFINITY)
    if op.name == "arith.extf" or known.is_nan or known.number in exact:
        return ranges.moved(known)
    low = 0.0 if known.low >= 0 else -INFINITY
    return Known(low, INFINITY if known.high > 0 else 0.0, known.may_be_nan)


_Rule = Callable[[Evaluation, Any], Known]


def _of_operands(function: Callable[..., Known]) -> _Rule:
    return lambda evaluation, op: function(*map(evaluation.of, op.operands))


_RULES: dict[str, _Rule] = {
    "arith.addf": _of_operands(ranges.total),
    "arith.constant": _constant,
    "arith.extf": _convert,
    "arith.maximumf": _larger,
    "arith.maxnumf": _larger,
    "arith.mulf": _product,
    "arith.negf": _of_operands(ranges.negated),
    "arith.select": _select,
    "arith.subf": _of_operands(ranges.difference),
    "arith.truncf": _convert,
    "math.exp": _of_operands(ranges.exponential(math.e)),
    "math.exp2": _of_operands(ranges.exponential(2.0)),
    "math.fma": _fma,
    "nv_tileaa.broadcast": _repeat,
    "nv_tileaa.dot": _dot,
    "nv_tileaa.permute": _permute,
    "nv_tileaa.reduce": _reduce,
    "nv_tileaa.splat": _repeat,
    "nv_tileaa.view": _view,
}
