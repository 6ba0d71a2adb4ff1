"""Values of a kernel as expressions that the launcher can evaluate.

The opposite of `host_expressions.py`. The expressions are those of grids: dims, integer scalars,
`+ - * // %`, `cdiv`, `min` and `max` (`tilec/runtime/launch/expressions.py`).
"""

from collections.abc import Sequence
from typing import Any

from tilec.ir.attributes import read_kernel_fact
from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts.index_ranges import constant_value
from tilec.passes.analysis.kernels import function_body

_OPERATORS = {
    "arith.addi": "({} + {})",
    "arith.subi": "({} - {})",
    "arith.muli": "({} * {})",
    "arith.ceildivsi": "cdiv({}, {})",
    "arith.ceildivui": "cdiv({}, {})",
    "arith.floordivsi": "({} // {})",
    "arith.divsi": "({} // {})",
    "arith.divui": "({} // {})",
    "arith.minsi": "min({}, {})",
    "arith.maxsi": "max({}, {})",
}
"""Quotients are those of numbers that are not negative."""
_CASTS = ("arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast")
_CUTS = ("arith.trunci",)
"""Casts of which a result may be another number."""
LONGEST_TEXT = 1000
"""Characters of an expression, at most."""


def host_text(
    value: Any, function: Any, *, estimate: bool = True, at_most: bool = False
) -> str | None:
    """Return a value as an expression of dims and scalars; None where it depends on more.

    Sums and products count as exact; in the kernel, they may wrap.

    Args:
        value: An integer that is computed before or outside of all loops.
        function: The kernel.
        estimate: Whether wider numbers that are cut to fewer bits count as exact, too.
        at_most: Whether any known number will do for the least of several.
    """
    params = read_kernel_fact(function, "params", [])
    arguments = zip(params, function_body(function).arguments, strict=False)
    known: dict[Any, str | None] = {
        argument: param["name"]
        for param, argument in arguments
        if param["kind"] in ("dim", "scalar")
    }
    text = _text(value, known, estimate, at_most)
    return text if text is not None and len(text) <= LONGEST_TEXT else None


def rounds_text(function: Any, counter: Sequence[Any]) -> str | None:
    """Return the rounds of a loop as an expression of dims and scalars, or None.

    Args:
        function: The kernel.
        counter: Where the counter of the loop begins, where it ends, and its step.
    """
    lower, upper, step = (host_text(value, function) for value in counter)
    if lower is None or upper is None or step is None:
        return None
    distance = upper if lower == "0" else f"({upper} - {lower})"
    return distance if step == "1" else f"cdiv({distance}, {step})"


def half_of_rounds(function: Any, counter: Sequence[Any]) -> str | None:
    """Return half of the rounds that a loop has at most where it depends on the block, or None.

    Either it ends where a block says, but not after a number that a launch knows, as for keys up to
    the last row of a block; or it begins where a block says, and a launch knows where it ends.

    Args:
        function: The kernel.
        counter: Where the counter of the loop begins, where it ends, and its step.
    """
    lower, upper, step = (host_text(value, function) for value in counter)
    if upper is None and lower is not None:
        upper = host_text(counter[1], function, at_most=True)
    return None if upper is None or step is None else f"cdiv({upper}, 2 * {step})"


def _text(value: Any, known: dict[Any, str | None], estimate: bool, at_most: bool) -> str | None:
    """Return the expression of a value; `known` gets it, as steps may use each value twice."""
    if value not in known:
        known[value] = _new_text(value, known, estimate, at_most)
    return known[value]


def _new_text(
    value: Any, known: dict[Any, str | None], estimate: bool, at_most: bool
) -> str | None:
    constant = constant_value(value)
    if constant is not None:
        return str(constant)
    op = defining_operation(value)
    if op is not None and op.name in _CASTS:
        is_cut = op.name in _CUTS and not estimate
        return None if is_cut else _text(op.operands[0], known, estimate, at_most)
    if op is None or op.name not in _OPERATORS:
        return None
    found = [_text(operand, known, estimate, at_most) for operand in op.operands]
    short = [text for text in found if text is not None and len(text) <= LONGEST_TEXT]
    if at_most and op.name == "arith.minsi" and len(short) == 1:
        return short[0]
    return _OPERATORS[op.name].format(*short) if len(short) == len(found) else None
