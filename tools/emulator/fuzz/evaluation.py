"""Evaluates a program directly in NumPy, block by block, from docs/language.md alone."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tools.emulator.fuzz import elements, open_sums
from tools.emulator.fuzz.memory import Memory
from tools.emulator.fuzz.program import (
    COORDINATES,
    Assign,
    Expression,
    For,
    If,
    Jump,
    Program,
    Scatter,
    Statement,
    Store,
    While,
)
from tools.emulator.fuzz.rules import RULES
from tools.emulator.fuzz.values import NUMPY, Value

MOST_ROUNDS = 10_000
"""Rounds after which a loop is taken to be endless; drawn ones have a few."""


class _ReturnError(Exception):
    """The block has ended."""


class _BreakError(Exception):
    """The loop has ended."""


class _ContinueError(Exception):
    """The round of the loop has ended."""


_JUMPS = {"return": _ReturnError, "break": _BreakError, "continue": _ContinueError}


class Block:
    """One block of the grid: its variables, and the memory that all blocks share."""

    def __init__(self, program: Program, memory: Memory, place: tuple[int, ...]) -> None:
        """Begin with the parameters and the coordinates `place`."""
        self.program, self.memory, self.fused = program, memory, True
        self._relaxed = False
        self.names: dict[str, Value] = {
            item.name: Value(np.asarray(NUMPY[item.dtype](item.value)), item.dtype)
            for item in program.scalars
        }
        self.names |= {dim: _index(size) for dim, size in program.sizes.items()}
        self.names |= {name: _index(at) for name, at in zip(COORDINATES, place, strict=False)}

    def run(self, body: tuple[Statement, ...]) -> None:
        """Perform statements."""
        for item in body:
            _STATEMENTS[type(item)](self, item)

    def value(self, item: Expression) -> Value:
        """Return the value of an expression.

        What is computed from a relaxed f32 is relaxed: a compiler may do without its last digits.
        """
        before, self._relaxed = self._relaxed, False
        found = RULES[item.op](self, item)
        if self._relaxed and found.dtype == "f32" and not found.relaxed:
            found = replace(found, relaxed=True)
        self._relaxed = before or found.relaxed
        return found

    def scalar(self, item: Expression) -> int:
        """Return the value of an integer scalar or of a condition."""
        found = self.value(item)
        if found.error is not None:
            raise ValueError("control flow depends on a value that is not exact")
        return int(found.data)


def evaluate(program: Program, memory: Memory, *, fused: bool = True) -> None:
    """Run a program on `memory`, whose elements are replaced by what it stores.

    Args:
        program: The program.
        memory: Its arrays.
        fused: Whether a product that is added may be left unrounded, as compiled code does.
    """
    with np.errstate(all="ignore"):
        extents = [_extent(program, item) for item in program.grid]
        for place in itertools.product(*map(range, extents)):
            block = Block(program, memory, place)
            block.fused = fused
            try:
                block.run(program.body)
            except _ReturnError:
                continue


def _extent(program: Program, item: Expression) -> int:
    """Return an extent of the grid, which the host computes: integers of any size."""
    if item.op == "number":
        return item.value
    if item.op == "name":
        return program.sizes[item.value]
    left, right = (_extent(program, arg) for arg in item.args)
    if item.op == "call":
        return -(-left // right)
    return left * right


def _index(number: int) -> Value:
    return Value(np.asarray(np.int32(number)), "i32")


def _assign(block: Block, item: Assign) -> None:
    block.names[item.target] = block.value(item.value)


def _store(block: Block, item: Store) -> None:
    tile = block.value(item.tile)
    index = tuple(block.scalar(at) for at in item.index)
    view = block.memory.view(item.access)
    view.store(index, open_sums.combine(view, index, item.atomic, tile))


def _for(block: Block, item: For) -> None:
    bounds = [block.scalar(bound) for bound in item.bounds]
    for count in range(*bounds):
        block.names[item.counter] = _index(count)
        if not _round(block, item.body):
            return


def _while(block: Block, item: While) -> None:
    for count in range(MOST_ROUNDS):
        block.names[item.counter] = _index(count)
        if count >= block.scalar(item.limit):
            return
        if not _round(block, item.body):
            return
    raise ValueError("an endless loop")


def _if(block: Block, item: If) -> None:
    block.run(item.then if block.scalar(item.condition) else item.otherwise)


def _jump(block: Block, item: Jump) -> None:
    raise _JUMPS[item.word]


def _round(block: Block, body: tuple[Statement, ...]) -> bool:
    """Run one round of a loop; tell whether the loop goes on."""
    try:
        block.run(body)
    except _ContinueError:
        return True
    except _BreakError:
        return False
    return True


def _scatter(block: Block, item: Scatter) -> None:
    values = [block.value(arg) for arg in item.args]
    found = elements.change(block.memory, item, values)
    if item.target:
        block.names[item.target] = found


_STATEMENTS: dict[type, Callable[[Block, Any], None]] = {
    Assign: _assign,
    Store: _store,
    For: _for,
    While: _while,
    If: _if,
    Jump: _jump,
    Scatter: _scatter,
}
