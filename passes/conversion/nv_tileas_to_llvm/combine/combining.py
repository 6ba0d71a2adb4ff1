"""What the lowerings of reductions and scans share: the body, lanes and the way between warps.

An *element* is a tuple of scalars, one for each operand of the operation.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from tilec.dialects.nv_tileas.tile_ops import ReduceOp
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir
from tilec.ir.structured import body_operations, terminator
from tilec.layout.reduction import Exchange
from tilec.layout.shared import row_major
from tilec.passes.analysis.scratch_areas import exchange_bytes
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering
from tilec.passes.conversion.nv_tileas_to_llvm.memory.shared_memory import (
    read_tile,
    scratch_area,
    write_tile,
)
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import role_barrier

Element = tuple[Any, ...]

_WORD_BITS = 32
_ALL_LANES = -1
_LAST_LANE = 31
_IDENTITIES: Mapping[str, float] = {
    "arith.addf": -0.0,
    "arith.mulf": 1.0,
    "arith.addi": 0,
    "arith.muli": 1,
    "arith.andi": -1,
    "arith.ori": 0,
    "arith.xori": 0,
}
"""-0.0 + x is x, while 0.0 + -0.0 is 0.0 (IEEE 754)."""


class Combiner:
    """The function of a reduction or scan, inlined wherever it is applied."""

    def __init__(self, op: Any, lowering: Lowering) -> None:
        """Combine with the body of `op`."""
        self._block = op.opview.block
        self._lowering = lowering
        self._is_serial = op.name == ReduceOp.OPERATION_NAME and op.opview.is_serial

    def __call__(self, first: Element, second: Element) -> Element:
        """Return what two elements give."""
        pairs = [item for pair in zip(first, second, strict=True) for item in pair]
        for argument, value in zip(self._block.arguments, pairs, strict=True):
            self._lowering.set(argument, value)
        for op in body_operations(self._block)[:-1]:
            self._lowering.op(op)
        last = terminator(self._block)
        return tuple(emit.value(self._lowering.get(value)) for value in last.operands)

    def identity(self) -> Element | None:
        """Emit what changes no element, to the last bit; None where none is known."""
        ops = body_operations(self._block)
        if len(ops) != 2 or ops[0].name not in _IDENTITIES:
            return None
        if {*ops[0].operands} != {*self._block.arguments}:
            return None
        number, type_ = _IDENTITIES[ops[0].name], ops[0].results[0].type
        if isinstance(number, int):
            return (emit.constant(type_, number),)
        value = ir.FloatAttr.get(type_, number)
        return (llvm_ops.value("arith.constant", type_, value=value),)

    def all_of(self, elements: Sequence[Element]) -> Element:
        """Return what elements give in their order, in pairs of neighbours or one after another.

        In pairs, the chains are short.
        """
        if self._is_serial:
            return reduce(self, elements)
        while len(elements) > 1:
            pairs = zip(elements[::2], elements[1::2], strict=False)
            rest = elements[len(elements) // 2 * 2 :]
            elements = [*(self(first, second) for first, second in pairs), *rest]
        return elements[0]


def joined_parts(
    combine: Combiner, parts: Sequence[Element], place: Any
) -> tuple[Element, Element]:
    """Return what comes before one of several parts, and what all of them give.

    Args:
        combine: Combines two elements.
        parts: At least two, in their order.
        place: How many of them come before (i32); of 0, the first result is any element.
    """
    total = chosen = parts[0]
    for count, part in enumerate(parts[1:], 2):
        total = combine(total, part)
        if count < len(parts):
            chosen = choose(emit.compare("uge", place, count), total, chosen)
    return chosen, total


def elements_of(op: Any, lowering: Lowering) -> list[Element]:
    """Return the elements of the operands, one for each register."""
    return list(zip(*(lowering.tile(operand) for operand in op.operands), strict=True))


def choose(condition: Any, chosen: Element, otherwise: Element) -> Element:
    """Return one of two elements."""
    return tuple(
        arith.select(condition, one, other) for one, other in zip(chosen, otherwise, strict=True)
    )


def shuffled(kind: str, element: Element, lane: Any) -> Element:
    """Return the element of another lane; see `llvm_ops.shuffle`."""
    clamp = emit.value(0 if kind == "up" else _LAST_LANE)
    mask, lane = emit.value(_ALL_LANES), emit.value(lane)

    def word(value: Any) -> Any:
        return llvm_ops.shuffle(kind, mask, value, lane, clamp)

    return tuple(_by_words(value, word) for value in element)


def _by_words(value: Any, exchange: Any) -> Any:
    """Apply `exchange`, a function of 32-bit values, to a scalar of any type."""
    type_ = value.type
    bits = 1 if type_ == emit.i1_type() else element_bits(type_)
    if bits == _WORD_BITS:
        return exchange(value)
    integer = ir.IntegerType.get_signless(bits)
    number = value if type_ == integer else arith.bitcast(integer, value)
    i32 = emit.i32_type()
    if bits < _WORD_BITS:
        narrow = arith.trunci(integer, exchange(arith.extui(i32, number)))
        return narrow if type_ == integer else arith.bitcast(type_, narrow)
    half = emit.constant(integer, _WORD_BITS)
    low = exchange(arith.trunci(i32, number))
    high = exchange(arith.trunci(i32, arith.shrui(number, half)))
    upper = arith.shli(arith.extui(integer, high), half)
    whole = arith.ori(arith.extui(integer, low), upper)
    return whole if type_ == integer else arith.bitcast(type_, whole)


def exchanged(
    op: Any, lowering: Lowering, exchange: Exchange, elements: Sequence[Element]
) -> list[list[Element]]:
    """Hand elements over between warps.

    Args:
        op: The reduction or scan.
        lowering: The lowering.
        exchange: What is written and read.
        elements: The elements that this thread writes.

    Returns:
        For each element of the result the parts that belong together, in order.
    """
    kinds = [operand.type.element_type for operand in op.operands]
    area, columns = scratch_area(lowering, op), list(zip(*elements, strict=True))
    areas = []
    for kind, registers in zip(kinds, columns, strict=True):
        plain = row_major(exchange.shape, element_bits(kind))
        areas.append((area, plain, kind))
        write_tile(lowering, area, plain, exchange.write, registers)
        area = emit.byte_offset(area, exchange_bytes(exchange, kind))
    role_barrier(lowering, op)
    found = [read_tile(lowering, at, plain, exchange.read, kind) for at, plain, kind in areas]
    role_barrier(lowering, op)
    rows = list(zip(*found, strict=True))
    count = exchange.parts
    return [rows[first : first + count] for first in range(0, len(rows), count)]
