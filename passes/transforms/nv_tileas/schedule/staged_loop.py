"""A loop whose operations have stages: what it carries from one round to the next."""

from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.structured import defining_operation, terminator
from tilec.ir.values import users_of
from tilec.passes.analysis.schedule.loop_graph import loop_operations, operands_of
from tilec.passes.analysis.schedule.marks import stage_of

CONSTANT = "arith.constant"

Values = dict[Any, Any]
"""By a value of the loop, what stands for it."""


class StagedLoop:
    """A loop whose operations have stages.

    Attributes:
        loop: The loop.
        ops: Its operations, in the order of a round.
        stages: The stage of each of them.
        induction: The number of an iteration.
        carried: What a round takes from the one before, and what it passes on for that.
        crossing: What stage 1 reads of the iteration whose stage 0 was done a round before.
    """

    def __init__(self, loop: Any, ops: list[Any] | None = None) -> None:
        """Read the stages of `loop`, whose rounds have the order `ops`; None for program order."""
        self.loop = loop
        self.ops = loop_operations(loop) if ops is None else ops
        self.stages = {op: stage_of(op) or 0 for op in self.ops}
        block = loop.regions[0].blocks[0]
        self.induction, *arguments = block.arguments
        self.carried = dict(zip(arguments, terminator(block).operands, strict=True))
        self.crossing = self._crossing()

    def values_before(self, values: list[Any]) -> Values:
        """Return what stage 1 reads, given what a round gets or what the last one passes on."""
        before: Values = dict(zip(self.carried, values, strict=False))
        return before | dict(zip(self.crossing, values[len(self.carried) :], strict=True))

    def stage(self, value: Any) -> int:
        """Return the stage that makes a value; 0 for what comes from outside of the loop."""
        seen: set[Any] = set()
        while value in self.carried and value not in seen:
            seen.add(value)
            value = self.carried[value]
        op = defining_operation(value)
        return 0 if op is None else self.stages.get(op, 0)

    def is_inside(self, value: Any) -> bool:
        """Tell whether each iteration has a value of its own."""
        if isinstance(value, ir.BlockArgument):
            return value == self.induction or value in self.carried
        return value.owner.operation in self.stages

    def sink(self) -> None:
        """Move to stage 1 what only stage 1 reads, where that carries nothing more.

        The loop then carries one scalar for several that are computed from it, for example.
        """
        for op in reversed(self.ops):
            users = {user for value in op.results for user in users_of(value)}
            late = bool(users) and all(self.stages.get(user) == 1 for user in users)
            if late and self.stages[op] == 0 and not op.regions:
                inputs = filter(self.is_inside, op.operands)
                if all(value in self.crossing or self.stage(value) for value in inputs):
                    self.stages[op] = 1
        self.crossing = self._crossing()

    def _crossing(self) -> list[Any]:
        """Return the values of stage 0 that operations of stage 1 read, without duplicates."""
        found: dict[Any, None] = {}
        for op in self.ops:
            for value in operands_of(op) if self.stages[op] else ():
                if self.is_inside(value) and not self.stage(value):
                    found[value] = None
        return list(found)
