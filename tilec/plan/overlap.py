"""What overlaps: groups of wgmma in flight, parts that are staged together. Pure Python."""

from tilec.plan.epilogue import Slices
from tilec.plan.failure import fail
from tilec.plan.model import KernelPlan, KernelProblem
from tilec.plan.overrides import PlanOverrides


def choose_batch(slices: Slices, overrides: PlanOverrides) -> int:
    """Return how many parts are staged together.

    Where results share slots, the first part waits for all of them, so they are written together:
    a round of the gradients of attention then meets at two barriers less (8 % less time together
    with later waits for its products; H100, docs/measurements/2026-11-28-attention-backward.md).
    """
    slots = slices.slots
    batch = overrides.epilogue_batch or (slots if slices.shared else 1)
    if batch > 1 and not slots:
        fail("T0421", f"epilogue_batch = {batch}: no result of the kernel is stored in parts")
    if slots % batch:
        message = f"epilogue_batch = {batch}: the {slots} staging slots do not split into batches"
        fail("T0421", message, "use a divisor of epilogue_slots")
    return batch


def choose_pending(
    problem: KernelProblem, plan: KernelPlan, overrides: PlanOverrides
) -> tuple[int, tuple[str, ...]]:
    """Return how many groups of wgmma stay in flight, and why if that was asked for."""
    if overrides.mma_pending is None:
        alone = plan.specialize and plan.consumers == plan.teams
        if problem.registers_hold_a or not alone or plan.stages < 2:
            return 0, ()
        return 1, ("mma_pending = 1: a consumer that multiplies alone fills its own gaps",)
    if overrides.mma_pending and not plan.consumers:
        fail("T0421", "mma_pending does not apply to a kernel without mma on the tensor cores")
    if overrides.mma_pending and plan.stages < 2:
        message = (
            f"mma_pending = {overrides.mma_pending}: the product in flight keeps the only stage"
        )
        fail("T0421", message, "use two stages or more")
    if overrides.mma_pending and problem.registers_hold_a:
        message = f"mma_pending = {overrides.mma_pending}: every product has an A in registers"
        fail("T0421", message, "the next k-tile would overwrite them; use mma_pending = 0")
    return overrides.mma_pending, (overrides.fixed("mma_pending"),)
