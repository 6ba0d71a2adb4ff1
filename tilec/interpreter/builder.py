"""Turns a kernel into closures over a frame, once, before any block of the grid runs.

Every SSA value gets a slot in a list (the frame). Every operation becomes a step: a closure that
reads its operand slots and writes its result slots. Running a block of the grid is then a plain
loop over steps; the IR is not touched again.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tilec.interpreter.registry import STRUCTURED_OPS, VALUE_OPS, Frame, Step
from tilec.support.diagnostics import InternalCompilerError

BLOCK_ID_SLOT = 0
"""Frame slot of the coordinates of the running block: three NumPy i32."""
GRID_SLOT = 1
"""Frame slot of the grid extents: three NumPy i32."""

TERMINATORS = frozenset({"cuda_tile.return", "cuda_tile.yield", "scf.yield", "scf.condition"})


class Region:
    """The steps of one IR block, its argument slots and the slots that its terminator names."""

    def __init__(
        self, steps: Sequence[Step], arguments: Sequence[int], yielded: Sequence[int]
    ) -> None:
        """Keep the parts as tuples; they never change."""
        self.steps = tuple(steps)
        self.arguments = tuple(arguments)
        self.yielded = tuple(yielded)

    def run(self, frame: Frame, arguments: Sequence[Any] = ()) -> list[Any]:
        """Execute the block with `arguments` and return what its terminator names."""
        for slot, value in zip(self.arguments, arguments, strict=True):
            frame[slot] = value
        for step in self.steps:
            step(frame)
        return [frame[slot] for slot in self.yielded]


class Builder:
    """Gives slots to values and builds the regions of one kernel."""

    def __init__(self) -> None:
        """Start with the two slots that every frame has."""
        self._slots: dict[Any, int] = {}
        self._count = 2

    @property
    def frame_size(self) -> int:
        """Number of slots given out so far."""
        return self._count

    def define(self, value: Any) -> int:
        """Give the result or block argument `value` a slot."""
        slot = self._slots[value] = self._count
        self._count += 1
        return slot

    def slot(self, value: Any) -> int:
        """Return the slot of a value that was defined before its use."""
        if value not in self._slots:
            raise InternalCompilerError(
                f"interpreter: a value is used before it is defined: {value}", op="operand"
            )
        return self._slots[value]

    def slots(self, values: Sequence[Any]) -> list[int]:
        """Return the slots of several values."""
        return [self.slot(value) for value in values]

    def region(self, block: Any) -> Region:
        """Build one IR block; its last operation must be a terminator."""
        arguments = [self.define(argument) for argument in block.arguments]
        *body, terminator = [op.operation for op in block.operations]
        if terminator.name not in TERMINATORS:
            raise unsupported(terminator)
        steps = [step for op in body if (step := self.step(op)) is not None]
        return Region(steps, arguments, self.slots(terminator.operands))

    def step(self, op: Any) -> Step | None:
        """Build the step of one operation; None when there is nothing to run."""
        if op.name in STRUCTURED_OPS:
            return STRUCTURED_OPS[op.name](op, self)
        if op.name not in VALUE_OPS:
            raise unsupported(op)
        function = VALUE_OPS[op.name](op)
        sources = self.slots(op.operands)
        results = [self.define(result) for result in op.results]
        return _bind(function, sources, results)


def unsupported(op: Any) -> InternalCompilerError:
    """Return the error for an operation that the interpreter has no rule for."""
    return InternalCompilerError(
        f"the CPU reference has no rule for operation '{op.name}' at {op.location}",
        pass_name="interpreter",
        op=op.name,
    )


def _bind(function: Callable[..., Any], sources: list[int], results: list[int]) -> Step:
    if len(results) != 1:
        return _bind_many(function, sources, results)
    result = results[0]
    if len(sources) == 1:
        return _bind_unary(function, sources[0], result)
    if len(sources) == 2:
        return _bind_binary(function, sources[0], sources[1], result)

    def step(frame: Frame) -> None:
        frame[result] = function(*[frame[slot] for slot in sources])

    return step


def _bind_unary(function: Callable[..., Any], source: int, result: int) -> Step:
    def step(frame: Frame) -> None:
        frame[result] = function(frame[source])

    return step


def _bind_binary(function: Callable[..., Any], lhs: int, rhs: int, result: int) -> Step:
    def step(frame: Frame) -> None:
        frame[result] = function(frame[lhs], frame[rhs])

    return step


def _bind_many(function: Callable[..., Any], sources: list[int], results: list[int]) -> Step:
    def step(frame: Frame) -> None:
        values = function(*[frame[slot] for slot in sources])
        for slot, value in zip(results, values, strict=True):
            frame[slot] = value

    return step
