"""What each kind of expression means: from the values of its operands to its value."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np

from tools.emulator.fuzz import arithmetic, elements
from tools.emulator.fuzz.conversions import convert
from tools.emulator.fuzz.folds import EXACT_SUMS, fold
from tools.emulator.fuzz.memory import Memory, View
from tools.emulator.fuzz.program import Expression
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
    spoiled,
    tidy,
    wide,
)


class Frame(Protocol):
    """A block of the grid, as rules see it.

    Attributes:
        memory: What all blocks share.
        names: Its variables.
        fused: Whether a product that is added may be left unrounded, as compiled code does.
    """

    memory: Memory
    names: dict[str, Value]
    fused: bool

    def value(self, item: Expression) -> Value:
        """Return the value of an expression."""
        ...

    def scalar(self, item: Expression) -> int:
        """Return the value of an integer scalar or of a condition."""
        ...


def _operands(block: Frame, item: Expression) -> list[Value]:
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


def _number(block: Frame, item: Expression) -> Value:
    if is_float(item.dtype):
        return Value(round_to(np.asarray(float(item.value)), item.dtype), item.dtype)
    return Value(np.asarray(item.value).astype(NUMPY[item.dtype]), item.dtype)


def _load(block: Frame, item: Expression) -> Value:
    view: View = block.memory.view(item.value)
    return view.load(tuple(block.scalar(at) for at in item.args), item.shape, item.value.pad)


def _binary(block: Frame, item: Expression) -> Value:
    left, right = _operands(block, item)
    result = arithmetic.binary(item.value, left, right, item.dtype)
    return result if block.fused else replace(result, unrounded=None)


def _compare(block: Frame, item: Expression) -> Value:
    values = _operands(block, item)
    return arithmetic.compare(item.value, values[0], values[1], _meet(item, values))


def _logic(block: Frame, item: Expression) -> Value:
    first = block.scalar(item.args[0])
    stops = bool(first) == (item.value == "or")
    return Value(np.asarray(bool(first if stops else block.scalar(item.args[1]))), "bool")


def _choose(block: Frame, item: Expression) -> Value:
    condition, then, otherwise = item.args
    return cast(block.value(then if block.scalar(condition) else otherwise), item.dtype)


def _call(block: Frame, item: Expression) -> Value:
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
    if name == "atan2":
        return arithmetic.angle(values[0], values[1], item.dtype)
    if name in ("isnan", "isinf"):
        return arithmetic.test(name, values[0])
    if name == "fma":
        return arithmetic.fma(values[0], values[1], values[2], item.dtype)
    if name in arithmetic.ROUNDINGS:
        return arithmetic.rounding(name, values[0])
    if name == "abs":
        return arithmetic.unary(name, values[0])
    return arithmetic.function(name, values[0], approximate=bool(keywords))


def _where(block: Frame, item: Expression) -> Value:
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


def _shaped(change: Callable[[Frame, Expression, Numbers], Numbers]) -> Callable[..., Value]:
    """Return the rule of an operation that moves elements and changes none."""

    def rule(block: Frame, item: Expression) -> Value:
        value = block.value(item.args[0])
        error = None if value.error is None else change(block, item, value.error)
        return Value(change(block, item, value.data), value.dtype, error)

    return rule


def _gather(block: Frame, item: Expression) -> Value:
    values = _operands(block, item)
    return elements.gather(block.memory, item.value, values, item.shape)


def _bitcast(block: Frame, item: Expression) -> Value:
    value = block.value(item.args[0])
    data = np.ascontiguousarray(value.data).view(NUMPY[item.dtype]).reshape(item.shape)
    if is_float(value.dtype):  # which bits a NaN has is open
        value = replace(value, error=arithmetic.loose_numbers(value))
    return spoiled(data, item.dtype, value)


def _insert(block: Frame, item: Expression) -> Value:
    whole, part = (block.value(arg) for arg in item.args[:2])
    index = [block.scalar(at) for at in item.args[2:]]
    pairs = zip(index, part.data.shape, strict=True)
    place = tuple(slice(at * size, (at + 1) * size) for at, size in pairs)
    data = whole.data.copy()
    data[place] = part.data
    if whole.error is None and part.error is None:
        return Value(data, item.dtype)
    error = np.zeros(data.shape) if whole.error is None else np.array(whole.error)
    error[place] = 0.0 if part.error is None else part.error
    return Value(data, item.dtype, tidy(error))


def _full(block: Frame, item: Expression) -> Value:
    value = cast(block.value(item.args[0]), item.dtype)
    error = None if value.error is None else np.full(item.shape, value.error)
    return Value(np.full(item.shape, value.data), item.dtype, error)


def _arange(block: Frame, item: Expression) -> Value:
    return cast(Value(np.arange(item.shape[0], dtype=np.int32), "i32"), item.dtype)


def _cat(block: Frame, item: Expression) -> Value:
    values = _operands(block, item)
    data = np.concatenate([value.data for value in values], axis=item.value)
    if all(value.error is None for value in values):
        return Value(data, item.dtype)
    parts = [np.zeros(value.data.shape) if value.error is None else value.error for value in values]
    return Value(data, item.dtype, np.concatenate(parts, axis=item.value))


def _extract(block: Frame, item: Expression, data: Numbers) -> Numbers:
    index = [block.scalar(at) for at in item.args[1:]]
    ranges = zip(index, item.shape, strict=True)
    return data[tuple(slice(at * size, (at + 1) * size) for at, size in ranges)]


SUM_UNITS = {"f32": 2.0**-22, "f64": 2.0**-52, "f16": 2.0**-10}
"""Error of one addition, relative to the sum of the sizes; tensor cores truncate."""
F8_UNITS = 2.0**-12
"""The same for sums of 8-bit floats, of which tensor cores keep 13 bits of each group."""


def _mma(block: Frame, item: Expression) -> Value:
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


Rules = Mapping[str, Callable[[Frame, Expression], Value]]
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
    "convert": lambda block, item: convert(
        block.value(item.args[0]), item.dtype, item.value[0], saturate=item.value[1]
    ),
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
    "gather": _gather,
    "fold": lambda block, item: fold(item.value, _operands(block, item)),
    "bitcast": _bitcast,
    "flip": _shaped(lambda _, item, data: np.flip(data, item.value)),
    "insert": _insert,
}
"""What each operation means."""
