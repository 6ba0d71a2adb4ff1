"""What of a tile runs while the products of the next one do. Pure Python.

The loop over the tiles of a CTA is scheduled like other loops (`tilec/plan/schedule.py`). Its graph
has the loop over k-tiles as one operation, and a cut for each tile that may wait in registers.
"""

from tilec.plan import machine
from tilec.plan.failure import fail
from tilec.plan.graph import LoopGraph
from tilec.plan.model import KernelPlan, KernelProblem
from tilec.plan.overrides import BY_USER, PlanOverrides
from tilec.plan.registers import accumulator_registers, most_consumer_registers
from tilec.plan.schedule import TileSchedule, schedule_loop
from tilec.request.target import Target
from tilec.support.fast_dataclasses import replace


def choose_deferral(
    problem: KernelProblem, plan: KernelPlan, target: Target, overrides: PlanOverrides
) -> tuple[TileSchedule | None, tuple[str, ...]]:
    """Return the schedule of the loop over tiles, and why; None where nothing was to choose.

    Args:
        problem: A kernel with mma.
        plan: Everything about it but registers.
        target: What a CTA has of an SM.
        overrides: What the user fixed.
    """
    defect = problem.why_not_deferral or _why_not_schedule(plan)
    defect = defect or _why_not_size(problem, plan, target)
    wanted = problem.defer_stores if overrides.defer_stores is None else overrides.defer_stores
    if overrides.defer_stores and defect is not None:
        fail("T0421", f"defer_stores = true: {defect}")
    found = None
    if wanted and defect is None and problem.tile_graph is not None:
        graph = problem.tile_graph(plan.consumers, plan.slice_columns > 0)
        found = _schedule(problem, plan, graph, overrides)
    if overrides.defer_work:
        _check_work(found)
    if overrides.defer_stores is False:
        return None, (overrides.fixed("defer_stores"),)
    if found is None or not found.waiting:
        return found, ()
    why = BY_USER if overrides.defer_stores else "products hide the store of a tile"
    return found, (f"defer_stores = true: a tile is stored while the next one is computed; {why}",)


def _schedule(
    problem: KernelProblem, plan: KernelPlan, graph: LoopGraph, overrides: PlanOverrides
) -> TileSchedule:
    """Schedule the loop over tiles: what waits takes no more registers than the result."""
    works = problem.defer_work if overrides.defer_work is None else overrides.defer_work
    if not works:
        graph = replace(graph, cuts=graph.cuts[-1:])
    registers = problem.accumulators(plan.consumers)
    registers += accumulator_registers(*_result(problem), plan.consumers)
    return TileSchedule(graph, schedule_loop(graph, registers, rotate=overrides.defer_stores))


def _check_work(found: TileSchedule | None) -> None:
    """Refuse `defer_work = true` where threads compute nothing later."""
    if found is None or not found.waiting:
        fail("T0421", "defer_work = true: no tile waits for the next one (defer_stores = false)")
    if not found.defers_work:
        message = "nothing is left to compute from a tile that is rounded to 16 bits"
        hint = "round the tile first, as in cast(acc, bf16), and load what is computed with it then"
        fail("T0421", f"defer_work = true: {message}", hint)


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


def _why_not_size(problem: KernelProblem, plan: KernelPlan, target: Target) -> str | None:
    """Return what about the extents of the tile keeps its store from waiting."""
    m, n, size = _result(problem)
    accumulators = problem.accumulators(plan.consumers)
    waiting = accumulator_registers(m, n, size, plan.consumers)
    loaded = max((tile.load_bytes for tile in problem.sliced), default=0)
    if not fits_together(accumulators, waiting, plan.consumers, target, loaded):
        return (
            f"{waiting} registers of a result do not fit together with {accumulators} "
            "accumulators of the next one"
        )
    return None


def _result(problem: KernelProblem) -> tuple[int, int, int]:
    """Return the extents of the result and the bytes of its elements."""
    tile = problem.mma[0]
    return tile.m, tile.n, problem.whole_bytes // (tile.m * tile.n)


def fits_together(
    accumulators: int, waiting: int, consumers: int, target: Target, loaded_bytes: int = 0
) -> bool:
    """Tell whether a tile can wait in registers together with the accumulators of the next one.

    Args:
        accumulators: Registers of the sums.
        waiting: Registers of the tile that waits.
        consumers: Warpgroups that share them.
        target: What a CTA has of an SM.
        loaded_bytes: What the epilogue loads for each element.
    """
    needed = accumulators + waiting + machine.DEFERRAL_OVERHEAD + machine.CONSUMER_OVERHEAD
    needed += max(0, loaded_bytes // 2 - 1) * machine.LOADED_DEFERRAL_REGISTERS
    return needed <= most_consumer_registers(consumers, target)


def allows_deferral(overrides: PlanOverrides) -> bool:
    """Tell whether the fields that the user fixed let the store of a tile wait."""
    loops = overrides.specialize is not False and overrides.persistent is not False
    in_parts = overrides.epilogue_slots != 0 and overrides.epilogue_batch in (None, 1)
    return overrides.defer_stores is not False and loops and in_parts
