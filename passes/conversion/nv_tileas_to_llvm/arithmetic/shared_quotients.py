"""Quotients of f32 whose divisor is that of several elements: `x / sum(x, axis=1)`, `x / scale`.

ptxas divides in 15 instructions, among them a reciprocal, a check of the exponents and a branch.
Elements of a thread that share a divisor share its reciprocal, and several have one check:

    y = rcp b; y = fma(y, 1 - b y, y)        // b is between 2^-62 and 2^24
    q = a y; q = fma(y, a - b q, q)          // for each a: the quotient, rounded correctly
    every a is 0 or between 2^-100 and 2^62  // else `div.rn` for all that are checked together

These are the steps of `div.rn` (ptxas 13.0, SASS). With such numbers every y and q is normal, and
`a - b q` is exact, for its last digit is at least 2^-149 (Markstein, "Computation of elementary
functions on the IBM RISC System/6000 processor", 1990). A zero keeps its sign: its rest is
`b q - a`, and that is subtracted, for b is positive. Dividends may be tiny, as in a softmax.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.structured import defining_operation
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.arithmetic.libdevice_calls import is_approximate
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import tile_layout
from tilec.plan.worth import CHECKED_QUOTIENTS, SHARED_DIVISOR

_MOST = 2.0**62
"""The largest dividend; the sum of a few squares of such numbers is finite, or too large."""
_LEAST_BITS = (127 - 100) << 23
"""The smallest dividend, 2^-100, as an integer."""
_LEAST_DIVISOR, _MOST_DIVISOR = 2.0**-62, 2.0**24


def shares_divisors(op: Any) -> bool:
    """Tell whether several elements of a thread share each divisor of a quotient of f32 tiles."""
    if op.name != "arith.divf" or is_approximate(op):
        return False
    result = op.results[0].type
    if not isinstance(result, ir.RankedTensorType) or str(result.element_type) != "f32":
        return False
    count = _different_registers(op.operands[1])
    return tile_layout(op.results[0]).num_registers >= SHARED_DIVISOR * count


def _different_registers(tile: Any) -> int:
    """Return how many registers of a tile may differ, as the operation that makes it says."""
    maker, layout = defining_operation(tile), tile_layout(tile)
    if maker is not None and maker.name == "nv_tileas.splat":
        return 1
    if maker is None or maker.name != "nv_tileas.broadcast":
        return layout.num_registers
    return len(set(layout.broadcast_source(tuple(maker.operands[0].type.shape))[1]))


def quotients(dividends: Sequence[Any], divisors: Sequence[Any]) -> list[Any]:
    """Emit the quotient of each two registers, f32; equal ones are divided once."""
    pairs = list(zip(dividends, divisors, strict=True))
    places = {divisor: place for place, divisor in enumerate(dict.fromkeys(divisors))}
    different = sorted(dict.fromkeys(pairs), key=lambda pair: places[pair[1]])
    found = {}
    for first in range(0, len(different), CHECKED_QUOTIENTS):
        part = different[first : first + CHECKED_QUOTIENTS]
        few = len(part) < SHARED_DIVISOR * len({divisor for _, divisor in part})
        results = [arith.divf(*pair) for pair in part] if few else _together(part)
        found.update(zip(part, results, strict=True))
    return [found[pair] for pair in pairs]


def _together(pairs: Sequence[tuple[Any, Any]]) -> list[Any]:
    """Emit the quotients of pairs, of which several have the same divisor, with one check."""
    known = {divisor: _reciprocal(divisor) for divisor in dict.fromkeys(pair[1] for pair in pairs)}
    quick = []
    for dividend, divisor in pairs:
        reciprocal, minus = known[divisor]
        first = arith.mulf(dividend, reciprocal)
        quick.append(_fma(minus, _fma(divisor, first, _minus(dividend)), first))
    usual = _are_usual([dividend for dividend, _ in pairs])
    in_range = reduce(arith.andi, [usual, *map(_is_usual_divisor, known)])
    branch = scf.IfOp(in_range, [value.type for value in quick], has_else=True)
    with ir.InsertionPoint(branch.then_block):
        scf.YieldOp(quick)
    with ir.InsertionPoint(branch.else_block):
        scf.YieldOp([arith.divf(*pair) for pair in pairs])
    return list(branch.results)


def _are_usual(values: Sequence[Any]) -> Any:
    """Emit whether each value is 0, or of a size between the bounds.

    The sum of squares tells of large ones, of infinities and NaN; the least pattern of bits of
    small ones. Less 1, that of a zero is the largest.
    """
    one, squares, patterns = emit.value(1), None, []
    for value in values:
        square = [value, value]
        squares = arith.mulf(*square) if squares is None else _fma(*square, squares)
        bits = arith.shli(arith.bitcast(emit.i32_type(), value), one)
        patterns.append(arith.subi(bits, one))
    least = emit.compare("uge", reduce(arith.minui, patterns), 2 * _LEAST_BITS - 1)
    return arith.andi(_is(arith.CmpFPredicate.OLE, squares, _MOST * _MOST), least)


def _is_usual_divisor(divisor: Any) -> Any:
    """Emit whether a divisor lies between the bounds."""
    above = _is(arith.CmpFPredicate.OGE, divisor, _LEAST_DIVISOR)
    return arith.andi(above, _is(arith.CmpFPredicate.OLE, divisor, _MOST_DIVISOR))


def _reciprocal(divisor: Any) -> tuple[Any, Any]:
    """Emit the reciprocal of a divisor, and its negative."""
    type_ = divisor.type
    near = llvm_ops.value("nvvm.rcp.approx.ftz.f", type_, [divisor])
    error = _fma(_minus(divisor), near, _constant(1.0, type_))
    reciprocal = _fma(near, error, near)
    return reciprocal, _minus(reciprocal)


def _fma(*operands: Any) -> Any:
    return llvm_ops.call_intrinsic(operands[0].type, "llvm.fma.f32", list(operands))


def _minus(value: Any) -> Any:
    return llvm_ops.value("arith.negf", value.type, [value])


def _constant(number: float, type_: Any) -> Any:
    return llvm_ops.value("arith.constant", type_, value=ir.FloatAttr.get(type_, number))


def _is(predicate: Any, value: Any, bound: float) -> Any:
    return arith.cmpf(predicate, value, _constant(bound, value.type))
