"""The range of a grid extent, from its text: between which numbers the launcher's result lies.

The launcher computes extents with whole numbers of any size that fit in 64 bits
(`tilec/runtime/launch/expressions.py`), so nothing wraps around here.
"""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from tilec.passes.analysis.facts import intervals
from tilec.passes.analysis.facts.intervals import Range
from tilec.request.specialization import MAX_EXTENT
from tilec.support.dtypes import DTYPES

EXTENTS: Range = (1, 2**31 - 1)
"""Extents of the grid: the launcher refuses larger ones and does not launch for 0."""
DIMS: Range = (1, MAX_EXTENT)
"""Extents of arrays: the same holds for them."""
ANY: Range = intervals.signed_limits(64)

_BINARY = {
    ast.Add: intervals.add,
    ast.Sub: intervals.subtract,
    ast.Mult: intervals.multiply,
    ast.FloorDiv: lambda a, b: intervals.divide(intervals.floor_quotient, a, b),
    ast.Mod: intervals.floor_remainder,
}
_CALLS = {
    "cdiv": lambda a, b: intervals.divide(intervals.ceil_quotient, a, b),
    "min": intervals.least,
    "max": intervals.largest,
}


def parameter_ranges(params: Sequence[Mapping[str, Any]]) -> dict[str, Range]:
    """Return the range of every dim and integer scalar among a kernel's parameters, by name."""
    named = [item for item in params if item["kind"] in ("dim", "scalar")]
    return {item["name"]: parameter_range(item) for item in named}


def parameter_range(param: Mapping[str, Any]) -> Range:
    """Return the range of an integer parameter of a kernel."""
    if param.get("kind") in ("dim", "grid"):
        return DIMS if param["kind"] == "dim" else EXTENTS
    dtype = DTYPES.get(param.get("dtype", ""))
    if dtype is None or not dtype.is_integer:
        return ANY
    limits = intervals.signed_limits if dtype.signed else intervals.unsigned_limits
    return limits(dtype.bits)


def expression_range(node: ast.expr, names: Mapping[str, Range]) -> Range:
    """Return the range of a host expression; `ANY` where a part of it is not known.

    Args:
        node: The expression.
        names: Ranges by name; `A.shape[0]` is a name, too.
    """
    match node:
        case ast.Constant(value=int(value)):
            return value, value
        case ast.Name() | ast.Subscript():
            return names.get(ast.unparse(node), ANY)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return intervals.subtract((0, 0), expression_range(operand, names))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _BINARY:
            lhs, rhs = expression_range(left, names), expression_range(right, names)
            return _BINARY[type(operator)](lhs, rhs)
        case ast.Call(func=ast.Name(id=name), args=[first, *rest]) if name in _CALLS:
            found = expression_range(first, names)
            for item in rest:
                found = _CALLS[name](found, expression_range(item, names))
            return found
    return ANY


def extent_range(text: str, names: Mapping[str, Range]) -> Range:
    """Return the range of a grid extent: what its text may give, and the launcher accepts."""
    try:
        found = expression_range(ast.parse(text.strip(), mode="eval").body, names)
    except (SyntaxError, ValueError):
        return EXTENTS
    low = min(max(found[0], EXTENTS[0]), EXTENTS[1])
    return low, max(min(found[1], EXTENTS[1]), low)
