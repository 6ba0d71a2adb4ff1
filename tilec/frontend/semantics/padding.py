"""What a load gives outside of its array: a number, or one of a few names."""

import math

from tilec.frontend.semantics.builtins.table import Argument, Call
from tilec.frontend.semantics.values import Constant
from tilec.support.dtypes import DType

_PADDING_NAMES = {
    "zero": 0.0,
    "neg_zero": -0.0,
    "nan": math.nan,
    "pos_inf": math.inf,
    "neg_inf": -math.inf,
}
ARRAY = "array"
"""Padding of a load from a slice: the elements of its array, and zero outside of that."""


def padding_name(value: float | str, dtype: DType) -> str | None:
    """Return the padding of the view type that gives `value`, or None when none does."""
    if isinstance(value, str):
        return value
    if value == 0:
        is_negative = dtype.is_float and math.copysign(1.0, value) < 0
        return "neg_zero" if is_negative else "zero"
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    if isinstance(value, float) and math.isinf(value):
        return "pos_inf" if value > 0 else "neg_inf"
    return None


def named_padding(call: Call, pad: Argument, *others: str) -> Argument:
    """Return a padding as an argument that holds no name; `others` are accepted elsewhere."""
    value = pad.value
    if not isinstance(value, Constant) or not isinstance(value.value, str):
        return pad
    if value.value not in _PADDING_NAMES:
        names = ", ".join(f"'{name}'" for name in (*_PADDING_NAMES, *others))
        message = f"unknown padding '{value.value}'"
        raise call.fail("T0310", message, pad.span, hint=f"use a number or one of {names}")
    return Argument(Constant(_PADDING_NAMES[value.value], pad.span), pad.span)
