"""What performs `cp.async`: copies to shared memory that threads start, and their arrivals.

Sources: PTX ISA, `cp.async` and `cp.async.mbarrier.arrive`. A copy is there some time later; it
writes through the generic proxy.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tools.emulator.errors import UnsupportedError
from tools.emulator.memory import AccessError, MBarrier
from tools.emulator.operands import address, source
from tools.emulator.program import Program, Statement
from tools.emulator.scalar import Lanes
from tools.emulator.warp import ALL, Action, Mask, Warp


class ThreadCopy:
    """What the lanes of a warp copy by one instruction.

    Attributes:
        arrivals: What arrives when it is there, and whatever else it waits for.
    """

    def __init__(self, warp: Warp, places: Any, sources: Lanes, sizes: Lanes) -> None:
        """Start to copy.

        Args:
            warp: The warp.
            places: Places in shared memory of the bytes of each lane.
            sources: Addresses in global memory, by lane.
            sizes: How many bytes of each lane are copied; the others become zeros.
        """
        self.warp, self.places, self.sources, self.sizes = warp, places, sources, sizes
        self.arrivals: list[_Arrival] = []

    def __call__(self) -> None:
        """Let it be there."""
        cta, width = self.warp.cta, self.places.shape[-1]
        for place, start, size in zip(self.places, self.sources, self.sizes, strict=True):
            data = np.zeros(width, np.uint8)
            if size:
                data[: int(size)] = cta.run.memory.read(start, int(size))
            cta.shared.data[place] = data
        cta.shared.proxies.land(self.places.reshape(-1))
        self.warp.copies.remove(self)
        for arrival in self.arrivals:
            arrival.note(self)


class _Arrival:
    """Lanes that arrive at an mbarrier when all of some copies are there."""

    def __init__(self, barrier: MBarrier, lanes: int, copies: list[ThreadCopy]) -> None:
        self.barrier, self.lanes, self.copies = barrier, lanes, list(copies)
        for copy in copies:
            copy.arrivals.append(self)
        self._settle()

    def note(self, copy: ThreadCopy) -> None:
        """Note that a copy is there."""
        self.copies.remove(copy)
        self._settle()

    def _settle(self) -> None:
        if not self.copies:
            self.barrier.arrive(self.lanes)


def copy(program: Program, statement: Statement) -> Action:
    """Build a copy of 4, 8 or 16 bytes for each lane."""
    target, where, number, *rest = statement.operands
    to, start, width = address(program, target), address(program, where), int(number)
    if width not in (4, 8, 16) or (width != 16 and "cg" in statement.opcode):
        raise UnsupportedError(statement.text)
    copied = source(program, rest[0], "u32") if rest else None

    def act(warp: Warp, mask: Mask) -> bool:
        lanes = np.nonzero(ALL if mask is None else mask)[0]
        sources = start(warp).view(np.uint64)[lanes]
        sizes = np.full(len(lanes), width) if copied is None else copied(warp)[lanes]
        if (sizes > width).any():
            raise AccessError(f"more than {width} bytes are copied")
        aligned = to(warp)[lanes]
        if (aligned % width).any() or (sources % width).any():
            raise AccessError(f"a copy of {width} bytes is not aligned")
        places = warp.cta.shared.index(aligned, width)
        made = ThreadCopy(warp, places, sources, sizes)
        warp.copies.append(made)
        warp.cta.run.loads.append(made)
        return True

    return act


def arrive(program: Program, statement: Statement) -> Action:
    """Build the arrival of each lane when its copies are there."""
    if "noinc" not in statement.opcode:
        raise UnsupportedError(statement.text)
    get = address(program, statement.operands[0])

    def act(warp: Warp, mask: Mask) -> bool:
        lanes = np.nonzero(ALL if mask is None else mask)[0]
        places = get(warp)[lanes]
        for at in dict.fromkeys(places.tolist()):
            count = int(np.count_nonzero(places == at))
            _Arrival(warp.cta.shared.barrier(int(at)), count, warp.copies)
        return True

    return act


ACTIONS: dict[str, Callable[[Program, Statement], Action]] = {
    "cp.async.mbarrier.arrive": arrive,
    "cp.async.ca.shared": copy,
    "cp.async.cg.shared": copy,
}
"""By the beginning of the opcode."""
