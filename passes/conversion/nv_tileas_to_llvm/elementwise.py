"""Rules for arith and math: scalars are cloned, tiles are unrolled over their registers."""

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any

from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir
from tilec.ir.float8 import float_of_integer
from tilec.passes.analysis.facts.comparisons import EQUAL_RUN, recorded_run
from tilec.passes.analysis.kernels import span_of
from tilec.passes.conversion.nv_tileas_to_llvm import emit, restricted_floats
from tilec.passes.conversion.nv_tileas_to_llvm.control_flow import clone_scalar
from tilec.passes.conversion.nv_tileas_to_llvm.index_casts import index_cast
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import (
    PASS_NAME,
    RULES,
    Lowering,
    lowers_runs,
    tile_layout,
)
from tilec.plan.code_size import is_called
from tilec.support.diagnostics import CompileError, InternalCompilerError, error

HALF_BITS, UPPER_HALF = 16, -(1 << 16)
"""Width of a bf16, and the half of 32 bits (as an i32) in which an f32 holds one."""

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

_EXP2 = "math.exp2"
_FAST_LIBDEVICE = {"math.exp": "__nv_fast_expf", "math.tanh": "__nv_fast_tanhf"}
"""Approximations on f32, one or two instructions each (libdevice; CUDA math API, `__expf` and
`__tanhf`)."""

_QUOTIENT = "arith.divf"
_FULL_RANGE_QUOTIENT = ("div.full.f32 $0, $1, $2;", "=f,f,f")
"""What divides f32 within 2 ulp, for every divisor and without a branch (PTX ISA, `div`)."""

_INTRINSICS = {
    "math.sqrt": "llvm.sqrt",
    "math.absf": "llvm.fabs",
    "math.floor": "llvm.floor",
    "math.ceil": "llvm.ceil",
    "math.roundeven": "llvm.roundeven",
    "math.trunc": "llvm.trunc",
    "math.fma": "llvm.fma",
    "arith.maximumf": "llvm.maximum",
    "arith.minimumf": "llvm.minimum",
    "arith.maxnumf": "llvm.maxnum",
    "arith.minnumf": "llvm.minnum",
}
"""LLVM intrinsics that NVPTX selects to instructions, by operation."""

_CAST = ("cast",)
"""The key of what emits a conversion of indices; all others are registers of operands."""
_PAIRED = frozenset(
    (
        "arith.addf",
        "arith.subf",
        "arith.mulf",
        "arith.negf",
        "arith.maximumf",
        "arith.minimumf",
        "arith.maxnumf",
        "arith.minnumf",
        "math.fma",
        "math.absf",
    )
)
"""Operations that one instruction does on two 16-bit floats (PTX ISA, half precision
floating-point instructions: the types .f16x2 and .bf16x2)."""


@RULES.converts_dialects("arith", "math")
def lower_elementwise(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Lower an operation of arith or math on scalars or on one tile."""
    if isinstance(op.results[0].type, ir.RankedTensorType):
        _lower_tiles(lowering, [op], tile_layout(op.results[0]).num_registers)
        return [lowering.tile(op.results[0])]
    operands = [lowering.get(operand) for operand in op.operands]
    if op.name.startswith("math.") or op.name in _LIBDEVICE or op.name in _INTRINSICS:
        return [_apply(lowering, op, operands, op.results[0].type)]
    if _restricted_types(op):
        return [_instance(lowering, op, operands, op.results[0].type)]
    return clone_scalar(lowering, op)


@lowers_runs
def lower_elementwise_run(lowering: Lowering, ops: Sequence[Any]) -> int:
    """Lower the operations on tiles of one size at the start of `ops`, a pair of registers a time.

    An operation at a time would keep a result for every register alive from one operation to the
    next: twice the accumulator in an epilogue, which does not fit in the registers of a thread.
    """
    if not is_elementwise(ops[0]):
        return 0
    count = tile_layout(ops[0].results[0]).num_registers
    run = list(
        takewhile(
            lambda op: is_elementwise(op) and tile_layout(op.results[0]).num_registers == count,
            ops,
        )
    )
    _lower_tiles(lowering, run, count)
    return len(run)


def is_elementwise(op: Any) -> bool:
    """Tell whether `op` computes each element of one tile from the same element of others."""
    dialect = op.name.split(".")[0]
    return (
        dialect in ("arith", "math")
        and op.name != "arith.constant"
        and len(op.results) == 1
        and isinstance(op.results[0].type, ir.RankedTensorType)
    )


def _lower_tiles(lowering: Lowering, ops: Sequence[Any], count: int) -> None:
    """Lower operations on tiles of `count` registers, two registers of all of them at a time."""
    known: list[dict[tuple[Any, ...], Any]] = [{} for _ in ops]
    for op in ops:
        lowering.set(op.results[0], [])
    for first in range(0, count, 2):
        for op, results in zip(ops, known, strict=True):
            with op.location:
                lower_registers(lowering, op, range(first, min(first + 2, count)), results)


def lower_registers(
    lowering: Lowering, op: Any, numbers: range, known: dict[tuple[Any, ...], Any]
) -> None:
    """Append some registers to the result of `op`; equal operands give one instruction."""
    registers, element = lowering.tile(op.results[0]), op.results[0].type.element_type
    if numbers.start == 0:
        known[_CAST] = index_cast(lowering, op)
    if known[_CAST] is not None:
        registers += map(known[_CAST], numbers)
        return
    equal = _equal_registers(op)
    rows = [
        tuple(_register(lowering, operand, number - number % equal) for operand in op.operands)
        for number in numbers
    ]
    if _narrows_pairs(op, len(rows)):
        registers += _narrow_pair(lowering, [row[0] for row in rows], element)
        return
    column = [operand for row in rows for operand in row[:1]]
    if _widens_pairs(lowering, op, column) and not any(row in known for row in rows):
        wide = _widen_pair(lowering, column)
        known.update(zip(rows, wide, strict=True))
        registers += wide
        return
    if _computes_pairs(op, rows) and not any(row in known for row in rows):
        known.update(zip(rows, _compute_pair(lowering, op, rows), strict=True))
    for row in rows:
        if row not in known:
            known[row] = _instance(lowering, op, list(row), element)
        registers.append(known[row])


def _equal_registers(op: Any) -> int:
    """Return how many neighbouring registers of the result of `op` are known to be equal."""
    run = recorded_run(op)
    if run == 1:
        return 1
    layout = tile_layout(op.results[0])
    return layout.vector_width(layout.rank - 1, run)


def _register(lowering: Lowering, operand: Any, number: int) -> Any:
    if isinstance(operand.type, ir.RankedTensorType):
        return lowering.tile(operand)[number]
    return lowering.get(operand)


@RULES.converts(arith.MulSIExtendedOp, arith.MulUIExtendedOp)
def lower_extended_product(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Multiply to double width; the results are the low and the high half."""
    result = op.results[0].type
    if not isinstance(result, ir.RankedTensorType):
        operands = [lowering.get(operand) for operand in op.operands]
        return _halves(lowering, op, operands, result)
    count = tile_layout(op.results[0]).num_registers
    columns = [_registers(lowering, operand, count) for operand in op.operands]
    rows = [
        _halves(lowering, op, list(row), result.element_type) for row in zip(*columns, strict=True)
    ]
    return [list(half) for half in zip(*rows, strict=True)]


def _halves(lowering: Lowering, op: Any, operands: list[Any], element: Any) -> list[Any]:
    """Emit one product; 64-bit ones have no type of twice the width, but a libdevice function."""
    if ir.IntegerType(element).width < 64:
        types = [element, element]
        return list(ir.Operation.create(op.name, results=types, operands=operands).results)
    name = "__nv_umul64hi" if op.name == "arith.mului_extended" else "__nv_mul64hi"
    lowering.declare(name, element, [element, element])
    high = llvm_ops.call(element, name, operands)
    return [arith.muli(*operands), high]


def _scalar_constant(element: Any, value: Any) -> Any:
    if not restricted_floats.is_restricted(element):
        return arith.ConstantOp(element, value).result
    return restricted_floats.constant(ir.FloatAttr(value).value, element)


def _narrows_pairs(op: Any, registers: int) -> bool:
    """Tell whether `op` rounds f32 to 8 or 16 bits, which the hardware does two at a time."""
    if op.name != "arith.truncf" or registers % 2:
        return False
    source, result = op.operands[0].type.element_type, op.results[0].type.element_type
    if restricted_floats.is_restricted(result):
        return restricted_floats.truncates_pairs(source, result)
    return isinstance(source, ir.F32Type) and ir.FloatType(result).width == 16


def _narrow_pair(lowering: Lowering, registers: list[Any], element: Any) -> list[Any]:
    """Round two registers with one instruction (PTX ISA, cvt.rn.bf16x2.f32)."""
    lanes = emit.lane_numbers(len(registers))
    if restricted_floats.is_restricted(element):
        pair = restricted_floats.truncate_pair(registers, element)
    else:
        vector = ir.VectorType.get([len(registers)], element)
        pair = llvm_ops.value("arith.truncf", vector, [emit.pack(registers, lanes)])
    return lowering.unpack(pair, lanes)


def _widens_pairs(lowering: Lowering, op: Any, registers: Sequence[Any]) -> bool:
    """Tell whether `op` converts bf16 to f32, and `registers` are the halves of one of 32 bits.

    Each f32 takes a half as it is. What is not in such a register would have to be put there first.
    """
    if op.name != "arith.extf" or len(registers) % 2 or not lowering.are_parts(registers):
        return False
    source, result = op.operands[0].type.element_type, op.results[0].type.element_type
    return isinstance(source, ir.BF16Type) and isinstance(result, ir.F32Type)


def _widen_pair(lowering: Lowering, registers: list[Any]) -> list[Any]:
    """Convert two registers that share one of 32 bits with one instruction each."""
    word = lowering.word(registers, emit.lane_numbers(len(registers)))
    upper = [
        arith.shli(word, emit.value(HALF_BITS)),
        arith.andi(word, emit.value(UPPER_HALF)),
    ]
    return [arith.bitcast(ir.F32Type.get(), half) for half in upper]


def _computes_pairs(op: Any, rows: Sequence[tuple[Any, ...]]) -> bool:
    """Tell whether the hardware does `op` on the operands in both of `rows` at a time."""
    if op.name not in _PAIRED or len(set(rows)) < 2:
        return False
    return isinstance(op.results[0].type.element_type, ir.BF16Type | ir.F16Type)


def _compute_pair(lowering: Lowering, op: Any, rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Compute two registers with one instruction."""
    lanes = emit.lane_numbers(len(rows))
    operands = [lowering.pair(column, lanes) for column in zip(*rows, strict=True)]
    return lowering.unpack(_apply(lowering, op, operands, operands[0].type), lanes)


@RULES.converts(arith.ConstantOp)
def lower_constant(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Lower a constant; a splat tile needs one scalar."""
    result = op.results[0]
    if not isinstance(result.type, ir.RankedTensorType):
        return clone_scalar(lowering, op)
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
    return [[scalar] * tile_layout(result).num_registers]


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
        return restricted_floats.convert(operands[0], source, result)
    if op.name in ("arith.sitofp", "arith.uitofp"):
        wide = float_of_integer(ir.IntegerType(source))
        return restricted_floats.truncate(_apply(lowering, op, operands, wide), result)
    if op.name in ("arith.fptosi", "arith.fptoui"):
        wide = restricted_floats.extend(operands[0], source, ir.F32Type.get())
        return _apply(lowering, op, [wide], result)
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
        return llvm_ops.call_intrinsic(result, _intrinsic(op.name, result), operands)
    if op.name == "math.absi":
        negated = arith.subi(arith.constant(result, 0), operands[0])
        return arith.maxsi(operands[0], negated)
    if op.name == _QUOTIENT and isinstance(result, ir.F32Type) and _is_approximate(op):
        return llvm_ops.inline_asm(*_FULL_RANGE_QUOTIENT, operands, result, has_side_effects=False)
    if op.name.startswith("math."):
        raise InternalCompilerError(
            f"'{op.name}' has no lowering to LLVM", pass_name=PASS_NAME, op=op.name
        )
    attributes = {name: item for name, item in op.attributes.items() if name != EQUAL_RUN}
    clone = ir.Operation.create(op.name, results=[result], operands=operands, attributes=attributes)
    return clone.results[0]


def _intrinsic(name: str, type_: Any) -> str:
    pair = isinstance(type_, ir.VectorType)
    element = ir.VectorType(type_).element_type if pair else type_
    return f"{_INTRINSICS[name]}.{'v2' if pair else ''}{element}"


def _is_approximate(op: Any) -> bool:
    """Tell whether `op` may be approximated (fast-math flag `afn`)."""
    return "fastmath" in op.attributes and "afn" in str(op.attributes["fastmath"])


def _flushes(op: Any, result: Any) -> bool:
    """Tell whether `op` flushes subnormals: where it says so, and for elements of 16 bits."""
    return "flush_to_zero" in op.attributes or ir.FloatType(result).width < 32


def _call_libdevice(lowering: Lowering, op: Any, operands: list[Any], result: Any) -> Any:
    """Call the libdevice function of `op`; 16-bit elements are computed in f32."""
    wide = result
    if ir.FloatType(result).width < 32:
        wide = ir.F32Type.get()
        operands = [arith.extf(wide, operand) for operand in operands]
    name = f"__nv_{_LIBDEVICE[op.name]}" + ("f" if ir.FloatType(wide).width == 32 else "")
    if op.name in _FAST_LIBDEVICE and isinstance(result, ir.F32Type) and _is_approximate(op):
        name = _FAST_LIBDEVICE[op.name]
    if op.name == _EXP2 and isinstance(wide, ir.F32Type) and _flushes(op, result):
        power = llvm_ops.value("nvvm.ex2", wide, operands, ftz=ir.BoolAttr.get(True))
        return power if wide == result else arith.truncf(result, power)
    types = [operand.type for operand in operands]
    lowering.declare(name, wide, types)
    if is_called(op.name, lowering.copies_of(op.name)):
        name = lowering.outline(name, wide, types)
    called = llvm_ops.call(wide, name, operands)
    return called if wide == result else arith.truncf(result, called)
