"""Elementwise operations: to the upstream arith and math dialects, on tensors."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects import cuda_tile
from tilec.ir.bindings import arith, ir
from tilec.ir.constants import full
from tilec.ir.float8 import LARGEST_FLOAT8, float_of_integer
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.division import DIVISIONS, divide
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.rules import (
    RULES,
    Conversion,
    convert_type,
    create,
    result_types,
    text,
    unsupported,
)

_FLOAT = {
    cuda_tile.AddFOp: "arith.addf",
    cuda_tile.SubFOp: "arith.subf",
    cuda_tile.MulFOp: "arith.mulf",
    cuda_tile.DivFOp: "arith.divf",
    cuda_tile.RemFOp: "arith.remf",
    cuda_tile.NegFOp: "arith.negf",
    cuda_tile.AbsFOp: "math.absf",
    cuda_tile.FmaOp: "math.fma",
    cuda_tile.PowOp: "math.powf",
    cuda_tile.CeilOp: "math.ceil",
    cuda_tile.FloorOp: "math.floor",
    cuda_tile.SqrtOp: "math.sqrt",
    cuda_tile.RsqrtOp: "math.rsqrt",
    cuda_tile.ExpOp: "math.exp",
    cuda_tile.Exp2Op: "math.exp2",
    cuda_tile.LogOp: "math.log",
    cuda_tile.Log2Op: "math.log2",
    cuda_tile.SinOp: "math.sin",
    cuda_tile.CosOp: "math.cos",
    cuda_tile.TanOp: "math.tan",
    cuda_tile.TanHOp: "math.tanh",
    cuda_tile.SinHOp: "math.sinh",
    cuda_tile.CosHOp: "math.cosh",
    cuda_tile.AsinOp: "math.asin",
    cuda_tile.AcosOp: "math.acos",
    cuda_tile.AtanOp: "math.atan",
    cuda_tile.Log1pOp: "math.log1p",
    cuda_tile.Expm1Op: "math.expm1",
    cuda_tile.ErfOp: "math.erf",
    cuda_tile.RoundOp: "math.roundeven",
    cuda_tile.TruncOp: "math.trunc",
    cuda_tile.Atan2Op: "math.atan2",
}
_INTEGER = {
    cuda_tile.AddIOp: "arith.addi",
    cuda_tile.SubIOp: "arith.subi",
    cuda_tile.MulIOp: "arith.muli",
    cuda_tile.ShLIOp: "arith.shli",
    cuda_tile.AndIOp: "arith.andi",
    cuda_tile.OrIOp: "arith.ori",
    cuda_tile.XOrIOp: "arith.xori",
    cuda_tile.AbsIOp: "math.absi",
    cuda_tile.PopcountOp: "math.ctpop",
    cuda_tile.ClzOp: "math.ctlz",
}
_BY_SIGN = {
    cuda_tile.RemIOp: ("arith.remsi", "arith.remui"),
    cuda_tile.MaxIOp: ("arith.maxsi", "arith.maxui"),
    cuda_tile.MinIOp: ("arith.minsi", "arith.minui"),
    cuda_tile.ShRIOp: ("arith.shrsi", "arith.shrui"),
}
_DIVISION = {
    ("zero", "signed"): "arith.divsi",
    ("zero", "unsigned"): "arith.divui",
    ("negative_inf", "signed"): "arith.floordivsi",
    ("positive_inf", "signed"): "arith.ceildivsi",
    ("positive_inf", "unsigned"): "arith.ceildivui",
}
_MIN_MAX = {
    (cuda_tile.MaxFOp, False): "arith.maxnumf",
    (cuda_tile.MaxFOp, True): "arith.maximumf",
    (cuda_tile.MinFOp, False): "arith.minnumf",
    (cuda_tile.MinFOp, True): "arith.minimumf",
}
_EXACT_ROUNDING = (None, "nearest_even")
FLUSH_TO_ZERO = "flush_to_zero"
"""Attribute, also on operations of math: subnormal operands and results become zeros."""
_FLUSHING = (cuda_tile.Exp2Op,)
_LOOSE_ROUNDING = ("approx", "full")
_OVERFLOW = {
    "no_signed_wrap": "#arith.overflow<nsw>",
    "no_unsigned_wrap": "#arith.overflow<nuw>",
    "no_wrap": "#arith.overflow<nsw, nuw>",
}
_COMPARISONS = ("equal", "not_equal", "less_than", "less_than_or_equal", "greater_than",
                "greater_than_or_equal")  # fmt: skip
_FLOAT_SUFFIXES = dict(zip(_COMPARISONS, ("EQ", "NE", "LT", "LE", "GT", "GE"), strict=True))
_INTEGER_SUFFIXES = dict(zip(_COMPARISONS, ("eq", "ne", "lt", "le", "gt", "ge"), strict=True))


def check_float_mode(op: Any) -> dict[str, Any]:
    """Return the attributes that keep the floating-point mode of `op`.

    Raises:
        CompileError: The rounding or the handling of denormals is not supported.
    """
    rounding = text(op, "rounding")
    if FLUSH_TO_ZERO in op.attributes:
        if type(op.opview) not in _FLUSHING:
            raise unsupported(op, FLUSH_TO_ZERO)
        return {FLUSH_TO_ZERO: ir.UnitAttr.get()}
    if rounding in _EXACT_ROUNDING:
        return {}
    if rounding in _LOOSE_ROUNDING:
        return {"fastmath": ir.Attribute.parse("#arith.fastmath<afn>")}
    raise unsupported(op, f"rounding {rounding}")


@RULES.converts(*_FLOAT)
def convert_float(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a floating-point operation."""
    attributes = check_float_mode(op)
    return create(_FLOAT[type(op.opview)], result_types(op), state.operands(op), attributes).results


@RULES.converts(cuda_tile.MaxFOp, cuda_tile.MinFOp)
def convert_min_max(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a minimum or maximum; `propagate_nan` selects the IEEE 754-2019 operation."""
    attributes = check_float_mode(op)
    name = _MIN_MAX[type(op.opview), "propagate_nan" in op.attributes]
    return create(name, result_types(op), state.operands(op), attributes).results


@RULES.converts(*_INTEGER)
def convert_integer(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite an integer operation whose meaning does not depend on the sign."""
    overflow = _OVERFLOW.get(text(op, "overflow", ""))
    attributes = {"overflowFlags": ir.Attribute.parse(overflow)} if overflow else {}
    return create(
        _INTEGER[type(op.opview)], result_types(op), state.operands(op), attributes
    ).results


@RULES.converts(*_BY_SIGN)
def convert_signed_integer(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite an integer operation that exists for signed and for unsigned operands."""
    signed, unsigned = _BY_SIGN[type(op.opview)]
    name = unsigned if text(op, "signedness") == "unsigned" else signed
    if name in DIVISIONS:
        return [divide(name, state.operands(op), state.ranges)]
    return create(name, result_types(op), state.operands(op)).results


@RULES.converts(cuda_tile.DivIOp)
def convert_division(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite an integer division by its rounding."""
    key = (text(op, "rounding", "zero"), text(op, "signedness", "signed"))
    if key not in _DIVISION:
        raise unsupported(op, f"rounding {key[0]} of {key[1]} integers")
    return [divide(_DIVISION[key], state.operands(op), state.ranges)]


@RULES.converts(cuda_tile.MulhiIOp)
def convert_high_product(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite the high half of an unsigned product."""
    (type_,) = result_types(op)
    return [create("arith.mului_extended", [type_, type_], state.operands(op)).results[1]]


@RULES.converts(cuda_tile.NegIOp)
def convert_negation(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite an integer negation as `0 - x`."""
    (operand,) = state.operands(op)
    return create("arith.subi", [operand.type], [full(operand.type, 0), operand]).results


@RULES.converts(cuda_tile.CmpFOp)
def convert_float_comparison(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a float comparison; ordered: false for NaN, unordered: true for NaN."""
    prefix = "U" if text(op, "ordering") == "unordered" else "O"
    name = prefix + _FLOAT_SUFFIXES[text(op, "predicate")]
    lhs, rhs = state.operands(op)
    return [arith.cmpf(arith.CmpFPredicate[name], lhs, rhs)]


@RULES.converts(cuda_tile.CmpIOp)
def convert_integer_comparison(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite an integer comparison."""
    name = _INTEGER_SUFFIXES[text(op, "predicate")]
    if name not in ("eq", "ne"):
        name = ("u" if text(op, "signedness") == "unsigned" else "s") + name
    lhs, rhs = state.operands(op)
    return [arith.cmpi(arith.CmpIPredicate[name], lhs, rhs)]


@RULES.converts(cuda_tile.SelectOp)
def convert_select(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite an elementwise choice."""
    return create("arith.select", result_types(op), state.operands(op)).results


@RULES.converts(cuda_tile.ConstantOp)
def convert_constant(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a constant tile."""
    attribute = op.attributes["value"]
    return create("arith.constant", result_types(op), [], {"value": attribute}).results


@RULES.converts(cuda_tile.BitcastOp)
def convert_bitcast(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a change of the element type that keeps the bits."""
    return create("arith.bitcast", result_types(op), state.operands(op)).results


@RULES.converts(cuda_tile.FToFOp)
def convert_float_cast(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a float conversion; formats of equal width go through f32."""
    check_float_mode(op)
    (source,) = state.operands(op)
    target = convert_type(op.results[0].type)
    before, after = source.type.element_type.width, target.element_type.width
    if before == after:
        wide = ir.RankedTensorType.get(list(target.shape), ir.F32Type.get())
        source = create("arith.extf", [wide], [source]).result
        before = wide.element_type.width
    if after > before:
        return create("arith.extf", [target], [source]).results
    return [_truncate(source, target)]


def _truncate(source: Any, target: Any) -> Any:
    """Round a tile to narrower floats; 8-bit floats saturate.

    MLIR folds `arith.truncf` of constants to NaN or infinity where the format has no larger value,
    so the clamp is explicit. `nv-tileaa-fold-saturation` removes it from what is left at run time.
    """
    largest = LARGEST_FLOAT8.get(str(target.element_type))
    if largest is not None:
        for name, bound in (("arith.maximumf", -largest), ("arith.minimumf", largest)):
            source = create(name, [source.type], [source, full(source.type, bound)]).result
    return create("arith.truncf", [target], [source]).result


@RULES.converts(cuda_tile.FToIOp, cuda_tile.IToFOp, cuda_tile.ExtIOp)
def convert_integer_cast(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a conversion from, to or between integers that depends on the sign."""
    names = {
        cuda_tile.FToIOp: ("arith.fptosi", "arith.fptoui"),
        cuda_tile.IToFOp: ("arith.sitofp", "arith.uitofp"),
        cuda_tile.ExtIOp: ("arith.extsi", "arith.extui"),
    }
    signed, unsigned = names[type(op.opview)]
    name = unsigned if text(op, "signedness") == "unsigned" else signed
    (target,) = result_types(op)
    (source,) = state.operands(op)
    if str(target.element_type) not in LARGEST_FLOAT8:
        return create(name, [target], [source]).results
    exact = float_of_integer(source.type.element_type)
    wide = ir.RankedTensorType.get(list(target.shape), exact)
    return [_truncate(create(name, [wide], [source]).result, target)]


@RULES.converts(cuda_tile.TruncIOp)
def convert_truncation(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite an integer truncation."""
    return create("arith.trunci", result_types(op), state.operands(op)).results
