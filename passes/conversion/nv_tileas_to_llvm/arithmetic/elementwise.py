"""Rules for arith and math: scalars are cloned, tiles are unrolled over their registers."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from typing import Any

from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir
from tilec.ir.float8 import float_of_integer
from tilec.ir.values import is_tile
from tilec.layout.matrix_accesses import PAIR
from tilec.passes.analysis.facts.comparisons import COMPARISON_FACTS, recorded_run
from tilec.passes.analysis.kernels import span_of
from tilec.passes.conversion.nv_tileas_to_llvm.arithmetic import pairs, restricted_floats
from tilec.passes.conversion.nv_tileas_to_llvm.arithmetic.index_casts import index_cast
from tilec.passes.conversion.nv_tileas_to_llvm.arithmetic.index_comparisons import index_comparison
from tilec.passes.conversion.nv_tileas_to_llvm.arithmetic.libdevice_calls import (
    LIBDEVICE,
    call_libdevice,
    is_approximate,
)
from tilec.passes.conversion.nv_tileas_to_llvm.arithmetic.shared_quotients import (
    quotients,
    shares_divisors,
)
from tilec.passes.conversion.nv_tileas_to_llvm.control_flow import clone_scalar
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import (
    PASS_NAME,
    RULES,
    Lowering,
    lowers_runs,
    tile_layout,
)
from tilec.support.diagnostics import CompileError, InternalCompilerError, error

Emitter = Callable[[list[Any]], Any]

_BITCAST, _QUOTIENT = "arith.bitcast", "arith.divf"
_FULL_RANGE_QUOTIENT = ("div.full.f32 $0, $1, $2;", "=f,f,f")
"""What divides f32 within 2 ulp, for every divisor and without a branch (PTX ISA, `div`)."""

_REGISTERS = {16: "h", 32: "r", 64: "l"}
"""Constraints of inline PTX by the width of a register (NVPTX)."""
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
_COUNTS = {
    "math.ctpop": ("llvm.intr.ctpop", ()),
    "math.ctlz": ("llvm.intr.ctlz", ("is_zero_poison",)),
}
"""Counts of bits: operations of the llvm dialect, and flags of theirs that are not set."""


@RULES.converts_dialects("arith", "math")
def lower_elementwise(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Lower an operation of arith or math on scalars or on one tile."""
    if shares_divisors(op):
        return [quotients(*map(lowering.tile, op.operands))]
    if is_tile(op.results[0]):
        _lower_tiles(lowering, [op], tile_layout(op.results[0]).num_registers)
        return [lowering.tile(op.results[0])]
    operands = [lowering.get(operand) for operand in op.operands]
    if op.name.startswith("math.") or op.name in LIBDEVICE or op.name in _INTRINSICS:
        return [_apply(lowering, op, operands, op.results[0].type)]
    if _restricted_types(op) or op.name == _BITCAST:
        return [_instance(lowering, op, operands, op.results[0].type)]
    return clone_scalar(lowering, op)


@lowers_runs
def lower_elementwise_run(lowering: Lowering, ops: Sequence[Any]) -> int:
    """Lower the operations on tiles of one size at the start of `ops`, a pair of registers a time.

    An operation at a time would keep a result for every register alive from one operation to the
    next: twice the accumulator in an epilogue, which does not fit in the registers of a thread.
    """
    if not _is_in_run(ops[0]):
        return 0
    count = tile_layout(ops[0].results[0]).num_registers
    run = list(
        takewhile(
            lambda op: _is_in_run(op) and tile_layout(op.results[0]).num_registers == count,
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
        and is_tile(op.results[0])
    )


def _is_in_run(op: Any) -> bool:
    return is_elementwise(op) and not shares_divisors(op)


def _lower_tiles(lowering: Lowering, ops: Sequence[Any], count: int) -> None:
    """Lower operations on tiles of `count` registers, two registers of all of them at a time."""
    for op in ops:
        lowering.set(op.results[0], [])
    run = [ElementwiseRegisters(lowering, op) for op in ops]
    for first in range(0, count, 2):
        for item in run:
            item.emit(range(first, min(first + 2, count)))


class ElementwiseRegisters:
    """Emits an operation on a tile for some registers at a time; equal operands give one result.

    What does not depend on the registers is asked once: operations and types answer slowly.
    """

    def __init__(self, lowering: Lowering, op: Any) -> None:
        """Start without registers; `lowering` has a list for those of the result."""
        self.lowering, self.op, self.location = lowering, op, op.location
        self.element = op.results[0].type.element_type
        self.equal = _equal_registers(op)
        self.narrows, self.pair_rule = pairs.narrows(op), pairs.find_rule(op, _apply)
        if _restricted_types(op):
            self.emit_one: Emitter = partial(_instance, lowering, op, result=self.element)
        else:
            self.emit_one = _emitter(lowering, op, self.element)
        self.known: dict[tuple[Any, ...], Any] = {}

    def emit(self, numbers: range) -> None:
        """Append the registers of some numbers to the result; those before are there."""
        with self.location:
            if numbers.start == 0:
                self._begin()
            rule = self.element_rule
            self.registers += map(rule, numbers) if rule else self._emitted(numbers)

    def _begin(self) -> None:
        lowering, op = self.lowering, self.op
        self.registers: list[Any] = lowering.tile(op.results[0])
        self.element_rule = index_cast(lowering, op) or index_comparison(lowering, op)
        self.columns = [
            (lowering.get(operand), is_tile(operand))
            for operand in (op.operands if self.element_rule is None else ())
        ]

    def _emitted(self, numbers: range) -> list[Any]:
        lowering, known, equal = self.lowering, self.known, self.equal
        rows = [
            tuple(
                [column[n - n % equal] if is_tile else column for column, is_tile in self.columns]
            )
            for n in numbers
        ]
        is_pair = len(rows) == PAIR
        if is_pair and self.narrows:
            return pairs.narrow(lowering, [row[0] for row in rows], self.element)
        if is_pair and self.pair_rule and not any(row in known for row in rows):
            both = self.pair_rule(lowering, rows)
            known.update(zip(rows, both, strict=True) if both is not None else ())
        for row in rows:
            if row not in known:
                known[row] = self.emit_one(list(row))
        return [known[row] for row in rows]


def _equal_registers(op: Any) -> int:
    """Return how many neighbouring registers of the result of `op` are known to be equal."""
    run = recorded_run(op)
    if run == 1:
        return 1
    layout = tile_layout(op.results[0])
    return layout.vector_width(layout.rank - 1, run)


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


@RULES.converts(arith.ConstantOp)
def lower_constant(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Lower a constant; a splat tile needs one scalar."""
    result = op.results[0]
    if not is_tile(result):
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
    if is_tile(operand):
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
    if op.name == _BITCAST:
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
    return _emitter(lowering, op, result)(operands)


def _emitter(lowering: Lowering, op: Any, result: Any) -> Emitter:
    """Return what emits a scalar instance of `op` for its operands."""
    name = op.name
    if name in LIBDEVICE:
        return lambda operands: call_libdevice(lowering, op, operands, result)
    if name in _INTRINSICS:
        return partial(llvm_ops.call_intrinsic, result, _intrinsic(name, result))
    if name in _COUNTS:
        operation, flags = _COUNTS[name]
        attributes = {flag: ir.BoolAttr.get(False) for flag in flags}
        return lambda operands: (
            ir.Operation.create(operation, (result,), operands, attributes).result
        )
    if name == "math.absi":
        return lambda operands: _absolute(operands[0], result)
    if name == _QUOTIENT and isinstance(result, ir.F32Type) and is_approximate(op):
        return lambda operands: llvm_ops.inline_asm(
            *_FULL_RANGE_QUOTIENT, operands, result, has_side_effects=False
        )
    if name == _BITCAST and _hides_bits(op.operands[0].type, result):
        return lambda operands: _renamed(operands[0], result)
    if name.startswith("math."):
        raise InternalCompilerError(
            f"'{name}' has no lowering to LLVM", pass_name=PASS_NAME, op=name
        )
    attributes = {key: item for key, item in op.attributes.items() if key not in COMPARISON_FACTS}
    return lambda operands: ir.Operation.create(name, (result,), operands, attributes).result


def _hides_bits(source: Any, result: Any) -> bool:
    """Tell whether LLVM must not see that `result` has the bits of a float: see `_renamed`."""
    kind = getattr(source, "element_type", source)
    halves = all(isinstance(item, ir.F16Type | ir.BF16Type) for item in (kind, result))
    floats = ir.F16Type | ir.BF16Type | ir.F32Type | ir.F64Type
    return halves or (isinstance(kind, floats) and isinstance(result, ir.IntegerType))


def _renamed(operand: Any, result: Any) -> Any:
    """Return the bits of a float as an integer, or those of an f16 as a bf16 or the reverse.

    The move hides where they come from. LLVM ends the process where it compares such bits of a
    number that was an integer (LLVM 22.1, InstCombine: `fcmp (bitcast (uitofp i1 to half) to
    bfloat), 0`). It stores a part of a register that holds a float (`cvt.rn.f32.s32 %r1, %r2;
    st.global.b8 [%rd1], %r1`), and ptxas up to 13.0 converts that float to an integer instead
    (docs/measurements/2026-11-26-ptxas-versions.md).
    """
    width = ir.FloatType(operand.type).width
    bits = arith.bitcast(ir.IntegerType.get_signless(width), operand)
    constraints = "={0},{0}".format(_REGISTERS[width])
    moved = llvm_ops.inline_asm(
        f"mov.b{width} $0, $1;", constraints, [bits], bits.type, has_side_effects=False
    )
    return moved if moved.type == result else arith.bitcast(result, moved)


def _absolute(operand: Any, result: Any) -> Any:
    return arith.maxsi(operand, arith.subi(arith.constant(result, 0), operand))


def _intrinsic(name: str, type_: Any) -> str:
    pair = isinstance(type_, ir.VectorType)
    element = ir.VectorType(type_).element_type if pair else type_
    return f"{_INTRINSICS[name]}.{'v2' if pair else ''}{element}"
