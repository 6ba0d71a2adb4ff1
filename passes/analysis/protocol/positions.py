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
    """The cursors of a kernel and their current positions.

    A cursor begins at a `ring_start` and moves through the slots of its ring: advances, loops and
    branches pass it on from value to value.
    """

    def __init__(self, report: Report) -> None:
        """Start without cursors; `report` takes what is wrong."""
        self.rings: dict[int, int] = {}
        """The ring of each cursor."""
        self._report = report
        self._starts: dict[int, Any] = {}
        self._cursors: dict[Any, int] = {}
        self._current: dict[int, Any] = {}

    def add_start(self, op: Any, ring: int) -> None:
        """Number the cursor that `ring_start` operation `op` begins on ring number `ring`."""
        cursor = len(self.rings)
        self.rings[cursor] = ring
        self._starts[cursor] = op.results[0]
        self._move(cursor, op.results[0])

    def restart(self) -> None:
        """Go back to the starts of all cursors, to read another role or team."""
        self._current = dict(self._starts)

    def cursor(self, position: Any) -> int:
        """Return the cursor that a position belongs to."""
        return self._cursors[position]

    def use(self, op: Any, position: Any) -> int:
        """Check that `op` uses the current position of a cursor; return the cursor."""
        cursor = self._cursors[position]
        if self._current[cursor] != position:
            name = op.name.removeprefix("nv_tileas.")
            self._report(
                op,
                f"{name} uses another position of ring {self.rings[cursor]} than the current one",
            )
        return cursor

    def use_in(self, op: Any, ring: int) -> int:
        """Check a ring operation, whose operands are a ring and a position; return the cursor."""
        cursor = self.use(op, op.operands[1])
        if self.rings[cursor] != ring:
            name = op.name.removeprefix("nv_tileas.")
            self._report(op, f"{name} on ring {ring} uses a position of ring {self.rings[cursor]}")
        return cursor

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
        self._move(self._cursors[op.operands[1]], op.results[0])

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
            if value in self._cursors:
                self._move(self._cursors[value], result)
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
        """Let `targets` take over from `values`, operands of `op`; return their cursors."""
        found: set[int] = set()
        for value, target in zip(values, targets, strict=True):
            if value in self._cursors:
                cursor = self.use(op, value)
                if self._cursors.get(target, cursor) != cursor:
                    self._report(op, f"a position of ring {self.rings[cursor]} changes its ring")
                self._move(cursor, target)
                found.add(cursor)
        return found

    def _check_carried(self, op: Any, before: dict[int, Any], carried: set[int]) -> None:
        for cursor, value in before.items():
            if cursor not in carried and self._current[cursor] != value:
                ring = self.rings[cursor]
                self._report(op, f"{op.name} does not carry the position of ring {ring} it moves")

    def _move(self, cursor: int, value: Any) -> None:
        self._cursors[value] = cursor
        self._current[cursor] = value
