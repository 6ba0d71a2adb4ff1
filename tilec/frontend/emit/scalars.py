"""Scalar operations of the typed program, spelled with the arith and math dialects."""

from collections.abc import Callable
from typing import Any

from tilec.frontend.emit.types import mlir_type
from tilec.frontend.semantics import hir
from tilec.ir.bindings import arith, ir, math

_FLOAT_PREDICATES = {
    "equal": (arith.CmpFPredicate.OEQ, arith.CmpFPredicate.UEQ),
    "not_equal": (arith.CmpFPredicate.ONE, arith.CmpFPredicate.UNE),
    "less_than": (arith.CmpFPredicate.OLT, arith.CmpFPredicate.ULT),
    "less_than_or_equal": (arith.CmpFPredicate.OLE, arith.CmpFPredicate.ULE),
    "greater_than": (arith.CmpFPredicate.OGT, arith.CmpFPredicate.UGT),
    "greater_than_or_equal": (arith.CmpFPredicate.OGE, arith.CmpFPredicate.UGE),
}
"""Predicate -> (ordered, unordered)."""
_INTEGER_PREDICATES = {
    "equal": (arith.CmpIPredicate.eq, arith.CmpIPredicate.eq),
    "not_equal": (arith.CmpIPredicate.ne, arith.CmpIPredicate.ne),
    "less_than": (arith.CmpIPredicate.slt, arith.CmpIPredicate.ult),
    "less_than_or_equal": (arith.CmpIPredicate.sle, arith.CmpIPredicate.ule),
    "greater_than": (arith.CmpIPredicate.sgt, arith.CmpIPredicate.ugt),
    "greater_than_or_equal": (arith.CmpIPredicate.sge, arith.CmpIPredicate.uge),
}
"""Predicate -> (signed, unsigned)."""
_PLAIN = {
    "addi": arith.AddIOp,
    "subi": arith.SubIOp,
    "muli": arith.MulIOp,
    "andi": arith.AndIOp,
    "ori": arith.OrIOp,
    "xori": arith.XOrIOp,
    "shli": arith.ShLIOp,
    "addf": arith.AddFOp,
    "subf": arith.SubFOp,
    "mulf": arith.MulFOp,
    "divf": arith.DivFOp,
    "remf": arith.RemFOp,
    "negf": arith.NegFOp,
    "select": arith.SelectOp,
    "pow": math.PowFOp,
    "fma": math.FmaOp,
    "absf": math.AbsFOp,
    "absi": math.AbsIOp,
    "ceil": math.CeilOp,
    "floor": math.FloorOp,
    "sqrt": math.SqrtOp,
    "rsqrt": math.RsqrtOp,
    "log2": math.Log2Op,
    "sin": math.SinOp,
    "cos": math.CosOp,
    "tan": math.TanOp,
    "sinh": math.SinhOp,
    "cosh": math.CoshOp,
    "asin": math.AsinOp,
    "acos": math.AcosOp,
    "atan": math.AtanOp,
    "log1p": math.Log1pOp,
    "expm1": math.ExpM1Op,
    "popcount": math.CtPopOp,
    "clz": math.CountLeadingZerosOp,
    "erf": math.ErfOp,
    "round": math.RoundEvenOp,
    "trunc": math.TruncOp,
    "atan2": math.Atan2Op,
}
_ROUNDED = {"exp": math.ExpOp, "log": math.LogOp, "tanh": math.TanhOp}
"""Functions that take a rounding."""
_SIGNED = {
    "divi": (arith.DivSIOp, arith.DivUIOp),
    "remi": (arith.RemSIOp, arith.RemUIOp),
    "maxi": (arith.MaxSIOp, arith.MaxUIOp),
    "mini": (arith.MinSIOp, arith.MinUIOp),
    "shri": (arith.ShRSIOp, arith.ShRUIOp),
}
"""Operation -> (signed, unsigned). Divisions round to zero: the analysis spells out the rest."""
_EXTREMA = {
    "maxf": (arith.MaximumFOp, arith.MaxNumFOp),
    "minf": (arith.MinimumFOp, arith.MinNumFOp),
}
"""Operation -> (a NaN wins, a NaN loses)."""
_SIGNED_CONVERSIONS = {
    "ftoi": (arith.FPToSIOp, arith.FPToUIOp),
    "itof": (arith.SIToFPOp, arith.UIToFPOp),
    "exti": (arith.ExtSIOp, arith.ExtUIOp),
}


def emit_scalar(op: hir.Operation, operands: list[Any], where: Any) -> Any:
    """Build the scalar operation `op` at location `where` and return its result."""
    name, attributes = op.name, op.attributes
    if name in _PLAIN:
        return _PLAIN[name](*operands, loc=where).result
    if name in _ROUNDED:
        mode = "#arith.fastmath<afn>" if attributes.get("rounding") == "approx" else None
        flags = ir.Attribute.parse(mode) if mode else None
        return _ROUNDED[name](*operands, fastmath=flags, loc=where).result
    if name in _SIGNED:
        return _SIGNED[name][0 if attributes["signed"] else 1](*operands, loc=where).result
    if name in _EXTREMA:
        chosen = _EXTREMA[name][0 if attributes.get("propagate_nan") else 1]
        return chosen(*operands, loc=where).result
    result_type = mlir_type(op.results[0].type)
    if name in _SIGNED_CONVERSIONS:
        chosen = _SIGNED_CONVERSIONS[name][0 if attributes["signed"] else 1]
        return chosen(result_type, *operands, loc=where).result
    return _SPECIAL[name](op, operands, result_type, where)


def _constant(op: hir.Operation, _: list[Any], result_type: Any, where: Any) -> Any:
    attribute = scalar_attribute(result_type, op.attributes["value"])
    return arith.ConstantOp(result_type, attribute, loc=where).result


def scalar_attribute(type_: Any, value: float) -> Any:
    """Return a number as an attribute of an integer or float type."""
    if isinstance(type_, ir.IntegerType):
        return ir.IntegerAttr.get(type_, _wrap(int(value), type_.width))
    return ir.FloatAttr.get(type_, float(value))


def _wrap(value: int, width: int) -> int:
    """Return the bit pattern of `value` as a signed integer of `width` bits."""
    if width == 1:
        return value & 1
    low = value & ((1 << width) - 1)
    return low - (1 << width) if low >> (width - 1) else low


def _compare_integers(op: hir.Operation, operands: list[Any], _: Any, where: Any) -> Any:
    choices = _INTEGER_PREDICATES[op.attributes["predicate"]]
    predicate = choices[0 if op.attributes["signed"] else 1]
    return arith.CmpIOp(predicate, *operands, loc=where).result


def _compare_floats(op: hir.Operation, operands: list[Any], _: Any, where: Any) -> Any:
    choices = _FLOAT_PREDICATES[op.attributes["predicate"]]
    predicate = choices[0 if op.attributes["ordering"] == "ordered" else 1]
    return arith.CmpFOp(predicate, *operands, loc=where).result


def _negate(_: hir.Operation, operands: list[Any], result_type: Any, where: Any) -> Any:
    zero = arith.ConstantOp(result_type, ir.IntegerAttr.get(result_type, 0), loc=where)
    return arith.SubIOp(zero.result, operands[0], loc=where).result


def _exp2(op: hir.Operation, operands: list[Any], _: Any, where: Any) -> Any:
    result = math.Exp2Op(operands[0], loc=where)
    if op.attributes.get("flush_to_zero", False):
        result.operation.attributes["flush_to_zero"] = ir.UnitAttr.get()
    return result.result


def _truncate(_: hir.Operation, operands: list[Any], result_type: Any, where: Any) -> Any:
    return arith.TruncIOp(result_type, operands[0], loc=where).result


def _bitcast(_: hir.Operation, operands: list[Any], result_type: Any, where: Any) -> Any:
    return arith.BitcastOp(result_type, operands[0], loc=where).result


def _convert_float(_: hir.Operation, operands: list[Any], result_type: Any, where: Any) -> Any:
    source = operands[0]
    if source.type.width == result_type.width:
        source = arith.ExtFOp(ir.F32Type.get(), source, loc=where).result
    if source.type.width < result_type.width:
        return arith.ExtFOp(result_type, source, loc=where).result
    return arith.TruncFOp(result_type, source, loc=where).result


_SPECIAL: dict[str, Callable[[hir.Operation, list[Any], Any, Any], Any]] = {
    "constant": _constant,
    "cmpi": _compare_integers,
    "cmpf": _compare_floats,
    "negi": _negate,
    "exp2": _exp2,
    "trunci": _truncate,
    "ftof": _convert_float,
    "bitcast": _bitcast,
}
