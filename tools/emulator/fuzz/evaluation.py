"""Evaluates a program directly in NumPy, block by block, from docs/language.md alone."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tools.emulator.fuzz import arithmetic
from tools.emulator.fuzz.memory import Memory, View
from tools.emulator.fuzz.program import (
    COORDINATES,
    Assign,
    Expression,
    For,
    If,
    Program,
    Return,
    Statement,
    Store,
    While,
)
from tools.emulator.fuzz.values import (
    FLOATS,
    NUMPY,
    Numbers,
    Value,
    cast,
    errors,
    inexact,
    is_float,
    promote,
    round_to,
    tidy,
    wide,
)

MOST_ROUNDS = 10_000
"""Rounds after which a loop is taken to be endless; drawn ones have a few."""


class _ReturnError(Exception):
    """The block has ended."""


class Block:
    """One block of the grid: its variables, and the memory that all blocks share."""

    def __init__(self, program: Program, memory: Memory, place: tuple[int, ...]) -> None:
        """Begin with the parameters and the coordinates `place`."""
        self.program, self.memory, self.fused = program, memory, True
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
        """Return the value of an expression."""
        return RULES[item.op](self, item)

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
    block.memory.view(item.access).store(index, tile)


def _for(block: Block, item: For) -> None:
    bounds = [block.scalar(bound) for bound in item.bounds]
    for count in range(*bounds):
        block.names[item.counter] = _index(count)
        block.run(item.body)


def _while(block: Block, item: While) -> None:
    for count in range(MOST_ROUNDS):
        block.names[item.counter] = _index(count)
        if count >= block.scalar(item.limit):
            return
        block.run(item.body)
    raise ValueError("an endless loop")


def _if(block: Block, item: If) -> None:
    block.run(item.then if block.scalar(item.condition) else item.otherwise)


def _return(block: Block, item: Return) -> None:
    raise _ReturnError


_STATEMENTS: dict[type, Callable[[Block, Any], None]] = {
    Assign: _assign,
    Store: _store,
    For: _for,
    While: _while,
    If: _if,
    Return: _return,
}


def _operands(block: Block, item: Expression) -> list[Value]:
    return [block.value(arg) for arg in item.args]


def _meet(item: Expression, values: list[Value]) -> str:
    """Return the type in which operands meet; a number has that of the others already."""
    known = [
        value.dtype
        for arg, value in zip(item.args, values, strict=True)
        if arg.op != "number" or arg.dtype in FLOATS
    ] or [value.dtype for value in values]
    result: str | None = known[0]
    for dtype in known[1:]:
        result = promote(result, dtype) if result is not None else None
    if result is None:
        raise TypeError(f"no common type of {known}")
    return result


def _number(block: Block, item: Expression) -> Value:
    if is_float(item.dtype):
        return Value(round_to(np.asarray(float(item.value)), item.dtype), item.dtype)
    return Value(np.asarray(item.value).astype(NUMPY[item.dtype]), item.dtype)


def _load(block: Block, item: Expression) -> Value:
    view: View = block.memory.view(item.value)
    return view.load(tuple(block.scalar(at) for at in item.args), item.shape, item.value.pad)


def _binary(block: Block, item: Expression) -> Value:
    left, right = _operands(block, item)
    result = arithmetic.binary(item.value, left, right, item.dtype)
    return result if block.fused else replace(result, unrounded=None)


def _compare(block: Block, item: Expression) -> Value:
    values = _operands(block, item)
    return arithmetic.compare(item.value, values[0], values[1], _meet(item, values))


def _logic(block: Block, item: Expression) -> Value:
    first = block.scalar(item.args[0])
    stops = bool(first) == (item.value == "or")
    return Value(np.asarray(bool(first if stops else block.scalar(item.args[1]))), "bool")


def _choose(block: Block, item: Expression) -> Value:
    condition, then, otherwise = item.args
    return cast(block.value(then if block.scalar(condition) else otherwise), item.dtype)


def _call(block: Block, item: Expression) -> Value:
    name, *keywords = item.value
    values = _operands(block, item)
    if name in ("minimum", "maximum", "min", "max"):
        op = {"min": "minimum", "max": "maximum"}.get(name, name)
        result = cast(values[0], item.dtype)
        for value in values[1:]:
            result = arithmetic.binary(op, result, value, item.dtype, propagate=bool(keywords))
        return result
    if name == "cdiv":
        return arithmetic.binary(name, values[0], values[1], item.dtype)
    if name == "fma":
        return arithmetic.fma(values[0], values[1], values[2], item.dtype)
    if name in ("floor", "ceil"):
        return arithmetic.rounding(name, values[0])
    if name == "abs":
        return arithmetic.unary(name, values[0])
    return arithmetic.function(name, values[0], approximate=bool(keywords))


def _where(block: Block, item: Expression) -> Value:
    mask, *rest = _operands(block, item)
    a, b = (cast(value, item.dtype) for value in rest)
    data = np.where(mask.data, a.data, b.data)
    error = errors(a, b)
    if error is None and mask.error is None:
        return Value(data, item.dtype)
    parts = [np.asarray(0.0 if value.error is None else value.error) for value in (a, b)]
    chosen = np.where(mask.data, *parts)
    if mask.error is not None:
        chosen = np.where(mask.error > 0, np.inf, chosen)
    return Value(data, item.dtype, tidy(np.broadcast_to(chosen, data.shape)))


def _shaped(change: Callable[[Block, Expression, Numbers], Numbers]) -> Callable[..., Value]:
    """Return the rule of an operation that moves elements and changes none."""

    def rule(block: Block, item: Expression) -> Value:
        value = block.value(item.args[0])
        error = None if value.error is None else change(block, item, value.error)
        return Value(change(block, item, value.data), value.dtype, error)

    return rule


def _full(block: Block, item: Expression) -> Value:
    value = cast(block.value(item.args[0]), item.dtype)
    error = None if value.error is None else np.full(item.shape, value.error)
    return Value(np.full(item.shape, value.data), item.dtype, error)


def _arange(block: Block, item: Expression) -> Value:
    return cast(Value(np.arange(item.shape[0], dtype=np.int32), "i32"), item.dtype)


def _cat(block: Block, item: Expression) -> Value:
    values = _operands(block, item)
    data = np.concatenate([value.data for value in values], axis=item.value)
    if all(value.error is None for value in values):
        return Value(data, item.dtype)
    parts = [np.zeros(value.data.shape) if value.error is None else value.error for value in values]
    return Value(data, item.dtype, np.concatenate(parts, axis=item.value))


def _extract(block: Block, item: Expression, data: Numbers) -> Numbers:
    index = [block.scalar(at) for at in item.args[1:]]
    ranges = zip(index, item.shape, strict=True)
    return data[tuple(slice(at * size, (at + 1) * size) for at, size in ranges)]


EXACT_SUMS = {"f32": 2.0**24, "f64": 2.0**53, "f16": 2.0**11}
"""Sums of whole numbers that stay below are exact in any order."""
SUM_UNITS = {"f32": 2.0**-22, "f64": 2.0**-52, "f16": 2.0**-10}
"""Error of one addition, relative to the sum of the sizes; tensor cores truncate."""
F8_UNITS = 2.0**-12
"""The same for sums of 8-bit floats, of which tensor cores keep 13 bits of each group."""


def _mma(block: Block, item: Expression) -> Value:
    a, b, acc = _operands(block, item)
    if acc.dtype == "i32":
        product = np.matmul(a.data.astype(np.int64), b.data.astype(np.int64))
        return Value((product + acc.data).astype(np.int32), "i32")
    left, right, start = wide(a), wide(b), wide(acc)
    nominal = np.matmul(left, right) + start
    bound = np.matmul(np.abs(left), np.abs(right)) + np.abs(start)
    whole = all(np.array_equal(part, np.rint(part)) for part in (left, right, start))
    exact = whole and bool((bound < EXACT_SUMS[acc.dtype]).all())
    unit = max(SUM_UNITS[acc.dtype], F8_UNITS if a.dtype.startswith("f8") else 0.0)
    error = np.zeros(nominal.shape) if exact else bound * unit * (left.shape[-1] + 1)
    if errors(a) is not None or errors(b) is not None:
        ea, eb = (
            np.zeros(part.data.shape) if part.error is None else part.error for part in (a, b)
        )
        error = error + np.matmul(ea, np.abs(right) + eb) + np.matmul(np.abs(left), eb)
    if acc.error is not None:
        error = error + acc.error
    error = np.where(np.isfinite(bound), error, np.inf)
    bound_of = tidy(error)
    if bound_of is None:
        return Value(round_to(nominal, acc.dtype), acc.dtype)
    return inexact(nominal, bound_of, acc.dtype)


Rules = Mapping[str, Callable[[Block, Expression], Value]]
RULES: Rules = {
    "number": _number,
    "name": lambda block, item: block.names[item.value],
    "load": _load,
    "binary": _binary,
    "compare": _compare,
    "logic": _logic,
    "unary": lambda block, item: arithmetic.unary(item.value, block.value(item.args[0])),
    "not": lambda block, item: Value(np.asarray(not block.scalar(item.args[0])), "bool"),
    "choose": _choose,
    "call": _call,
    "cast": lambda block, item: cast(block.value(item.args[0]), item.dtype),
    "where": _where,
    "full": _full,
    "arange": _arange,
    "expand": _shaped(lambda _, item, data: data.reshape(item.shape)),
    "reshape": _shaped(lambda _, item, data: data.reshape(item.shape)),
    "permute": _shaped(lambda _, item, data: np.transpose(data, item.value)),
    "transpose": _shaped(lambda _, item, data: np.swapaxes(data, -1, -2)),
    "broadcast": _shaped(lambda _, item, data: np.broadcast_to(data, item.shape)),
    "cat": _cat,
    "extract": _shaped(_extract),
    "mma": _mma,
}
"""What each operation means."""
