"""Which tiles threads move instead of TMA, where shared memory does not hold them all. Pure Python.

A ring gives up stages first, down to one (`choose_stages`). Then copies go, one at a time: a store
needs its staging buffer only on the way out, so stores go first; then loads outside of loops, which
nothing overlaps anyway; then loads of loops. Of each kind the largest goes first. An operand of a
product stays: threads would have to put it into shared memory, too.

Threads also store what a product computes where its staging would leave the operands a ring of one
slot: nothing is loaded then while the tensor cores read.
"""

from collections.abc import Iterable

from tilec.plan.overrides import PlanOverrides
from tilec.support.fast_dataclasses import dataclass

MIN_OPERAND_SLOTS = 2
"""Slots of a ring of operands: with one, attention had 0.55 to 0.65 of the speed (H200,
2026-11-24)."""


@dataclass(frozen=True, slots=True)
class TmaCopy:
    """A tile that TMA moves.

    Attributes:
        size: Its bytes.
        is_load: Whether it is loaded; stored else.
        in_loop: Whether it moves in a loop.
        is_operand: Whether a product reads it from shared memory.
    """

    size: int
    is_load: bool
    in_loop: bool = False
    is_operand: bool = False

    @property
    def order(self) -> tuple[bool, bool, int]:
        """Sort key: what is given up first comes first."""
        return self.is_load, self.in_loop and self.is_load, -self.size


def next_demotion(copies: Iterable[TmaCopy], overrides: PlanOverrides) -> TmaCopy | None:
    """Return the copy that threads should do next so that the others fit; None if none helps.

    Args:
        copies: What TMA moves so far.
        overrides: What the user fixed: with the stages of a ring, its loads stay in it, too.
    """

    def helps(copy: TmaCopy) -> bool:
        kept_by_user = copy.is_load and copy.in_loop and overrides.stages is not None
        return not copy.is_operand and not kept_by_user

    return min(filter(helps, copies), key=lambda copy: copy.order, default=None)


def wants_stages(copies: Iterable[TmaCopy], stages: int, overrides: PlanOverrides) -> bool:
    """Tell whether a ring of operands has too few slots.

    Args:
        copies: What TMA or threads move.
        stages: Slots that fit.
        overrides: What the user fixed.
    """
    fixed = overrides.stages is not None or overrides.epilogue_slots is not None
    loads = (copy.is_operand and copy.is_load and copy.in_loop for copy in copies)
    return stages < MIN_OPERAND_SLOTS and not fixed and any(loads)
