"""How many CTAs of a kernel without products share an SM. Pure Python."""

from tilec.plan import machine
from tilec.plan.model import KernelProblem
from tilec.plan.overrides import PlanOverrides
from tilec.request.target import Target

STEP_REGISTERS = 32
"""Registers of a thread in addition to one for each element of its tile: addresses, indices and
what a reduction hands over. Softmax of 32 elements a thread takes 52 to 64 in all (ptxas 13.0)."""


def room_on_sm(warps: int, elements: int, target: Target) -> int:
    """Return how many CTAs find registers on an SM: 0 if a thread would get fewer than it needs.

    Args:
        warps: Warps that compute.
        elements: Elements of the largest tile that a thread holds.
        target: Machine.
    """
    return target.registers_per_sm // (warps * machine.WARP_THREADS * (STEP_REGISTERS + elements))


def choose_blocks_per_sm(
    problem: KernelProblem,
    specialize: bool,
    warps: int,
    elements: int,
    target: Target,
    overrides: PlanOverrides,
) -> tuple[int, tuple[str, ...]]:
    """Return the least number of CTAs on an SM, and why unless there is nothing to choose.

    Args:
        problem: The kernel.
        specialize: Whether there is a producer warpgroup.
        warps: Warps that compute.
        elements: Elements of the largest tile that a thread holds.
        target: Machine.
        overrides: Fields that the user fixed.
    """
    if overrides.blocks_per_sm is not None:
        return overrides.blocks_per_sm, (overrides.fixed("blocks_per_sm"),)
    if not (problem.waits_for_tiles and problem.thread_bytes and problem.blocks_per_sm):
        return 1, ()
    if specialize:
        return 1, ()
    wanted = -(-machine.STREAM_FLIGHT_BYTES // problem.thread_bytes)
    blocks = max(1, min(wanted, room_on_sm(warps, elements, target)))
    if blocks == 1:
        return 1, ()
    why = f"{blocks * problem.thread_bytes} bytes of loads in flight, as a step waits for its tile"
    return blocks, (f"blocks_per_sm = {blocks}: {why}",)
