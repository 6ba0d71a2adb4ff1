"""Let a register wait for another one without a change of its bits.

LLVM and ptxas order instructions by what they need. What should come later than a value, though it
does not need it, gets no bits of that value: `register | (value & mask)`, where neither LLVM nor
ptxas knows that the mask is zero. It is the sign of an address, and addresses of the GPU have fewer
than 63 bits (CUDA programming guide, virtual memory). Each register takes one instruction.
"""

from typing import Any

from tilec.ir import llvm_ops
from tilec.ir.bindings import arith
from tilec.passes.analysis.kernels import function_body
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering

_SIGN = 63
"""The bit of an address that holds its sign."""


def no_bits_of(value: Any, lowering: Lowering) -> Any:
    """Emit a zero (i32) that needs a 32-bit value."""
    word, i64 = llvm_ops.bitcast(emit.i32_type(), value), emit.i64_type()
    arguments = map(lowering.get, function_body(lowering.function).arguments)
    address = next(item for item in arguments if str(item.type).startswith("!llvm.ptr"))
    number = llvm_ops.pointer_to_integer(i64, address)
    mask = arith.trunci(emit.i32_type(), arith.shrsi(number, emit.constant(i64, _SIGN)))
    return arith.andi(word, mask)


def with_bits(register: Any, bits: Any) -> Any:
    """Emit a 32-bit register with more bits (i32), which are none."""
    word = arith.ori(llvm_ops.bitcast(emit.i32_type(), register), bits)
    return llvm_ops.bitcast(register.type, word)
