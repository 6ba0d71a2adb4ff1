"""Follows the position of every ring through a role: which SSA value is the current one.

The simulation counts advances and takes for granted that every operation uses the position of its
place in the program. Whether it does is checked here, while the events are extracted: a value from
before an advance has the slot and the parity of an earlier round.
"""

from collections.abc import Callable
from typing import Any

from tilec.ir.structured import defining_operation, terminator

_OF_A_POSITION = ("nv_tileas.slot_view", "nv_tileas.ring_barrier")
"""Operations whose operands are a buffer or a ring and a position."""
Report = Callable[[Any, str], None]
"""Called with an operation and what is wrong with it."""


class Positions:
    """The walks of a kernel and their current positions.

    A walk begins at a `ring_start`; advances, loops and branches pass it on from value to value.
    """

    def __init__(self, report: Report) -> None:
        """Start without walks; `report` takes what is wrong."""
        self.rings: dict[int, int] = {}
        """The ring of each walk."""
        self._report = report
        self._starts: dict[int, Any] = {}
        self._walks: dict[Any, int] = {}
        self._current: dict[int, Any] = {}

    def add_start(self, op: Any, ring: int) -> None:
        """Number the walk that `ring_start` operation `op` begins on ring number `ring`."""
        walk = len(self.rings)
        self.rings[walk] = ring
        self._starts[walk] = op.results[0]
        self._move(walk, op.results[0])

    def restart(self) -> None:
        """Go back to the starts of all walks, to read another role or team."""
        self._current = dict(self._starts)

    def walk(self, position: Any) -> int:
        """Return the walk that a position belongs to."""
        return self._walks[position]

    def use(self, op: Any, position: Any) -> int:
        """Check that `op` uses the current position of a walk; return the walk."""
        walk = self._walks[position]
        if self._current[walk] != position:
            name = op.name.removeprefix("nv_tileas.")
            self._report(
                op, f"{name} uses another position of ring {self.rings[walk]} than the current one"
            )
        return walk

    def use_in(self, op: Any, ring: int) -> int:
        """Check a ring operation, whose operands are a ring and a position; return the walk."""
        walk = self.use(op, op.operands[1])
        if self.rings[walk] != ring:
            name = op.name.removeprefix("nv_tileas.")
            self._report(op, f"{name} on ring {ring} uses a position of ring {self.rings[walk]}")
        return walk

    def use_of(self, op: Any, value: Any) -> int:
        """Check that the slot or barrier `value` that `op` uses is of the current position."""
        source = defining_operation(value)
        if source is None or source.name not in _OF_A_POSITION:
            short = op.name.removeprefix("nv_tileas.")
            self._report(op, f"{short} expects a slot or a barrier at a position of a ring")
            return 0
        return self.use(op, source.operands[1])

    def advance(self, op: Any) -> None:
        """Move on to the result of an operation that moves position operand 1, `op`."""
        self._move(self._walks[op.operands[1]], op.results[0])

    def read_for(self, op: Any, read: Callable[[Any], Any]) -> Any:
        """Read the body of an `scf.for` with `read`; return what it returns."""
        body = op.regions[0].blocks[0]
        before = dict(self._current)
        carried = self._pass_on(op, list(op.operands)[3:], list(body.arguments)[1:])
        nodes = read(body)
        self._pass_on(terminator(body), list(terminator(body).operands), list(op.results))
        self._check_carried(op, before, carried)
        return nodes

    def read_while(self, op: Any, read: Callable[[Any], Any]) -> list[Any]:
        """Read both blocks of an `scf.while` with `read`; return what it returns for each."""
        first, second = (region.blocks[0] for region in op.regions)
        before = dict(self._current)
        carried = self._pass_on(op, list(op.operands), list(first.arguments))
        nodes = [read(first)]
        condition = terminator(first)
        forwarded = list(condition.operands)[1:]
        carried &= self._pass_on(condition, forwarded, list(second.arguments))
        nodes.append(read(second))
        last = terminator(second)
        carried &= self._pass_on(last, list(last.operands), list(first.arguments))
        self._check_carried(op, before, carried)
        for value, result in zip(forwarded, op.results, strict=True):
            if value in self._walks:
                self._move(self._walks[value], result)
        return nodes

    def read_if(self, op: Any, read: Callable[[Any], Any]) -> list[Any]:
        """Read the branches of an `scf.if` with `read`; return what it returns for each."""
        before = dict(self._current)
        nodes: list[Any] = []
        for region in op.regions:
            self._current = dict(before)
            if not len(region.blocks):
                nodes.append(())
                continue
            nodes.append(read(region.blocks[0]))
            last = terminator(region.blocks[0])
            carried = self._pass_on(last, list(last.operands), list(op.results))
            self._check_carried(op, before, carried)
        return nodes

    def _pass_on(self, op: Any, values: list[Any], targets: list[Any]) -> set[int]:
        """Let `targets` take over from `values`, operands of `op`; return their walks."""
        found: set[int] = set()
        for value, target in zip(values, targets, strict=True):
            if value in self._walks:
                walk = self.use(op, value)
                if self._walks.get(target, walk) != walk:
                    self._report(op, f"a position of ring {self.rings[walk]} changes its ring")
                self._move(walk, target)
                found.add(walk)
        return found

    def _check_carried(self, op: Any, before: dict[int, Any], carried: set[int]) -> None:
        for walk, value in before.items():
            if walk not in carried and self._current[walk] != value:
                ring = self.rings[walk]
                self._report(op, f"{op.name} does not carry the position of ring {ring} it moves")

    def _move(self, walk: int, value: Any) -> None:
        self._walks[value] = walk
        self._current[walk] = value
