"""Runs a grid: CTAs of clusters, whose warps take turns in a random order."""

import random
from collections.abc import Callable
from math import prod
from typing import Any

from tools.emulator.launched import Launched
from tools.emulator.memory import AccessError, GlobalMemory, SharedMemory
from tools.emulator.program import Program
from tools.emulator.warp import Action, Cta, Warp, is_jump

LANES = 32
_TURN = 400
"""Most statements of a turn of a warp."""
_CYCLES = 1000
"""Cycles of a round of turns."""
_LEAP, _LEAPS = 1 << 24, 1000
"""Cycles by which time leaps on while all threads only wait, and how often it does so."""
_HASTE = (0.0, 0.02, 0.1, 0.5)
"""How likely a copy in flight is over after a turn; at 0 it takes as long as it may."""


class DeadlockError(Exception):
    """No thread can continue."""


class EmulatedFaultError(Exception):
    """A statement did what ends a kernel, or what breaks a rule of PTX."""


class Run:
    """One launch."""

    def __init__(
        self, launched: Launched, actions: list[Action | None], memory: GlobalMemory, seed: int
    ) -> None:
        """Prepare the CTAs; `actions` perform the statements of the program."""
        self.launched = launched
        self.actions = actions
        self.memory = memory
        self.random = random.Random(seed)
        self.loads: list[Callable[[], None]] = []
        self.stores: list[Callable[[], None]] = []
        self.haste = self.random.choice(_HASTE), self.random.choice(_HASTE)
        self.ctas = self._make_ctas()
        self.clock = 0
        self.leaps = _LEAPS if launched.program.reads_clock else 0

    def _make_ctas(self) -> list[Cta]:
        launched, size = self.launched, prod(self.launched.cluster)
        ctas: list[Cta] = []
        for first in range(0, launched.blocks, size):
            cluster: list[Cta] = []
            for rank in range(size):
                shared = SharedMemory(launched.shared_bytes)
                cta = Cta(self, first + rank, rank, cluster, shared)
                cta.warps = [Warp(cta, index) for index in range(launched.threads // LANES)]
                cluster.append(cta)
            ctas += cluster
        return ctas

    def finish_store(self, copy: Callable[[], None]) -> None:
        """Let a copy out be over, if it is not yet."""
        if copy in self.stores:
            self.stores.remove(copy)
            copy()

    def _land(self, copies: list[Callable[[], None]]) -> bool:
        """Let one of the copies be over; tell whether there was one."""
        if copies:
            try:
                copies.pop(self.random.randrange(len(copies)))()
            except AccessError as failure:
                raise EmulatedFaultError(f"a copy in flight: {failure}") from failure
            return True
        return False

    def run(self) -> None:
        """Run all CTAs to their ends, and the copies in flight.

        Raises:
            DeadlockError: Some warps wait for what never comes.
            EmulatedFaultError: A rule is broken.
        """
        alive = [warp for cta in self.ctas for warp in cta.warps]
        idle = 0  # a warp that polls may have read before the last change and compare after it
        while alive:
            self.random.shuffle(alive)
            self.clock += _CYCLES
            moved = False
            for warp in alive:
                moved |= self._turn(warp)
                for copies, haste in zip((self.loads, self.stores), self.haste, strict=True):
                    if self.random.random() < haste:
                        moved |= self._land(copies)
            alive = [warp for warp in alive if not warp.done]
            idle = 0 if moved or self._land(self.loads) else idle + 1
            if idle > 1 and alive:
                self._leap(alive)
        while self.stores:
            self._land(self.stores)
        if self.clock < _LEAP:
            self._check_ending()

    def _leap(self, alive: list[Warp]) -> None:
        """Let time pass until some wait has lasted too long for the threads that read the clock."""
        if not self.leaps:
            raise DeadlockError(_describe(self, alive))
        self.leaps -= 1
        self.clock += _LEAP

    def _check_ending(self) -> None:
        """Check that nothing was left in flight that a thread should have waited for."""
        for cta in self.ctas:
            if any(group for warp in cta.warps for group in warp.products):
                raise EmulatedFaultError(f"CTA {cta.number} ends with wgmma in flight")
            for at, barrier in cta.shared.barriers.items():
                if barrier.tx or barrier.pending != barrier.count:
                    raise EmulatedFaultError(
                        f"mbarrier {at:#x}, CTA {cta.number}: ends in mid-phase"
                    )

    def _turn(self, warp: Warp) -> bool:
        program = self.launched.program
        try:
            return warp.run(program, self.actions, self.random.randrange(1, _TURN))
        except AccessError as failure:
            at = min(group.at for group in warp.groups)
            text = program.statements[at].text
            raise EmulatedFaultError(f"{warp.name}: {failure}: {text[:160]}") from failure


def _describe(run: Run, alive: list[Warp]) -> str:
    lines = ["no thread can continue:"]
    for warp in sorted(alive, key=lambda item: (item.cta.number, item.number)):
        for group in warp.groups:
            text = run.launched.program.statements[group.at].text
            lines.append(f"  {warp.name}, {int(group.lanes.sum())} lanes: {text[:120]}")
    return "\n".join(lines)


def make_actions(program: Program, build: Callable[[Program, Any], Action]) -> list[Action | None]:
    """Return what performs each statement; None for control flow."""
    return [
        None if is_jump(statement) else build(program, statement)
        for statement in program.statements
    ]
