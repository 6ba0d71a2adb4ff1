"""Rules for arith and math: scalars are cloned, tiles are unrolled over their registers."""

from collections.abc import Callable
from typing import Any

from tilec.diagnostics import CompileError, InternalCompilerError, error
from tilec.ir.bindings import arith, ir, llvm
from tilec.passes.analysis.kernels import span_of
from tilec.passes.conversion.nv_tileas_to_llvm import emit, restricted_floats
from tilec.passes.conversion.nv_tileas_to_llvm.control_flow import clone_scalar
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import (
    PASS_NAME,
    Lowering,
    lowers,
    tile_layout,
)

Emitter = Callable[[Lowering, Any, list[Any]], Any]

_LIBDEVICE = {
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
    "math.erf": "erf",
    "arith.remf": "fmod",
}
"""Functions of NVIDIA's libdevice by operation; `f` is appended for f32 (libdevice user guide)."""

_INTRINSICS = {
    "math.sqrt": "llvm.sqrt",
    "math.absf": "llvm.fabs",
    "math.floor": "llvm.floor",
    "math.ceil": "llvm.ceil",
    "math.fma": "llvm.fma",
    "arith.maximumf": "llvm.maximum",
    "arith.minimumf": "llvm.minimum",
    "arith.maxnumf": "llvm.maxnum",
    "arith.minnumf": "llvm.minnum",
}
"""LLVM intrinsics that NVPTX selects to instructions, by operation."""


@lowers("arith.*", "math.*")
def lower_elementwise(lowering: Lowering, op: Any) -> None:
    """Lower an operation of arith or math on scalars or on tiles."""
    if not isinstance(op.results[0].type, ir.RankedTensorType):
        if op.name.startswith("math.") or op.name in _LIBDEVICE or op.name in _INTRINSICS:
            operands = [lowering.get(operand) for operand in op.operands]
            lowering.set(op.results[0], _apply(lowering, op, operands, op.results[0].type))
        elif _restricted_types(op):
            operands = [lowering.get(operand) for operand in op.operands]
            lowering.set(op.results[0], _instance(lowering, op, operands, op.results[0].type))
        else:
            clone_scalar(lowering, op)
        return
    layout = tile_layout(op.results[0])
    element = op.results[0].type.element_type
    if _narrows_pairs(op, layout.num_registers):
        lowering.set(op.results[0], _narrow_pairs(lowering.tile(op.operands[0]), element))
        return
    columns = [_registers(lowering, operand, layout.num_registers) for operand in op.operands]
    results: dict[tuple[Any, ...], Any] = {}
    registers = []
    for row in zip(*columns, strict=True):
        if row not in results:
            results[row] = _instance(lowering, op, list(row), element)
        registers.append(results[row])
    lowering.set(op.results[0], registers)


@lowers("arith.mulsi_extended", "arith.mului_extended")
def lower_extended_product(lowering: Lowering, op: Any) -> None:
    """Multiply to double width; the results are the low and the high half."""
    result = op.results[0].type
    if not isinstance(result, ir.RankedTensorType):
        operands = [lowering.get(operand) for operand in op.operands]
        for value, half in zip(op.results, _halves(lowering, op, operands, result), strict=True):
            lowering.set(value, half)
        return
    count = tile_layout(op.results[0]).num_registers
    columns = [_registers(lowering, operand, count) for operand in op.operands]
    rows = [
        _halves(lowering, op, list(row), result.element_type) for row in zip(*columns, strict=True)
    ]
    for value, half in zip(op.results, zip(*rows, strict=True), strict=True):
        lowering.set(value, list(half))


def _halves(lowering: Lowering, op: Any, operands: list[Any], element: Any) -> list[Any]:
    """Emit one product; 64-bit ones have no type of twice the width, but a libdevice function."""
    if ir.IntegerType(element).width < 64:
        types = [element, element]
        return list(ir.Operation.create(op.name, results=types, operands=operands).results)
    name = "__nv_umul64hi" if op.name == "arith.mului_extended" else "__nv_mul64hi"
    lowering.declare(name, element, [element, element])
    high = llvm.CallOp(element, operands, [], [], callee=name).result
    return [arith.muli(*operands), high]


def _scalar_constant(element: Any, value: Any) -> Any:
    if not restricted_floats.is_restricted(element):
        return arith.ConstantOp(element, value).result
    return restricted_floats.constant(ir.FloatAttr(value).value, element)


def _narrows_pairs(op: Any, registers: int) -> bool:
    """Tell whether `op` converts f32 to a 16-bit float, which the hardware does two at a time."""
    if op.name != "arith.truncf" or registers % 2:
        return False
    source, result = op.operands[0].type.element_type, op.results[0].type.element_type
    return isinstance(source, ir.F32Type) and ir.FloatType(result).width == 16


def _narrow_pairs(registers: list[Any], element: Any) -> list[Any]:
    """Convert neighbouring registers with one instruction (PTX ISA, cvt.rn.bf16x2.f32)."""
    pair_type = ir.VectorType.get([2], element)
    results = []
    for first in range(0, len(registers), 2):
        pair = arith.truncf(pair_type, emit.pack(registers[first : first + 2]))
        results += [llvm.ExtractElementOp(pair, emit.value(lane)).res for lane in range(2)]
    return results


@lowers("arith.constant")
def lower_constant(lowering: Lowering, op: Any) -> None:
    """Lower a constant; a splat tile needs one scalar."""
    result = op.results[0]
    if not isinstance(result.type, ir.RankedTensorType):
        clone_scalar(lowering, op)
        return
    value = ir.DenseElementsAttr(op.attributes["value"])
    if not value.is_splat:
        raise CompileError(
            error(
                "T0561",
                "a tile constant with differing elements cannot be compiled",
                span_of(op),
                hint="compute it from arange",
            )
        )
    scalar = _scalar_constant(result.type.element_type, value.get_splat_value())
    lowering.set(result, [scalar] * tile_layout(result).num_registers)


def _registers(lowering: Lowering, operand: Any, count: int) -> list[Any]:
    if isinstance(operand.type, ir.RankedTensorType):
        return lowering.tile(operand)
    return [lowering.get(operand)] * count


def _restricted_types(op: Any) -> list[Any]:
    """Return the restricted float types among the operands and results of `op`."""
    types = [getattr(v.type, "element_type", v.type) for v in (*op.operands, *op.results)]
    return [type_ for type_ in types if restricted_floats.is_restricted(type_)]


def _instance(lowering: Lowering, op: Any, operands: list[Any], result: Any) -> Any:
    """Emit one scalar instance of `op`, restricted floats included."""
    if not _restricted_types(op):
        return _apply(lowering, op, operands, result)
    source = getattr(op.operands[0].type, "element_type", op.operands[0].type)
    if op.name in ("arith.extf", "arith.truncf"):
        single = ir.F32Type.get()
        wide = restricted_floats.is_restricted(source) and restricted_floats.is_restricted(result)
        if restricted_floats.is_restricted(source):
            value = restricted_floats.extend(operands[0], source, single if wide else result)
            return restricted_floats.truncate(value, result) if wide else value
        return restricted_floats.truncate(operands[0], result)
    if op.name == "arith.bitcast":
        return operands[0]
    if op.name == "arith.select":
        return arith.select(*operands)
    raise CompileError(
        error(
            "T0562",
            f"restricted floats (f8, tf32) have no arithmetic: '{op.name}'",
            span_of(op),
            hint="cast to f32 first",
        )
    )


def _apply(lowering: Lowering, op: Any, operands: list[Any], result: Any) -> Any:
    """Emit one scalar instance of `op`."""
    if op.name in _LIBDEVICE:
        return _call_libdevice(lowering, op, operands, result)
    if op.name in _INTRINSICS:
        return llvm.CallIntrinsicOp(result, _intrinsic(op.name, result), operands, [], []).results_
    if op.name == "math.absi":
        negated = arith.subi(arith.constant(result, 0), operands[0])
        return arith.maxsi(operands[0], negated)
    if op.name.startswith("math."):
        raise InternalCompilerError(
            f"'{op.name}' has no lowering to LLVM", pass_name=PASS_NAME, op=op.name
        )
    attributes = dict(op.attributes.items())
    clone = ir.Operation.create(op.name, results=[result], operands=operands, attributes=attributes)
    return clone.results[0]


def _intrinsic(name: str, element: Any) -> str:
    suffix = {"f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f64"}[str(element)]
    return f"{_INTRINSICS[name]}.{suffix}"


def _call_libdevice(lowering: Lowering, op: Any, operands: list[Any], result: Any) -> Any:
    """Call the libdevice function of `op`; 16-bit elements are computed in f32."""
    wide = result
    if ir.FloatType(result).width < 32:
        wide = ir.F32Type.get()
        operands = [arith.extf(wide, operand) for operand in operands]
    name = f"__nv_{_LIBDEVICE[op.name]}" + ("f" if ir.FloatType(wide).width == 32 else "")
    lowering.declare(name, wide, [operand.type for operand in operands])
    called = llvm.CallOp(wide, operands, [], [], callee=name).result
    return called if wide == result else arith.truncf(result, called)
