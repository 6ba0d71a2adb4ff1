"""Tiles that threads copy although TMA could, where `nv-tileas-plan-kernel` finds no room."""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import box_bytes
from tilec.ir.structured import enclosing_loops
from tilec.passes.analysis.kernels import TiledAccess, array_of_view, span_of
from tilec.passes.analysis.mma.operands import dot_uses
from tilec.plan.demotion import MIN_OPERAND_SLOTS, TmaCopy, next_demotion, wants_stages
from tilec.plan.kernel import KernelPlan
from tilec.plan.overrides import PlanOverrides, PlanValue, parse_overrides
from tilec.support.diagnostics import CompileError, Diagnostic, remark
from tilec.support.fast_dataclasses import dataclass

SHARED_MEMORY_EXCEEDED = "T0424"
"""Code of the planner for a kernel whose buffers do not fit."""


@dataclass(frozen=True)
class Demotion:
    """An access that threads do instead of TMA, and why; `atom` is the one that it had."""

    access: TiledAccess
    reason: str
    atom: Any


def plan_within_budget(
    attempt: Callable[[], KernelPlan],
    accesses: list[TiledAccess],
    overrides: Mapping[str, PlanValue],
) -> tuple[KernelPlan, list[Demotion]]:
    """Return a plan that fits shared memory, and which accesses threads do for that.

    Args:
        attempt: Plans the kernel as its accesses are now.
        accesses: The loads and stores of the kernel.
        overrides: What the user fixed.

    Raises:
        CompileError: There is no plan, even if the threads copy the tiles.
    """
    demoted: list[Demotion] = []
    while True:
        try:
            plan = attempt()
            break
        except CompileError as failure:
            first = failure.diagnostics[0]
            exceeded = first.code == SHARED_MEMORY_EXCEEDED
            chosen = _next_access(accesses, overrides) if exceeded else None
            if chosen is None:
                raise
            demoted.append(leave_to_threads(chosen, first.message))
    for item in demoted[:-1]:  # what was given up after it may have made room for it
        item.access.op.attributes["atom"] = item.atom
        try:
            plan = attempt()
            demoted.remove(item)
        except CompileError:
            leave_to_threads(item.access, item.reason)
    return _with_more_stages(plan, attempt, accesses, demoted, parse_overrides(overrides))


def _with_more_stages(
    plan: KernelPlan,
    attempt: Callable[[], KernelPlan],
    accesses: list[TiledAccess],
    demoted: list[Demotion],
    overrides: PlanOverrides,
) -> tuple[KernelPlan, list[Demotion]]:
    """Let threads store results where that makes room for enough slots of the operands' ring."""
    stores = [access for access in accesses if access.uses_tma and not access.is_load]
    if not wants_stages(map(_tma_copy, accesses), plan.stages, overrides):
        return plan, demoted
    reason = f"its staging buffer leaves {plan.stages} slot of the ring of operands"
    given = [leave_to_threads(access, reason) for access in stores if _has_choice(access)]
    with contextlib.suppress(CompileError):
        other = attempt()
        if other.stages >= MIN_OPERAND_SLOTS:
            return other, [*demoted, *given]
    for item in given:
        item.access.op.attributes["atom"] = item.atom
    return plan, demoted


def _next_access(
    accesses: list[TiledAccess], overrides: Mapping[str, PlanValue]
) -> TiledAccess | None:
    """Return the access that the planner gives up next; the first one of equal ones."""
    movable = (access for access in reversed(accesses) if access.uses_tma and _has_choice(access))
    copies = {_tma_copy(access): access for access in movable}
    chosen = next_demotion(copies, parse_overrides(overrides))
    return None if chosen is None else copies[chosen]


def _tma_copy(access: TiledAccess) -> TmaCopy:
    return TmaCopy(
        size=box_bytes(access.tile_type.shape, access.tile_type.element_type),
        is_load=access.is_load,
        in_loop=bool(enclosing_loops(access.op)),
        is_operand=access.is_load and next(dot_uses(access.op.results[0]), None) is not None,
    )


def _has_choice(access: TiledAccess) -> bool:
    """Tell whether anything but TMA may do an access; IR that was written by hand may lack that."""
    return any(not atom.is_tma for atom in access.op.opview.legal_atoms)


def leave_to_threads(access: TiledAccess, reason: str) -> Demotion:
    """Give an access the widest atom of threads."""
    kinds = ("ldg", "stg", "red")
    before, legal = access.op.opview.atom, access.op.opview.legal_atoms
    access.op.attributes["atom"] = next(atom for atom in legal if atom.kind in kinds)
    return Demotion(access, reason, before)


def lost_tma(code: str, demotion: Demotion, function: Any) -> Diagnostic:
    """Return the remark, with this code, that an access does not use TMA."""
    access = demotion.access
    name = array_of_view(access.view, function)
    message = f"{access.noun} '{name}' does not use TMA: {demotion.reason}"
    return remark(code, message, span_of(access.op))
