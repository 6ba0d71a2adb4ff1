"""Whether a tile is stored while the products of the next one run. Pure Python."""

from tilec.plan import machine
from tilec.plan.failure import fail
from tilec.plan.model import KernelPlan, KernelProblem
from tilec.plan.overrides import PlanOverrides
from tilec.plan.registers import accumulator_registers, most_consumer_registers


def choose_deferral(
    problem: KernelProblem, plan: KernelPlan, overrides: PlanOverrides
) -> tuple[int, tuple[str, ...]]:
    """Return the registers of a tile that waits for the next one, and why; 0 when none waits.

    Args:
        problem: A kernel with mma.
        plan: Everything about it but registers.
        overrides: What the user fixed.
    """
    defect = problem.why_not_deferral or _why_not_schedule(plan) or _why_not_size(problem, plan)
    if overrides.defer_stores and defect is not None:
        fail("T0421", f"defer_stores = true: {defect}")
    if overrides.defer_stores is False:
        return 0, ("defer_stores = false: fixed by the user",)
    if defect is not None:
        return 0, ()
    if overrides.defer_stores is None and not problem.defer_stores:
        return 0, ()
    why = "fixed by the user" if overrides.defer_stores else "products hide the store of a tile"
    waiting = accumulator_registers(*_result(problem), plan.consumers)
    reason = f"defer_stores = true: a tile is stored while the next one is computed; {why}"
    return waiting, (reason,)


def defers_work(problem: KernelProblem, waiting: int, overrides: PlanOverrides) -> bool:
    """Return whether what is computed from a rounded tile waits with it.

    Args:
        problem: A kernel with mma.
        waiting: Registers of the tile that waits; 0 when none does.
        overrides: What the user fixed.
    """
    if overrides.defer_work and not waiting:
        fail("T0421", "defer_work = true: no tile waits for the next one (defer_stores = false)")
    return waiting > 0 and (
        problem.defer_work if overrides.defer_work is None else overrides.defer_work
    )


def _why_not_schedule(plan: KernelPlan) -> str | None:
    """Return which other decision keeps the store of a tile from waiting."""
    if not plan.specialize or not plan.persistent:
        return "no loop over tiles continues with the products of the next tile"
    if plan.teams > 1:
        return "consumers that ping-pong store while others multiply (pingpong = true)"
    if plan.split_k > 1:
        return f"the splits of a tile add up their sums first (split_k = {plan.split_k})"
    if not plan.epilogue_slots or plan.epilogue_batch > 1:
        return "the result is not stored in parts of one staging slot each"
    return None


def _why_not_size(problem: KernelProblem, plan: KernelPlan) -> str | None:
    """Return what about the extents of the tile keeps its store from waiting."""
    m, n, size = _result(problem)
    accumulators = problem.accumulators(plan.consumers)
    waiting = accumulator_registers(m, n, size, plan.consumers)
    loaded = max((tile.load_bytes for tile in problem.sliced), default=0)
    if not fits_together(accumulators, waiting, plan.consumers, loaded):
        return (
            f"{waiting} registers of a result do not fit together with {accumulators} "
            "accumulators of the next one"
        )
    return None


def _result(problem: KernelProblem) -> tuple[int, int, int]:
    """Return the extents of the result and the bytes of its elements."""
    tile = problem.mma[0]
    return tile.m, tile.n, problem.whole_bytes // (tile.m * tile.n)


def fits_together(accumulators: int, waiting: int, consumers: int, loaded_bytes: int = 0) -> bool:
    """Tell whether a tile can wait in registers together with the accumulators of the next one.

    Args:
        accumulators: Registers of the sums.
        waiting: Registers of the tile that waits.
        consumers: Warpgroups that share them.
        loaded_bytes: What the epilogue loads for each element.
    """
    needed = accumulators + waiting + machine.DEFERRAL_OVERHEAD + machine.CONSUMER_OVERHEAD
    needed += max(0, loaded_bytes // 2 - 1) * machine.LOADED_DEFERRAL_REGISTERS
    return needed <= most_consumer_registers(consumers)


def allows_deferral(overrides: PlanOverrides) -> bool:
    """Tell whether the fields that the user fixed let the store of a tile wait."""
    loops = overrides.specialize is not False and overrides.persistent is not False
    in_parts = overrides.epilogue_slots != 0 and overrides.epilogue_batch in (None, 1)
    return overrides.defer_stores is not False and loops and in_parts
