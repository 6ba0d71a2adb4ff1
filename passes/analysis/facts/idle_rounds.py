"""Proof that a round of a loop changes nothing where a mask hides all that it computes.

Attention replaces hidden scores by minus infinity. If all scores of a round are hidden, the maximum
of a row stays as it is, the new weights are 0, and the old ones are scaled by 1. The proof computes
what a round yields from what it is given, with what is known about the elements
(`passes/analysis/facts/float_ranges.py`), for one row of each kind:

- Its maximum so far is finite. All else that the loop carries may be anything.
- Its maximum is minus infinity: it has not seen anything yet, so all else is what the loop began
  with. There are no such rows if the loop begins with a finite maximum.
- Its maximum is plus infinity or NaN. Then all else is NaN: where the score of a row is so, the
  round makes everything NaN, which is part of the proof.

If the round yields what it was given for all kinds of rows, it may be left out. What the proof
takes for granted, because no kernel of attention could skip anything otherwise, is part of the
language (docs/language.md, hidden numbers): a number that is multiplied by a hidden weight of 0
counts as finite, and zeros are equal whatever their sign.

Scalars of which nothing is known may be negative, and `-inf * scale` the larger one. So the result
says which scalars must be positive (`USUAL`) for the proof to hold.
"""

from collections.abc import Callable
from typing import Any

from tilec.ir.bindings import arith, ir
from tilec.ir.structured import (
    body_operations,
    defining_operation,
    enclosing_operations,
    terminator,
)
from tilec.passes.analysis.facts import float_ranges as ranges
from tilec.passes.analysis.facts.float_ranges import ANYTHING, INFINITY, LARGEST, NAN, Known
from tilec.support.fast_dataclasses import dataclass, field

USUAL = (2.0**-20, 2.0**20)
"""Between which numbers a scalar factor must lie: so far from 0 and from infinity that its product
with a constant such as 1e30 is neither."""
_BOUNDS = 3
"""Operands of a loop before the values that it carries."""
_DROPS_NAN = {"arith.maxnumf": True, "arith.maximumf": False}
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


class NotIdleError(Exception):
    """The proof fails; the text is the reason."""


def prove_idle(loop: Any, hidden: dict[Any, int]) -> list[Any]:
    """Prove that a round changes nothing where masks hide everything.

    Args:
        loop: An `scf.for`.
        hidden: For selects of tiles, the operand that they return there: 1 or 2.

    Returns:
        The scalars that must lie between the numbers of `USUAL`.

    Raises:
        NotIdleError: There is no proof.
    """
    try:
        _Proof(loop, hidden, usual=False).run()
    except NotIdleError:
        proof = _Proof(loop, hidden, usual=True)
        proof.run()
        return list(proof.scalars)
    return []


@dataclass
class _Proof:
    """A proof for one loop.

    Attributes:
        loop: The loop.
        hidden: For selects of tiles, the operand that they return where everything is hidden.
        usual: Whether scalars are taken for positive.
        scalars: Those that were.
    """

    loop: Any
    hidden: dict[Any, int]
    usual: bool
    scalars: dict[Any, None] = field(default_factory=dict)

    def run(self) -> None:
        """Try all kinds of rows."""
        carried, passed = self._carried(), list(terminator(self._body).operands)
        top = self._maximum(carried, passed)
        start = [self._start(number) for number in range(len(carried))]
        others = [number for number in range(len(carried)) if number != top]
        given = [ANYTHING] * len(carried)
        if top is None:
            self._check(given, "of a row")
            return
        least = self._least(start[top])
        given[top] = ranges.between(max(least, -LARGEST), LARGEST)
        self._check(given, "of a row")
        if least == -INFINITY:
            fresh = [ranges.exactly(self._constant(known)) for known in start]
            self._check(fresh, "of a row that has seen nothing yet")
        given[top] = ranges.between(least, LARGEST)
        self._check_broken_rows(top, others, given)

    @property
    def _body(self) -> Any:
        return self.loop.regions[0].blocks[0]

    def _carried(self) -> list[Any]:
        return list(self._body.arguments)[1:]

    def _start(self, number: int) -> Known:
        return _Evaluation(self, {}).of(self.loop.operands[_BOUNDS + number])

    def _maximum(self, carried: list[Any], passed: list[Any]) -> int | None:
        """Return the number of the carried value that is the maximum of a row so far."""
        found = []
        for number, (old, new) in enumerate(zip(carried, passed, strict=True)):
            op = defining_operation(new)
            if op is not None and op.name in _DROPS_NAN and old in list(op.operands):
                found.append(number)
        if len(found) > 1:
            raise NotIdleError("the loop carries several maxima")
        return found[0] if found else None

    def _least(self, start: Known) -> float:
        """Return what a maximum never falls below."""
        return -INFINITY if start.may_be_nan else start.low

    def _constant(self, known: Known) -> float:
        if known.number is None:
            raise NotIdleError("what the loop begins with is not known")
        return known.number

    def _check_broken_rows(self, top: int, others: list[int], given: list[Known]) -> None:
        """Check that a row whose maximum is infinite or NaN is NaN, and stays so."""
        maximum = defining_operation(terminator(self._body).operands[top])
        scores = [INFINITY] if _DROPS_NAN[maximum.name] else [INFINITY, float("nan")]
        for score in scores:
            broken = ranges.exactly(score)
            row = [broken if number == top else NAN for number in range(len(given))]
            for found in (self._yielded(given, broken), self._yielded(row, ANYTHING)):
                if not all(found[number].is_nan for number in others):
                    raise NotIdleError("a score that is infinite or NaN does not make its row NaN")
            self._check(row, "of a row that is NaN")

    def _check(self, given: list[Known], whose: str) -> None:
        """Check that a round in which all is hidden yields what it is given.

        Raises:
            NotIdleError: It does not.
        """
        for number, (before, after) in enumerate(zip(given, self._yielded(given), strict=True)):
            same = after.place == (number, self._axes(number))
            if not same and (after != before or (before.number is None and not before.is_nan)):
                raise NotIdleError(f"a tile of scores that are all hidden changes a number {whose}")

    def _axes(self, number: int) -> tuple[int | None, ...]:
        return _own_axes(self._carried()[number])

    def _yielded(self, given: list[Known], score: Known | None = None) -> list[Known]:
        """Return what a round yields.

        Args:
            given: What it is given, for each carried value.
            score: What all masked scores are; None where they are hidden.
        """
        arguments = {}
        for number, (value, known) in enumerate(zip(self._carried(), given, strict=True)):
            place = (number, _own_axes(value))
            arguments[value] = Known(known.low, known.high, known.may_be_nan, place)
        evaluation = _Evaluation(self, arguments, score)
        return [evaluation.of(value) for value in terminator(self._body).operands]


def _own_axes(value: Any) -> tuple[int | None, ...]:
    """Return the axes of a tile; None for those of extent 1, along which nothing changes."""
    if not isinstance(value.type, ir.RankedTensorType):
        return ()
    return tuple(axis if extent > 1 else None for axis, extent in enumerate(value.type.shape))


@dataclass
class _Evaluation:
    """Computes what is known about the values of a round.

    Attributes:
        proof: The proof.
        known: What is known about values; first of all about those that the loop carries.
        score: What all masked scores are; None where they are hidden.
    """

    proof: _Proof
    known: dict[Any, Known]
    score: Known | None = None

    def of(self, value: Any) -> Known:
        """Return what is known about a value.

        Raises:
            NotIdleError: It takes too many operations.
        """
        if value not in self.known:
            if len(self.known) > _MOST_OPERATIONS:
                raise NotIdleError("a round has too many operations")
            self.known[value] = self._find(value)
        return self.known[value]

    def _find(self, value: Any) -> Known:
        op = defining_operation(value)
        if op is None or op.name not in _RULES:
            return self._unknown(value)
        return _RULES[op.name](self, op)

    def _unknown(self, value: Any) -> Known:
        if not self.proof.usual or not isinstance(value.type, ir.F32Type):
            return ANYTHING
        op = defining_operation(value)
        if op is not None and self.proof.loop in enclosing_operations(op):
            return ANYTHING
        self.proof.scalars[value] = None
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
        predicate = ir.IntegerAttr(op.attributes["predicate"]).value
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


def _constant(evaluation: _Evaluation, op: Any) -> Known:
    del evaluation
    value = op.attributes["value"]
    if isinstance(value, ir.DenseElementsAttr) and value.is_splat:
        value = value.get_splat_value()
    return (
        ranges.exactly(ir.FloatAttr(value).value) if isinstance(value, ir.FloatAttr) else ANYTHING
    )


def _select(evaluation: _Evaluation, op: Any) -> Known:
    hidden = evaluation.proof.hidden.get(op)
    if hidden is not None:
        return evaluation.of(op.operands[hidden]) if evaluation.score is None else evaluation.score
    choice = evaluation.condition(op.operands[0])
    if choice is not None:
        return evaluation.of(op.operands[1 if choice else 2])
    return ranges.hull(*map(evaluation.of, list(op.operands)[1:]))


def _product(evaluation: _Evaluation, op: Any) -> Known:
    return _times(evaluation, *map(evaluation.of, op.operands))


def _times(evaluation: _Evaluation, a: Known, b: Known) -> Known:
    """Return a product; a hidden weight of 0 makes it 0, as docs/language.md says."""
    if evaluation.score is None and any(
        one.number == 0 and other == ANYTHING for one, other in ((a, b), (b, a))
    ):
        return ranges.exactly(0.0)
    return ranges.product(a, b)


def _fma(evaluation: _Evaluation, op: Any) -> Known:
    a, b, c = map(evaluation.of, op.operands)
    return ranges.total(_times(evaluation, a, b), c)


def _dot(evaluation: _Evaluation, op: Any) -> Known:
    a, b, c = map(evaluation.of, op.operands)
    if a.is_nan or b.is_nan or c.is_nan:
        return NAN
    is_hidden = evaluation.score is None and 0 in (a.number, b.number)
    return c if is_hidden else ANYTHING


def _larger(evaluation: _Evaluation, op: Any) -> Known:
    a, b = map(evaluation.of, op.operands)
    return ranges.larger(a, b, drops_nan=_DROPS_NAN[op.name])


def _reduce(evaluation: _Evaluation, op: Any) -> Known:
    """Return what a maximum or a sum of elements is.

    The maximum of a row with an infinite score is that score, and a sum with NaN is NaN.
    """
    if len(op.operands) != 1:
        return ANYTHING
    (combine, *rest) = body_operations(op.regions[0].blocks[0])[:-1]
    if rest:
        return ANYTHING
    known = ranges.moved(evaluation.of(op.operands[0]))
    if combine.name in _DROPS_NAN:
        return known
    is_same = known.number == 0 or known.is_nan
    return known if combine.name == "arith.addf" and is_same else ANYTHING


def _repeat(evaluation: _Evaluation, op: Any) -> Known:
    known = evaluation.of(op.operands[0])
    if known.place is None or op.name == "nv_tileaa.broadcast":
        return known
    axes = (None,) * len(op.results[0].type.shape)
    return Known(known.low, known.high, known.may_be_nan, (known.place[0], axes))


def _view(evaluation: _Evaluation, op: Any) -> Known:
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


def _permute(evaluation: _Evaluation, op: Any) -> Known:
    known = evaluation.of(op.operands[0])
    if known.place is None:
        return known
    number, axes = known.place
    made = tuple(axes[axis] for axis in op.opview.permutation)
    return Known(known.low, known.high, known.may_be_nan, (number, made))


def _convert(evaluation: _Evaluation, op: Any) -> Known:
    """Return what another float type makes of elements: 0, 1, infinities and NaN stay."""
    known = evaluation.of(op.operands[0])
    exact = (0.0, 1.0, INFINITY, -INFINITY)
    if op.name == "arith.extf" or known.is_nan or known.number in exact:
        return ranges.moved(known)
    low = 0.0 if known.low >= 0 else -INFINITY
    return Known(low, INFINITY if known.high > 0 else 0.0, known.may_be_nan)


_Rule = Callable[[_Evaluation, Any], Known]


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
    "math.exp": _of_operands(ranges.exponential(2.718281828459045)),
    "math.exp2": _of_operands(ranges.exponential(2.0)),
    "math.fma": _fma,
    "nv_tileaa.broadcast": _repeat,
    "nv_tileaa.dot": _dot,
    "nv_tileaa.permute": _permute,
    "nv_tileaa.reduce": _reduce,
    "nv_tileaa.splat": _repeat,
    "nv_tileaa.view": _view,
}
