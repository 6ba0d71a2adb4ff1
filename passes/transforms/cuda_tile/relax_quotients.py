"""Let a quotient of f32 that is only rounded or approximated coarsely err by 2 ulp.

Before:  %q = divf %a, %b; %p = mulf %q, %c; %r = ftof %p : f32 to bf16
After:   %q = divf %a, %b {rounding = "full"}; the rest as it was

A correctly rounded quotient of f32 is a dozen instructions and a branch to a function, which every
warp takes that has one divisor or dividend far from 1 (of SiLU: where `exp(-x)` is large).
`div.full.f32` has no branch, and errs by at most 2 ulp for all divisors, 2^-22 of the quotient; a
half unit of f16 in the last place, the finest of the formats, is 2^-12 of the value or more.
Zeros, infinities and NaN are those of the exact quotient (PTX ISA, `div`), so `x / (1 + exp(-x))`
is a zero where exp overflows, and infinity over infinity is NaN. `div.approx.f32` would not do:
it gives 0 for every finite dividend where the divisor is above 2^126, and bf16 holds what is lost.
A subnormal quotient of f32, which has lost digits already, may lose two more of them.

Every use of the quotient must lead to a rounding, through nothing but operations that keep a
relative error: products, quotients, negations, extrema, choices, and changes of shape. A sum does
not (it may cancel), nor does a comparison, a power or a loop. An operation at most doubles the
error, where both of its operands have it. So after `_LONGEST` of them it is at most 2^-5 of a half
unit of f16, and the result is another 16-bit float only where the exact value was nearly half-way
between two. A quotient by a power of two is exact, and a product once it gets to LLVM; it stays.

`tanh` with the rounding `approx` counts as a rounding. Its relative error is 2^-11 (PTX ISA,
`tanh.approx.f32`), and it keeps that of its operand: |x tanh'(x)| <= |tanh(x)|. A soft cap of
scores, `cap * tanh(x / cap)`, has such a quotient for each of them.
"""

from collections.abc import Iterable
from math import frexp
from typing import Any

from tilec.dialects.cuda_tile import (
    AbsFOp,
    BroadcastOp,
    DivFOp,
    ExtractOp,
    FToFOp,
    MaxFOp,
    MinFOp,
    MulFOp,
    NegFOp,
    PermuteOp,
    ReshapeOp,
    SelectOp,
    TanHOp,
)
from tilec.ir.bindings import ir
from tilec.ir.values import users_of
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.registry import PassContext, register_pass

_PASSING = (
    AbsFOp,
    BroadcastOp,
    DivFOp,
    ExtractOp,
    MaxFOp,
    MinFOp,
    MulFOp,
    NegFOp,
    PermuteOp,
    ReshapeOp,
    SelectOp,
)
"""Operations whose result has the relative error of their operands, or the sum of two."""
_LONGEST = 5
"""How many of them may lie between a quotient and its rounding."""
_ROUNDED_BITS = 16
_HALF = 0.5
"""Significand of a power of two (`math.frexp`)."""


@register_pass("cuda-tile-relax-quotients")
def relax_quotients(module: Any, context: PassContext) -> bool:
    """Give quotients of f32 that are only rounded or approximated the rounding `full`."""
    ops = walk_operations(module.body)
    quotients = [op.opview for op in ops if op.name == DivFOp.OPERATION_NAME]
    relaxed = [item for item in quotients if _is_exact(item) and _is_only_rounded(item)]
    for quotient in relaxed:
        quotient.set_modifiers("full", flush_to_zero=False, propagate_nan=False)
    return bool(relaxed)


def _is_exact(quotient: DivFOp) -> bool:
    """Tell whether an f32 quotient is rounded to nearest and is more than a change of exponent."""
    return (
        isinstance(quotient.result.type.element_type, ir.F32Type)
        and quotient.rounding == "nearest_even"
        and not quotient.flush_to_zero
        and not _is_power_of_two(quotient.rhs)
    )


def _is_power_of_two(value: Any) -> bool:
    """Tell whether all elements of `value` are known to be one power of two."""
    number = number_of(value)
    return number is not None and abs(frexp(number)[0]) == _HALF


def _is_only_rounded(quotient: DivFOp) -> bool:
    """Tell whether all that becomes of a quotient is rounded coarsely."""
    users = _users([quotient])
    if not users:
        return False
    for _ in range(_LONGEST + 1):
        going_on = [user for user in users if not _rounds(user)]
        if not going_on:
            return True
        if not all(isinstance(user, _PASSING) for user in going_on):
            return False
        users = _users(going_on)
    return False


def _users(ops: Iterable[Any]) -> list[Any]:
    """Return the operations that use a result of `ops`, each one once."""
    used = {user for op in ops for user in users_of(op.results[0])}
    return [op.opview for op in used]


def _rounds(op: Any) -> bool:
    """Tell whether `op` rounds to few bits, or has an error of its own as large as that."""
    if isinstance(op, TanHOp):
        return op.rounding == "approx"
    return (
        isinstance(op, FToFOp)
        and ir.FloatType(op.results[0].type.element_type).width <= _ROUNDED_BITS
    )
