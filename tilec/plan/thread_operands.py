"""How operands of products that TMA cannot load get to shared memory. Pure Python.

Threads copy them into a ring some rounds ahead (`cp.async`). Or they load them into registers, a
round ahead or in the round that needs them, and store them to shared memory between two barriers.
Copies take two slots of the ring or more, and some instructions for each few bytes. Otherwise,
threads meet twice in a round, while nothing multiplies; tiles of the next round take registers, and
a loop that carries them is not divided among CTAs. Loops carry elements of 16 bits in pairs: where
threads load them one by one, they wait for them in the same round, to pack them. The planner takes
the way whose rounds are the shortest (docs/measurements/2026-11-27-copies-planned.md).
"""

from tilec.plan import machine
from tilec.plan.overrides import BY_USER
from tilec.request.target import Target
from tilec.support.fast_dataclasses import dataclass

NEXT_ROUND_REGISTERS = 32
"""Registers that a thread keeps at most for tiles of the next round: 128 rows of 128 elements of 16
bits, where two warpgroups share them (estimate)."""
WIDEST_COPY = 16
"""Bytes that a thread copies at once at most (PTX ISA, cp.async)."""
COPIED, AHEAD, AT_ONCE = "copies", "loads a round ahead", "loads in the same round"
"""The ways."""


@dataclass(frozen=True, slots=True)
class ThreadOperands:
    """What threads load for the products of a round.

    Attributes:
        mma_cycles: Cycles in which the tensor cores compute these products.
        warpgroups: Warpgroups that share them.
        size: Bytes of all tiles that threads load.
        elements: Elements of these tiles.
        copies: Instructions of a thread that copy all of them; 0 where threads cannot copy.
        packed: Whether a thread packs several of what it loads at a time into a register.
        ring_bytes: Bytes that TMA loads in a round.
        result_bytes: Bytes of the results, which may be staged next to the ring.
        splits: CTAs that were planned to share the k-tiles of a tile.
    """

    mma_cycles: float
    warpgroups: int
    size: int
    elements: int
    copies: int = 0
    packed: bool = False
    ring_bytes: int = 0
    result_bytes: int = 0
    splits: int = 1


@dataclass(frozen=True, slots=True)
class Way:
    """A way to shared memory, and the cycles of a k-tile, over the CTAs that share k-tiles."""

    name: str
    cycles: float


def copy_cycles(copies: float) -> float:
    """Return by how many cycles so many copies of a thread lengthen a round."""
    return copies * machine.THREAD_COPY_CYCLES


def rank_ways(operands: ThreadOperands, target: Target) -> list[Way]:
    """Return the ways that are possible, that with the shortest rounds first."""
    staged = operands.mma_cycles + operands.elements * machine.STAGED_CYCLES
    arriving = machine.COPY_CYCLES / max(1, _slots(operands, operands.ring_bytes, target))
    moved = operands.size * target.sm_count / machine.L2_BYTES_PER_CYCLE
    ways = [Way(AT_ONCE, (staged + machine.COPY_CYCLES + moved) / operands.splits)]
    threads = operands.warpgroups * machine.WARPGROUP_THREADS
    if operands.size <= 4 * threads * NEXT_ROUND_REGISTERS and not operands.packed:
        ways.append(Way(AHEAD, max(staged, arriving)))
    ahead = _slots(operands, operands.ring_bytes + operands.size, target) - 1
    if operands.copies and ahead > 0:
        copied = operands.mma_cycles + copy_cycles(operands.copies)
        ways.append(Way(COPIED, max(copied, machine.COPY_CYCLES / ahead) / operands.splits))
    return sorted(ways, key=lambda way: way.cycles)


def choose_copies(operands: ThreadOperands, target: Target, asked: bool | None) -> tuple[bool, str]:
    """Return whether threads copy operands some rounds ahead, and why.

    Args:
        operands: What threads could copy in a round.
        target: Machine.
        asked: What the user fixed, if anything.
    """
    best, *others = rank_ways(operands, target)
    copies = best.name == COPIED if asked is None else asked
    shared = f" of {operands.splits} splits" if operands.splits > 1 else ""
    why = f"k-tiles{shared} take {best.cycles:.0f} cycles with {best.name} of what TMA cannot load"
    for second in others[:1]:
        why += f"; runner-up: {second.cycles:.0f} with {second.name}"
    why = why if asked is None else BY_USER
    return copies, f"copy_rounds = {str(copies).lower()}: {why}"


def loads_ahead(operands: ThreadOperands, target: Target) -> bool:
    """Tell whether threads that do not copy keep what they load for the next round in registers."""
    ways = [way.name for way in rank_ways(operands, target)]
    return AHEAD in ways and ways.index(AHEAD) < ways.index(AT_ONCE)


def _slots(operands: ThreadOperands, slot: int, target: Target) -> int:
    """Return how many slots of so many bytes a ring has, next to what goes through registers."""
    parts = machine.EPILOGUE_SLOTS * operands.warpgroups * machine.EPILOGUE_PART_BYTES
    outside = machine.SHARED_RESERVE_BYTES + min(parts, operands.result_bytes)
    outside += operands.ring_bytes + operands.size - slot  # a buffer for what is not in the ring
    return max(0, target.shared_memory_bytes - outside) // slot if slot else machine.MAX_STAGES
