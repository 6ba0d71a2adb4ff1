"""Calls of NVIDIA's libdevice for the operations of math that have no instruction."""

from typing import Any

from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering
from tilec.plan.code_size import is_called

LIBDEVICE = {
    "math.exp": "exp",
    "math.exp2": "exp2",
    "math.log": "log",
    "math.log2": "log2",
    "math.log10": "log10",
    "math.sin": "sin",
    "math.cos": "cos",
    "math.tan": "tan",
    "math.tanh": "tanh",
    "math.rsqrt": "rsqrt",
    "math.powf": "pow",
    "math.atan2": "atan2",
    "math.sinh": "sinh",
    "math.cosh": "cosh",
    "math.asin": "asin",
    "math.acos": "acos",
    "math.atan": "atan",
    "math.log1p": "log1p",
    "math.expm1": "expm1",
    "math.erf": "erf",
    "arith.remf": "fmod",
}
"""Functions of NVIDIA's libdevice by operation; `f` is appended for f32 (libdevice user guide)."""

_EXP2 = "math.exp2"
_FAST = {
    "math.exp": "__nv_fast_expf",
    "math.log": "__nv_fast_logf",
    "math.tanh": "__nv_fast_tanhf",
}
"""Approximations on f32, one or two instructions each (libdevice; CUDA math API, `__expf`, `__logf`
and `__tanhf`)."""


def is_approximate(op: Any) -> bool:
    """Tell whether `op` may be approximated (fast-math flag `afn`)."""
    return "fastmath" in op.attributes and "afn" in str(op.attributes["fastmath"])


def _flushes(op: Any, result: Any) -> bool:
    """Tell whether `op` flushes subnormals: where it says so, and for elements of 16 bits."""
    return "flush_to_zero" in op.attributes or ir.FloatType(result).width < 32


def call_libdevice(lowering: Lowering, op: Any, operands: list[Any], result: Any) -> Any:
    """Call the libdevice function of `op`; 16-bit elements are computed in f32."""
    wide = result
    if ir.FloatType(result).width < 32:
        wide = ir.F32Type.get()
        operands = [arith.extf(wide, operand) for operand in operands]
    name = f"__nv_{LIBDEVICE[op.name]}" + ("f" if ir.FloatType(wide).width == 32 else "")
    if op.name in _FAST and isinstance(result, ir.F32Type) and is_approximate(op):
        name = _FAST[op.name]
    if op.name == _EXP2 and isinstance(wide, ir.F32Type) and _flushes(op, result):
        power = llvm_ops.value("nvvm.ex2", wide, operands, ftz=ir.BoolAttr.get(True))
        return power if wide == result else arith.truncf(result, power)
    types = [operand.type for operand in operands]
    lowering.declare(name, wide, types)
    if is_called(op.name, lowering.copies_of(op.name)):
        name = lowering.outline(name, wide, types)
    called = llvm_ops.call(wide, name, operands)
    return called if wide == result else arith.truncf(result, called)
