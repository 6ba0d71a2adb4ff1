"""Rules for the operations by which a kernel reports to the host."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from tilec.dialects.nv_tileas.report_ops import AssertOp
from tilec.ir.bindings import arith, ir
from tilec.passes.analysis.kernels import function_body
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering
from tilec.passes.transforms.nv_tileas.verify.number_assertions import ASSERTION_ID
from tilec.request.assertions import COORDINATES, FAILED
from tilec.request.wait_records import Word

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


@RULES.converts(AssertOp)
def lower_assert(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Claim the record and fill it in where an element of this thread is false."""
    arguments = function_body(lowering.function).arguments
    buffer = lowering.get(arguments[len(arguments) - 1])
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
        number=ir.IntegerAttr(op.attributes[ASSERTION_ID]).value,
        place=4 * Word.WAIT,
        coordinates="\n".join(stores),
    )
    emit.inline_ptx(text, "l,r,r,r,r,~{memory}", [buffer, holds, *block])
    return []
