"""Tries one plan after the other until a kernel fits the GPU, or takes what fits best."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tilec.compiler.compilation import Compilation
from tilec.compiler.replan import NextPlan, loses_performance, next_plan
from tilec.request.specialization import Specialization
from tilec.support import compiler_threads
from tilec.support.diagnostics import CompileError
from tilec.support.fast_dataclasses import dataclass, replace

Choose = Callable[[Mapping[str, Any], Specialization], Specialization | None]
"""Takes the metadata of a planned kernel and what it is compiled for; returns what a launch takes
instead, or None."""


class OtherVariantError(Exception):
    """A launch takes another variant than the one that was just planned.

    Attributes:
        specialization: What to compile instead.
        metadata: The planned kernel.
    """

    def __init__(self, specialization: Specialization, metadata: Mapping[str, Any]) -> None:
        """Keep what to compile, and what told."""
        self.specialization = specialization
        self.metadata = metadata
        super().__init__(specialization.variant)


@dataclass(frozen=True)
class Attempt:
    """A plan that did not work out.

    Attributes:
        specialization: What it was made for.
        failure: Why.
        losses: How much performance its code loses: whether products are serialised (1) or not
            (0), and the bytes that a thread spills and loads back. None where there is no code.
    """

    specialization: Specialization
    failure: CompileError
    losses: tuple[int, int] | None


def compile_with_plans(
    make: Callable[[bool], Any],
    kernel: str | None,
    specialization: Specialization,
    *,
    reject_losses: bool,
) -> Compilation:
    """Compile, with another plan as long as one is over a budget that the planner did not foresee.

    Where all plans lose performance, the one that loses least is taken, with warnings.

    Args:
        make: Makes the steps of one compilation; it is told whether they accept lost performance.
        kernel: Name of the kernel; None when the program has only one.
        specialization: What to compile for.
        reject_losses: Take no plan that loses performance.

    Raises:
        CompileError: What the first plan failed with, when none can be taken.
    """
    attempts: list[Attempt] = []
    steps = make(False)
    while True:
        try:
            return steps.compile(kernel, specialization)
        except CompileError as failure:
            if steps.accept_losses:  # this plan was tried before: something else failed
                raise
            attempts.append(Attempt(specialization, failure, _losses(failure, steps.result)))
            with compiler_threads.LOCK.held:
                following = _following(attempts, steps)
            best = None if following or reject_losses else least_loss(attempts)
            if following is not None:
                specialization, reason = following.specialization, following.reason
            elif best is None:
                raise attempts[0].failure from None
            else:
                specialization, reason = attempts[best].specialization, _why(best, attempts)
            abandoned, steps = steps, make(following is None)
            steps.follow(abandoned, failure, reason)


def _following(attempts: Sequence[Attempt], steps: Any) -> NextPlan | None:
    """Return what to try after the last attempt, whose steps are given; None for nothing."""
    in_vain = given_up_in_vain(attempts)
    return next_plan(attempts[-1].failure, steps.module, steps.specialization, in_vain)


def least_loss(attempts: Sequence[Attempt]) -> int | None:
    """Return the number of the attempt whose code loses least, the first of equals.

    None has code where the result is None.
    """
    found = [(item.losses, number) for number, item in enumerate(attempts) if item.losses]
    return min(found)[1] if found else None


def given_up_in_vain(attempts: Sequence[Attempt]) -> frozenset[str]:
    """Return the fields of the plan that were given up in vain: code without them loses no less."""
    found = set[str]()
    for number, item in enumerate(attempts):
        for before in attempts[:number]:
            given_up = item.specialization.disabled - before.specialization.disabled
            same = replace(before.specialization, disabled=item.specialization.disabled)
            if len(given_up) == 1 and same == item.specialization and _no_better(item, before):
                found |= given_up
    return frozenset(found)


def _no_better(item: Attempt, before: Attempt) -> bool:
    """Tell whether there is code of both attempts, and that of `item` loses no less."""
    return bool(item.losses and before.losses and item.losses >= before.losses)


def _losses(failure: CompileError, made: Compilation) -> tuple[int, int] | None:
    """Return how much performance the code of a failed attempt loses, see `Attempt`."""
    assembly: Any = made.assembly
    if assembly is None or not loses_performance(failure):
        return None
    return int(assembly.is_serialised), assembly.spill_stores + assembly.spill_loads


def _why(best: int, attempts: Sequence[Attempt]) -> str:
    (first, *_) = attempts[best].failure.diagnostics
    if len(attempts) == 1:
        return f"no other plan is known ({first.message}): compiled with this loss"
    which = f"plan {best + 1} of {len(attempts)}"
    return f"every plan loses performance; {which} loses least ({first.message}): compiled again"
