"""One warp: registers of 32 lanes, groups of lanes that are at the same statement, control flow."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

import numpy as np

from tools.emulator import scalar
from tools.emulator.launched import Launched
from tools.emulator.memory import AccessError, GlobalMemory, MBarrier, SharedMemory
from tools.emulator.program import Program, Statement
from tools.emulator.scalar import LANES, Lanes, storage

Mask = Any
"""Lanes that take part: an array of bool, or None for all of them."""
Action = Callable[["Warp", Mask], bool]
"""Performs a statement; False when the warp has to wait and to try again."""
WARPGROUP = 4
"""Warps of a warpgroup."""
ALL = np.ones(LANES, bool)
_ALL, _NONE = b"\1" * LANES, bytes(LANES)
"""The bytes of masks: to compare them is ten times quicker than `all` and `any` of NumPy."""
_REGISTER = re.compile(r"%[a-zA-Z]+\d+|[A-Za-z_]\w*@\d+|%SPL?")


class Launch(Protocol):
    """What warps see of the launch that they belong to (`tools.emulator.machine.Run`)."""

    launched: Launched
    memory: GlobalMemory
    loads: list[Callable[[], None]]
    stores: list[Callable[[], None]]
    clock: int

    def finish_store(self, copy: Callable[[], None]) -> None:
        """Let a store in flight be over."""
        ...


@dataclass
class NamedBarrier:
    """A named barrier: threads that have come in this round."""

    threads: int = 0
    expected: int = 0
    round: int = 0

    def come(self, expected: int) -> None:
        """Count a warp, which says how many threads the barrier expects."""
        if self.threads and self.expected != expected:
            raise AccessError(f"{expected} and {self.expected} threads at one barrier")
        self.expected = expected
        self.threads += LANES

    def settle(self) -> None:
        """Begin the next round if all have come."""
        if self.threads == self.expected:
            self.threads, self.round = 0, self.round + 1


@dataclass
class Warpgroup:
    """Four warps that issue wgmma together: who has come to the next one."""

    waiting: set[int] = field(default_factory=set)
    issued: int = 0


@dataclass(eq=False)
class Cta:
    """A CTA and what its warps share."""

    run: Launch
    number: int
    rank: int
    cluster: "list[Cta]"
    shared: SharedMemory
    warps: list["Warp"] = field(default_factory=list)
    named: dict[int, NamedBarrier] = field(default_factory=dict)
    warpgroups: dict[int, Warpgroup] = field(default_factory=dict)
    free_registers: int = 0
    """Registers that warps have given back."""


@dataclass
class Group:
    """Lanes at one statement."""

    at: int
    lanes: Any
    full: bool = True


_POLL = 50
"""Most statements between two naps of a warp that polls."""


@dataclass(eq=False)
class Warp:
    """A warp of a CTA."""

    cta: Cta
    number: int
    registers: dict[str, Lanes] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)
    local: Any = None
    carry: Any = None
    waits_at: tuple[int, int] | None = None
    """Named barrier that it has come to, and the round of it."""
    awaited: tuple[MBarrier, int] | None = None
    """Mbarrier that it has waited at last, and the phase that was not over."""
    cluster_arrivals: int = 0
    issued: int = 0
    """Number of wgmma that it has issued."""
    products: list[list[Any]] = field(default_factory=lambda: [[]])
    """Operands in shared memory of each group of wgmma in flight; the last group is open."""
    flying: dict[str, int] = field(default_factory=dict)
    """Registers of wgmma in flight, with the number of the group."""
    multiplied: dict[str, int] = field(default_factory=dict)
    """Registers of A of wgmma in flight, with the number of the group."""
    groups_issued: int = 0
    bulk: dict[int, list[list[Any]]] = field(default_factory=dict)
    """Groups of copies out of each lane; the last one is open."""
    copies: list[Any] = field(default_factory=list)
    """Copies to shared memory that its lanes have started, and that are not there."""
    awake: int = 0
    """Statements since it slept last."""
    held: int | None = None
    """Registers of a thread since the last `setmaxnreg`."""

    def __post_init__(self) -> None:
        """Begin with all lanes at the first statement."""
        self.groups = [Group(0, ALL)]

    @property
    def done(self) -> bool:
        """Whether all lanes have returned."""
        return not self.groups

    @property
    def name(self) -> str:
        """Name for messages."""
        return f"CTA {self.cta.number}, warp {self.number}"

    def read(self, name: str, kind: str) -> Lanes:
        """Return a register as values of a type."""
        value = self.registers.get(name)
        if value is None:  # a value that LLVM leaves undefined
            return scalar.undefined(kind)
        if self.flying and name in self.flying:
            raise AccessError(f"{name} is read while a wgmma may still write it")
        if kind == "pred":
            return value
        parts = value.view(scalar.TYPES[kind])
        count = len(parts)
        return parts if count == LANES else parts[:: count // LANES]  # a narrow type: the low part

    def write(self, name: str, value: Lanes, mask: Mask) -> None:
        """Set a register in the lanes of `mask`."""
        if name == "_":
            return
        if self.multiplied and name in self.multiplied:
            raise AccessError(f"{name} is written while a wgmma may still read it")
        kind = value.dtype.kind
        if kind not in "ub" or not value.flags.c_contiguous:
            value = storage(value)
        if mask is not None:
            value = np.where(mask, value, self.registers.get(name, value))
        self.registers[name] = value

    def run(self, program: Program, actions: list[Action | None], budget: int) -> bool:
        """Perform up to `budget` statements; tell whether they did more than poll.

        A warp that sleeps ends its turn: what it polls for is up to others.
        """
        if self._still_waits():
            return False
        self.awaited = None
        moved = False
        waiting: set[int] = set()
        for _ in range(budget):
            if not self.groups:
                break
            group = self._next_group(program, waiting)
            statement = program.statements[group.at]
            mask, is_on = None if group.full else group.lanes, True
            if statement.guard:
                mask, is_on = self._guarded(statement, group)
            action = actions[group.at]
            if not is_on:
                group.at += 1
            elif action is None:
                self._jump(program, statement, group, ALL if mask is None else mask)
            elif action(self, mask):
                group.at += 1
            elif group.at in waiting or len(self.groups) == 1:
                return moved
            else:  # the other lanes may have to issue what these wait for
                waiting.add(group.at)
                continue
            self.awake += 1
            if statement.sleeps:
                polled, self.awake = self.awake <= _POLL, 0
                return moved and not polled
            moved = True
        return moved

    def _still_waits(self) -> bool:
        """Tell whether all lanes would only try again what they waited for in their last turn."""
        if self.awaited is None or len(self.groups) != 1:
            return False
        barrier, phase = self.awaited
        return barrier.phase == phase

    def _guarded(self, statement: Statement, group: Group) -> tuple[Mask, bool]:
        """Return which lanes of a group perform a statement with a guard, and whether any does."""
        guard = self.registers[statement.guard]
        lanes = ~guard if statement.inverted else guard
        if not group.full:
            lanes = lanes & group.lanes
        found = lanes.tobytes()
        return (None if found == _ALL else lanes), found != _NONE

    def _next_group(self, program: Program, waiting: set[int]) -> Group:
        """Return the lanes to go on with: those at the earliest statement, all of them together.

        Lanes at a statement that takes the whole warp wait there for the others, and those that
        have tried a statement in `waiting` let the others go first.
        """
        if len(self.groups) == 1:
            return self.groups[0]
        places = sorted({group.at for group in self.groups})
        free = [at for at in places if not program.statements[at].converges]
        ready = [at for at in free if at not in waiting]
        first = (ready or free or places)[0]
        here = [group for group in self.groups if group.at == first]
        if len(here) > 1:
            lanes = np.logical_or.reduce([group.lanes for group in here])
            rest = [group for group in self.groups if group.at != first]
            here = [Group(first, lanes, bool(lanes.all()))]
            self.groups = [*here, *rest]
        return here[0]

    def _jump(self, program: Program, statement: Statement, group: Group, lanes: Any) -> None:
        """Move the lanes that take a branch, or end them; the others go on."""
        rest = group.lanes & ~lanes
        if statement.opcode[0] == "bra" and rest.tobytes() == _NONE:
            group.at = program.labels[statement.operands[0]]
            return
        self.groups.remove(group)
        if rest.any():
            self.groups.append(Group(group.at + 1, rest, bool(rest.all())))
        for label, taking in self._targets(program, statement, lanes):
            if taking.any():
                self.groups.append(Group(program.labels[label], taking, bool(taking.all())))

    def _targets(
        self, program: Program, statement: Statement, lanes: Any
    ) -> Iterator[tuple[str, Any]]:
        """Yield where the lanes that take a branch go."""
        if statement.opcode[0] == "bra":
            yield statement.operands[0], lanes
        elif statement.opcode[0] == "brx":
            number = self.registers[statement.operands[0]]
            for index, label in enumerate(program.tables[statement.operands[1]]):
                yield label, lanes & (number == index)


def is_jump(statement: Statement) -> bool:
    """Tell whether a statement is control flow, which the warp performs itself."""
    return statement.opcode[0] in ("bra", "brx", "ret", "exit")


@cache
def is_register(text: str) -> bool:
    """Tell whether an operand is a register."""
    return _REGISTER.fullmatch(text) is not None
