"""Reductions that pick an element: a comparison of an index decides which one counts.

    sum(where(columns == k, x, 0.0), axis=1)         the element of column k; 0 where there is none
    min(where(x == top, columns, most), axis=1)      the first column of those that `x == top` marks

The first one is how a kernel reads row or column k of a tile that it holds, as in LU, Cholesky or
Gauss-Jordan, and the score of a label in cross entropy. The second one is part of `argmax`.
"""

from math import prod
from typing import Any

from tilec.ir.attributes import integer
from tilec.ir.structured import body_operations, defining_operation
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts.constants import is_zeros, number_of
from tilec.passes.analysis.facts.index_tiles import index_steps
from tilec.support.fast_dataclasses import dataclass

_SELECT, _CONSTANT = "arith.select", "arith.constant"
_BROADCAST, _VIEW, _CONVERT = "nv_tileas.broadcast", "nv_tileas.view", "nv_tileas.convert_layout"
_SUMS, _FIRSTS = ("arith.addf", "arith.addi"), ("arith.minsi", "arith.minui")


@dataclass(frozen=True)
class Pick:
    """A sum along an axis in which one element counts.

    Attributes:
        select: The operation that leaves one element.
        path: The operations between its condition and the comparison, the outermost first. They
            keep the registers of a thread, or repeat them.
        index: The indices that are compared, which grow by 1 along the axis.
        wanted: What they are compared with, the same along the axis.
    """

    select: Any
    path: tuple[Any, ...]
    index: Any
    wanted: Any


def pick_of(reduce: Any) -> Pick | None:
    """Return what the sum `reduce` of nv_tileas picks; None if it is no such sum."""
    select = _selected(reduce, _SUMS)
    if select is None or not is_zeros(select.operands[2]):
        return None
    return _comparison(select, reduce.opview.axis.value)


def first_of(reduce: Any) -> Any:
    """Return the select whose first index, by a condition, the minimum `reduce` finds; or None.

    Where the condition holds nowhere, the minimum is a constant larger than all indices.
    """
    select = _selected(reduce, _FIRSTS)
    if select is None:
        return None
    axis, numbers = reduce.opview.axis.value, _range_under(select.operands[1])
    steps = index_steps(select.operands[1])
    most = number_of(select.operands[2])
    if numbers is None or steps is None or steps[axis] != 1 or most is None:
        return None
    first, extent = numbers
    signed = reduce.opview.block.operations[0].name == "arith.minsi"
    return select if (first >= 0 or signed) and most >= first + extent - 1 else None


def _selected(reduce: Any, functions: tuple[str, ...]) -> Any:
    """Return the select that a reduction by one of `functions` combines the results of, or None."""
    if len(reduce.operands) != 1:
        return None
    ops = body_operations(reduce.opview.block)
    if len(ops) != 2 or ops[0].name not in functions:
        return None
    if {*ops[0].operands} != {*reduce.opview.block.arguments}:
        return None
    select = defining_operation(reduce.operands[0])
    if select is None or select.name != _SELECT:
        return None
    return select if is_tile(select.operands[0]) else None


def _comparison(select: Any, axis: int) -> Pick | None:
    """Return the comparison that lets the condition of `select` hold once along `axis`."""
    waiting: list[tuple[Any, tuple[Any, ...], int]] = [(select.operands[0], (), axis)]
    while waiting:
        value, path, along = waiting.pop()
        op = defining_operation(value)
        if op is None:
            continue
        if op.name == "arith.andi":
            waiting += [(operand, path, along) for operand in op.operands]
        elif op.name in (_BROADCAST, _VIEW):
            source = _axis_before(op, along)
            if source is not None:
                waiting.append((op.operands[0], (*path, op), source))
        elif op.name == "arith.cmpi" and _is_equality(op):
            for index, wanted in (op.operands, reversed(list(op.operands))):
                steps = index_steps(index)
                if steps is not None and steps[along] == 1 and is_level(wanted, along):
                    return Pick(select, path, index, wanted)
    return None


def _is_equality(op: Any) -> bool:
    """Tell whether a comparison is one of 32-bit integers for equality."""
    predicate = integer(op, "predicate")
    return predicate == 0 and str(op.operands[0].type.element_type) == "i32"


def _axis_before(op: Any, axis: int) -> int | None:
    """Return which axis of the operand of a broadcast or view is `axis` of its result, if one is.

    None where the operand is repeated along it, and where a view does more than insert or drop axes
    of extent 1.
    """
    before, after = list(op.operands[0].type.shape), list(op.results[0].type.shape)
    if op.name == _BROADCAST:
        return axis if before[axis] == after[axis] else None
    long = [place for place, extent in enumerate(before) if extent > 1]
    place = sum(extent > 1 for extent in after[:axis])
    if [before[at] for at in long] != [extent for extent in after if extent > 1]:
        return None
    return long[place] if after[axis] > 1 else None


def is_level(value: Any, axis: int) -> bool:
    """Tell whether the elements of a tile are equal along an axis."""
    op = defining_operation(value)
    if value.type.shape[axis] == 1:
        return True
    if op is None:
        return False
    if op.name == _CONSTANT:
        return number_of(value) is not None
    if op.name == "nv_tileas.splat":
        return True
    if op.name == _CONVERT:
        return is_level(op.operands[0], axis)
    if op.name == _BROADCAST and op.operands[0].type.shape[axis] == 1:
        return True
    if op.name in (_BROADCAST, _VIEW):
        source = _axis_before(op, axis)
        return source is not None and is_level(op.operands[0], source)
    if op.name.startswith("arith."):
        return all(is_level(item, axis) for item in op.operands if is_tile(item))
    return False


def _range_under(tile: Any) -> tuple[int, int] | None:
    """Return the first number and the extent of the range that a tile repeats or shows."""
    op = defining_operation(tile)
    while op is not None and op.name in (_BROADCAST, _VIEW, _CONVERT):
        op = defining_operation(op.operands[0])
    if op is None or op.name != "nv_tileas.make_range":
        return None
    return op.opview.start.value, prod(op.results[0].type.shape)
