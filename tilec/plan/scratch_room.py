"""Room for scratch areas next to the ring of a kernel with products. Pure Python.

A tile that changes its layout through shared memory needs an area there, which may take the place
of a slot. What a slot less costs has two parts. At the end of a tile fewer loads of the next one
are under way. And a slot is filled, read and filled again, one after the other: with few slots, a
round takes longer than its products.
"""

from tilec.plan import machine
from tilec.plan.model import KernelProblem, ScratchRoom
from tilec.plan.shared_memory import fitting_stages, ring_slot
from tilec.request.target import Target


def scratch_room(
    problem: KernelProblem, outside: int, stages: int, teams: int, target: Target
) -> ScratchRoom | None:
    """Return the room for scratch areas; None where there is no ring that needs it.

    A ring without products has no more slots than keep the memory busy, which are few bytes.

    Args:
        problem: The kernel.
        outside: Bytes outside of the ring, without scratch areas.
        stages: Slots of the ring.
        teams: Teams of consumers, each with an area.
        target: Machine.
    """
    if not (problem.mma and problem.stage_bytes) or stages < 1:
        return None
    slot = ring_slot(problem)
    free = (fitting_stages(problem, outside, target) - stages) * slot
    free += (target.shared_memory_bytes - machine.SHARED_RESERVE_BYTES - outside) % slot
    cycles = _ring_cycles(problem, max(stages - 1, _NO_SLOT)) - _ring_cycles(problem, stages)
    return ScratchRoom(max(0, free) // teams, slot // teams, round(cycles))


_NO_SLOT = 0.5
"""Slots of a kernel that does not fit: smaller tiles are planned for it."""


def _ring_cycles(problem: KernelProblem, slots: float) -> float:
    """Return the cycles of a tile that its loads take longer than its products."""
    volume = sum(tile.m * tile.n * tile.k * tile.element_bytes for tile in problem.mma)
    products = volume / machine.MMA_BYTES_PER_CYCLE
    filling = machine.COPY_CYCLES + problem.stage_bytes / machine.FILL_BYTES_PER_CYCLE
    waiting = max(0.0, (filling + products) / slots - products)
    return machine.RING_CYCLES / slots + machine.LOOP_ROUNDS * waiting
