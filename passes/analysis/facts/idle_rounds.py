"""Proof that a round of a loop changes nothing where a mask hides all that it computes.

Attention replaces hidden scores by minus infinity. If all scores of a round are hidden, the maximum
of a row stays as it is, the new weights are 0, and the old ones are scaled by 1. The proof computes
what a round yields from what it is given, with what is known about the elements
(`passes/analysis/facts/round_floats.py`), for one row of each kind:

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
says which scalars must be positive (`USUAL` in `round_floats.py`) for the proof to hold.
"""

from typing import Any

from tilec.ir.structured import FOR_BOUNDS, defining_operation, terminator
from tilec.passes.analysis.facts import float_ranges as ranges
from tilec.passes.analysis.facts.float_ranges import ANYTHING, INFINITY, LARGEST, NAN, Known
from tilec.passes.analysis.facts.round_floats import (
    DROPS_NAN,
    Evaluation,
    TooLongError,
    own_axes,
)
from tilec.support.fast_dataclasses import dataclass


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
    scalars: dict[Any, None] = {}
    try:
        _Proof(loop, hidden, None).run()
    except NotIdleError:
        _Proof(loop, hidden, scalars).run()
    return list(scalars)


@dataclass
class _Proof:
    """A proof for one loop.

    Attributes:
        loop: The loop.
        hidden: For selects of tiles, the operand that they return where everything is hidden.
        scalars: Collects the scalars that are taken for numbers of `USUAL`; None where none is.
    """

    loop: Any
    hidden: dict[Any, int]
    scalars: dict[Any, None] | None

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
        return self._evaluation({}).of(self.loop.operands[FOR_BOUNDS + number])

    def _maximum(self, carried: list[Any], passed: list[Any]) -> int | None:
        """Return the number of the carried value that is the maximum of a row so far."""
        found = []
        for number, (old, new) in enumerate(zip(carried, passed, strict=True)):
            op = defining_operation(new)
            if op is not None and op.name in DROPS_NAN and old in list(op.operands):
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
        scores = [INFINITY] if DROPS_NAN[maximum.name] else [INFINITY, float("nan")]
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

    def _evaluation(self, known: dict[Any, Known], score: Known | None = None) -> Evaluation:
        return Evaluation(self.loop, self.hidden, known, self.scalars, score)

    def _axes(self, number: int) -> tuple[int | None, ...]:
        return own_axes(self._carried()[number])

    def _yielded(self, given: list[Known], score: Known | None = None) -> list[Known]:
        """Return what a round yields.

        Args:
            given: What it is given, for each carried value.
            score: What all masked scores are; None where they are hidden.
        """
        arguments = {}
        for number, (value, known) in enumerate(zip(self._carried(), given, strict=True)):
            place = (number, own_axes(value))
            arguments[value] = Known(known.low, known.high, known.may_be_nan, place)
        evaluation = self._evaluation(arguments, score)
        try:
            return [evaluation.of(value) for value in terminator(self._body).operands]
        except TooLongError:
            raise NotIdleError("a round has too many operations") from None
