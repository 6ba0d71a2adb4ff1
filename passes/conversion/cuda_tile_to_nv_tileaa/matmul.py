"""Matrix multiply-accumulate."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileaa.tile_ops import DotOp
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.rules import Conversion, rule, text


@rule("mmaf")
def convert_float_mma(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a product of float tiles."""
    a, b, c = state.operands(op)
    result = DotOp.build(a, b, c)
    if "fast_acc" in op.attributes:
        result.owner.attributes["fast_acc"] = op.attributes["fast_acc"]
    return [result]


@rule("mmai")
def convert_integer_mma(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a product of integer tiles."""
    a, b, c = state.operands(op)
    signedness = (text(op, "signedness_lhs", "signed"), text(op, "signedness_rhs", "signed"))
    return [DotOp.build(a, b, c, signedness=signedness)]
