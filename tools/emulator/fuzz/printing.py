"""Prints a program as a `.tile` file."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tools.emulator.fuzz.folds import FUNCTIONS, Function
from tools.emulator.fuzz.program import (
    COORDINATES,
    Access,
    Assign,
    Elements,
    Expression,
    Fold,
    For,
    If,
    Jump,
    Program,
    Scatter,
    Statement,
    Store,
    While,
)
from tools.emulator.fuzz.values import INTEGERS, NUMPY


def source(program: Program) -> str:
    """Return the source of a program; its kernel is called `program`."""
    hints = ", ".join(f"{name}={value}" for name, value in program.plan.items())
    parameters = [
        f"{item.name}: {item.dtype}[{', '.join(map(str, item.dims))}]" for item in program.arrays
    ]
    parameters += [f"{item.name}: {item.dtype}" for item in program.scalars]
    used = {str(dim) for item in program.arrays for dim in item.dims if isinstance(dim, str)}
    dims = f"[{', '.join(sorted(used))}]" if used else ""
    extents = ", ".join(expression(item) for item in program.grid)
    coordinates = ", ".join(COORDINATES[: len(program.grid)])
    lines = [
        f"@kernel({hints})" if hints else "@kernel",
        f"def program{dims}({', '.join(parameters)}):",
        f"    {coordinates} = grid({extents})",
        *_body(program.body, "    "),
    ]
    return "\n".join(lines) + "\n"


def _body(body: tuple[Statement, ...], indent: str) -> list[str]:
    if not body:
        return [f"{indent}pass"]
    return [f"{indent}{line}" for item in body for line in _statement(item)]


def _statement(item: Statement) -> list[str]:
    if isinstance(item, Assign):
        return [f"{item.target} = {expression(item.value)}"]
    if isinstance(item, Store):
        return [_store(item)]
    if isinstance(item, Scatter):
        return [_scatter(item)]
    if isinstance(item, For):
        bounds = ", ".join(expression(bound) for bound in item.bounds)
        kind = "static_range" if item.static else "range"
        return [f"for {item.counter} in {kind}({bounds}):", *_body(item.body, "    ")]
    if isinstance(item, While):
        count = f"    {item.counter} = {item.counter} + 1"
        limit = expression(item.limit)
        inner = _body(item.body, "    ") if item.body else []
        return [f"{item.counter} = 0", f"while {item.counter} < {limit}:", *inner, count]
    if isinstance(item, If):
        lines = [f"if {expression(item.condition)}:", *_body(item.then, "    ")]
        if item.otherwise:
            lines += ["else:", *_body(item.otherwise, "    ")]
        return lines
    assert isinstance(item, Jump)
    return [item.word]


def _store(item: Store) -> str:
    access, tile = item.access, item.tile
    where = access.array
    if access.dim_map is not None:
        where = _view(access, tile.shape)
    tma = "" if access.allow_tma else ", allow_tma=False"
    call = item.atomic.replace("atomic", "atomic_store") or "store"
    return f"{call}({where}, {_index(item.index)}, {expression(tile)}{tma})"


def _elements(access: Elements, args: list[str]) -> tuple[str, list[str], list[str]]:
    """Return the indices, the values and the keywords of an access to elements."""
    indices, rest = args[: access.rank], args[access.rank :]
    keywords = [f"mask={rest[0]}"] if access.masked else []
    rest = rest[access.masked :]
    if access.padded:
        keywords.append(f"padding_value={rest.pop(0)}")
    if access.order:
        keywords.append(f"memory_order={access.order!r}")
    return f"({', '.join(indices)},)", rest, keywords


def _scatter(item: Scatter) -> str:
    args = [expression(arg) for arg in item.args]
    indices, values, keywords = _elements(item.elements, args)
    words = ", ".join([item.elements.array, indices, *values, *keywords])
    target = f"{item.target} = " if item.target else ""
    return f"{target}{item.atomic or 'scatter'}({words})"


def _gather(item: Expression, args: list[str]) -> str:
    indices, _, keywords = _elements(item.value, args)
    return f"gather({', '.join([item.value.array, indices, *keywords])})"


def _fold(item: Expression, args: list[str]) -> str:
    fold: Fold = item.value
    where = _axis(fold.axes)
    if where and not fold.function:
        where = [f"axis={where[0]}"]
    if fold.call in ("reduce", "scan"):
        function = FUNCTIONS[fold.function]
        tiles = f"({', '.join(args)})" if function.tiles > 1 else args[0]
        where = [*where, function.text, _identity(function, [arg.dtype for arg in item.args])]
        args = [tiles]
    flags = {
        "keepdims": fold.keepdims,
        "reverse": fold.reverse,
        "propagate_nan": fold.propagate,
    }
    words = [*args, *where, *(f"{name}=True" for name, given in flags.items() if given)]
    call = f"{fold.call}({', '.join(words)})"
    several = fold.function and FUNCTIONS[fold.function].tiles > 1
    return f"{call}[{fold.part}]" if several else call


def _axis(axes: tuple[int, ...] | None) -> list[str]:
    """Return the argument that names axes; none for all of them."""
    if axes is None:
        return []
    return [str(axes[0]) if len(axes) == 1 else shape(axes)]


def _identity(function: Function, dtypes: list[str]) -> str:
    """Return the identities of a function, for the element types that it combines."""
    found = []
    for text, dtype in zip(function.identity.strip("()").split(", "), dtypes, strict=True):
        values = {"0": 0.0, "1": 1.0, "LEAST": -math.inf, "MOST": math.inf}
        if dtype in INTEGERS:
            limits = np.iinfo(NUMPY[dtype])
            ones = -1 if dtype[0] == "i" else int(limits.max)
            values = {"0": 0, "1": 1, "LEAST": int(limits.min), "MOST": int(limits.max)}
            values["ONES"] = ones
        found.append(literal(values[text]))
    return f"({', '.join(found)})" if len(found) > 1 else found[0]


def _put(item: Expression, args: list[str]) -> str:
    return f"insert({args[0]}, ({', '.join(args[2:])},), {args[1]})"


def _view(access: Access, tile: tuple[int, ...]) -> str:
    pad = "" if access.pad is None else f", pad={literal(access.pad)}"
    dim_map = list(access.dim_map or ())
    return f"make_partition_view({access.array}, tile={shape(tile)}, dim_map={dim_map}{pad})"


def _load(item: Expression) -> str:
    access: Access = item.value
    tma = "" if access.allow_tma else ", allow_tma=False"
    index = _index(item.args)
    if access.dim_map is not None:
        return f"load({_view(access, item.shape)}, {index}{tma})"
    pad = "" if access.pad is None else f", pad={literal(access.pad)}"
    return f"load({access.array}, {index}, {shape(item.shape)}{pad}{tma})"


def _index(items: tuple[Expression, ...]) -> str:
    return f"({', '.join(expression(item) for item in items)}{',' if len(items) == 1 else ''})"


def shape(extents: tuple[int, ...]) -> str:
    """Return a shape as a tuple."""
    return f"({', '.join(map(str, extents))}{',' if len(extents) == 1 else ''})"


def literal(value: float) -> str:
    """Return a number of the source."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    text = repr(value)
    return f"({text})" if text.startswith("-") else text


def expression(item: Expression) -> str:
    """Return the text of an expression."""
    return FORMS[item.op](item, [expression(arg) for arg in item.args])


def _call(item: Expression, args: list[str]) -> str:
    function, *keywords = item.value
    return f"{function}({', '.join([*args, *keywords])})"


def _cut(item: Expression, args: list[str]) -> str:
    return f"extract({args[0]}, ({', '.join(args[1:])},), {shape(item.shape)})"


def _convert(item: Expression, args: list[str]) -> str:
    mode, saturate = item.value
    words = [f"rounding={mode!r}"] if mode else []
    words += ["saturate=True"] if saturate else []
    return f"cast({', '.join([args[0], item.dtype, *words])})"


def _made(item: Expression, args: list[str]) -> str:
    return f"full({shape(item.shape)}, {args[0]}, {item.dtype})"


def _axes(item: Expression, args: list[str]) -> str:
    marks = ["None" if axis == item.value else ":" for axis in range(len(item.shape))]
    return f"{args[0]}[{', '.join(marks)}]"


Form = Callable[[Expression, list[str]], str]
FORMS: dict[str, Form] = {
    "number": lambda item, _: literal(item.value),
    "name": lambda item, _: item.value,
    "load": lambda item, _: _load(item),
    "binary": lambda item, args: f"({args[0]} {item.value} {args[1]})",
    "compare": lambda item, args: f"({args[0]} {item.value} {args[1]})",
    "logic": lambda item, args: f"({args[0]} {item.value} {args[1]})",
    "unary": lambda item, args: f"({item.value}{args[0]})",
    "not": lambda _, args: f"(not {args[0]})",
    "choose": lambda _, args: f"({args[1]} if {args[0]} else {args[2]})",
    "call": _call,
    "cast": lambda item, args: f"cast({args[0]}, {item.dtype})",
    "convert": _convert,
    "where": lambda _, args: f"where({', '.join(args)})",
    "full": _made,
    "arange": lambda item, _: f"arange({item.shape[0]}, {item.dtype})",
    "expand": _axes,
    "reshape": lambda item, args: f"reshape({args[0]}, {shape(item.shape)})",
    "permute": lambda item, args: f"permute({args[0]}, {shape(item.value)})",
    "transpose": lambda _, args: f"{args[0]}.T",
    "broadcast": lambda item, args: f"broadcast_to({args[0]}, {shape(item.shape)})",
    "cat": lambda item, args: f"cat(({args[0]}, {args[1]}), {item.value})",
    "extract": _cut,
    "mma": lambda _, args: f"mma({', '.join(args)})",
    "gather": _gather,
    "fold": _fold,
    "bitcast": lambda item, args: f"bitcast({args[0]}, {item.dtype})",
    "flip": lambda item, args: f"flip({args[0]}, {item.value})",
    "insert": _put,
}
"""What is printed for each operation, from the texts of its operands."""


def describe(program: Program, schedule: Any = None) -> str:
    """Return the source with everything else that a run depends on."""
    lines = [f"# seed {program.seed}, sizes {program.sizes}, {program.multiprocessors} SMs"]
    if schedule is not None:
        lines.append(f"# schedule {schedule}")
    lines += [f"# {item.name} = {item.value!r}" for item in program.scalars]
    lines += [f"# {item.name}: {item.layout}, {item.data} data" for item in program.arrays]
    return "\n".join(lines) + "\n" + source(program)
