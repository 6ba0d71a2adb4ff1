"""Rules for the operations by which a kernel reports to the host."""

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any

from tilec.dialects.nv_tileas.report_ops import AssertOp, PrintOp
from tilec.ir import llvm_ops
from tilec.ir.attributes import integer
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.values import is_tile
from tilec.passes.analysis.kernels import function_body, kernel_operations
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, tile_layout
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.timed_waits import hidden_argument
from tilec.passes.transforms.nv_tileas.verify.number_reports import REPORT_ID
from tilec.request import prints
from tilec.request.assertions import COORDINATES, FAILED
from tilec.request.wait_records import DEBUG_BUFFER, Word

_ASSERT = """{{
.reg .pred p;
.reg .b32 word, value;
setp.ne.b32 p, $1, 0;
@p bra DONE;
atom.global.cas.b32 word, [$0], 0, {failed};
setp.ne.u32 p, word, 0;
@p bra DONE;
mov.b32 value, {number};
st.volatile.global.u32 [$0+{place}], value;
{coordinates}
fence.acq_rel.sys;
DONE:
}}"""
"""Operands: $0 buffer, $1 whether the condition holds, $2 to $4 coordinates of the block. The first
thread that fails claims the record; a trap would take the CUDA context with it."""

_CLAIM = "atom.global.add.u32 $0, [$1], $2;"
_RECORD = f"""{{
.reg .pred p;
.reg .b32 low, high;
.reg .b64 at;
setp.ge.u32 p, $1, {prints.CAPACITY};
@p bra DONE;
mul.wide.u32 at, $1, {prints.RECORD_BYTES};
add.u64 at, at, $0;
mov.b64 {{low, high}}, $8;
st.global.v4.u32 [at+{prints.HEADER_BYTES}], {{$2, $3, $4, $5}};
st.global.v4.u32 [at+{prints.HEADER_BYTES + 16}], {{$6, $7, low, high}};
DONE:
}}"""
"""Operands: $0 buffer, $1 number of the record, $2 to $7 its words, $8 bits of the value."""


@RULES.converts(PrintOp)
def lower_print(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Append a record for each element that this thread holds, or one for a text."""
    number = emit.value(integer(op, REPORT_ID))
    coordinates = [emit.value(lowering.get(item)) for item in list(op.operands)[:3]]
    buffer = _buffer(lowering, prints.PRINT_BUFFER)
    words = [number, lowering.next_print(), *coordinates]
    value = op.opview.value
    if value is not None and is_tile(value):
        bits = [_bits(item) for item in lowering.tile(value)]
        _append(buffer, words, _elements(lowering, value), bits)
        return []
    branch = scf.IfOp(_elected(lowering))
    with ir.InsertionPoint(branch.then_block):
        none = value is None
        bit = emit.constant(emit.i64_type(), 0) if none else _bits(lowering.get(value))
        _append(buffer, words, [0], [bit])
        scf.YieldOp([])
    return []


def _append(
    buffer: Any, words: Sequence[Any], elements: Sequence[emit.Index], bits: Sequence[Any]
) -> None:
    """Append records to the buffer.

    Args:
        buffer: Its address.
        words: Words of every record: id of the print, prints before it, coordinates of the block.
        elements: Number of each element.
        bits: Bits of each element, as an i64.
    """
    count = emit.value(len(bits))
    first = emit.inline_ptx(_CLAIM, "=r,l,r,~{memory}", [buffer, count], emit.i32_type())
    for offset, (element, value) in enumerate(zip(elements, bits, strict=True)):
        record = emit.value(emit.add(first, offset))
        operands = [buffer, record, *words, emit.value(element), value]
        emit.inline_ptx(_RECORD, "l,r,r,r,r,r,r,r,l,~{memory}", operands)


def _elements(lowering: Lowering, value: Any) -> list[emit.Index]:
    """Return the row-major number of the element in each register of a tile."""
    layout, shape = tile_layout(value), list(value.type.shape)
    strides = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    base = lowering.thread_coordinates(layout)
    terms = zip(base, strides, strict=True)
    start = emit.total([emit.multiply(coordinate, stride) for coordinate, stride in terms])
    return [
        emit.add(start, sum(o * stride for o, stride in zip(offset, strides, strict=True)))
        for offset in layout.register_offsets()
    ]


def _bits(register: Any) -> Any:
    """Return the bits of a register, as an i64."""
    stored = emit.to_memory(register)
    if not isinstance(stored.type, ir.IntegerType):
        width = ir.FloatType(stored.type).width
        stored = arith.bitcast(ir.IntegerType.get_signless(width), stored)
    if ir.IntegerType(stored.type).width == emit.i64_type().width:
        return stored
    return arith.extui(emit.i64_type(), stored)


def _elected(lowering: Lowering) -> Any:
    """Return whether this thread is the one that prints for its role."""
    if lowering.role is not None and lowering.role.elected is not None:
        return lowering.role.elected
    return emit.compare("eq", llvm_ops.special_register("tid.x"), 0)


def _buffer(lowering: Lowering, name: str) -> Any:
    """Return the address in a hidden parameter."""
    block = function_body(lowering.function)
    return lowering.get(hidden_argument(lowering.function, block, name))


@RULES.converts(AssertOp)
def lower_assert(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Claim the record and fill it in where an element of this thread is false."""
    buffer = _buffer(lowering, DEBUG_BUFFER)
    condition = lowering.get(op.operands[0])
    elements = condition if isinstance(condition, list) else [condition]
    holds = arith.extui(emit.i32_type(), reduce(arith.andi, dict.fromkeys(elements)))
    block = [emit.value(lowering.get(item)) for item in list(op.operands)[1:]]
    stores = (
        f"st.volatile.global.u32 [$0+{4 * word}], ${2 + axis};"
        for axis, word in enumerate(COORDINATES)
    )
    text = _ASSERT.format(
        failed=FAILED,
        number=integer(op, REPORT_ID),
        place=4 * Word.WAIT,
        coordinates="\n".join(stores),
    )
    emit.inline_ptx(text, "l,r,r,r,r,~{memory}", [buffer, holds, *block])
    return []


def make_counter(function: Any) -> Any:
    """Emit the variable that counts the prints of a thread; None for a kernel without prints."""
    if not any(op.name == "nv_tileas.print" for op in kernel_operations(function)):
        return None
    # LLVM turns the variable into a register, so control flow need not carry it.
    counter = llvm_ops.alloca(emit.i32_type(), emit.value(1))
    llvm_ops.store(emit.value(0), counter)
    return counter
