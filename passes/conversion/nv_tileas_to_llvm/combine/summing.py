"""Sums of products, and of elements under a mask: one instruction for each element, not two.

    sum(a * b)                        s = fma(a, b, s)
    sum(where(mask, x, 0.0))          s += x, under a predicate
    sum(where(mask, a * b, 0.0))      s = fma(a, b, s), under a predicate

An SM issues 64 selects in a cycle, and 128 additions (CUDA C++ programming guide, throughput of
arithmetic instructions, 9.0), so a select costs as much as two additions. A thread takes a few
elements in a row; the chains are added in pairs, as other sums are.

Where a mask leaves nothing but elements that are -0, such a sum may be -0. With the zeros of the
mask it is +0.
"""

from collections.abc import Sequence
from typing import Any

from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir
from tilec.ir.structured import body_operations, defining_operation
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts.constants import is_zeros
from tilec.passes.conversion.nv_tileas_to_llvm.combine.combining import Combiner, Element
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering
from tilec.plan.worth import CHAINS_OF_A_SUM, TERMS_IN_A_ROW
from tilec.support.fast_dataclasses import dataclass

_FUSED = ("f32", "f64")
"""Types with a fused multiply-add that rounds as their product and sum do, but once."""


@dataclass(frozen=True)
class Terms:
    """What a sum adds up.

    Attributes:
        mask: Which elements count; None where all do.
        factors: A tile, or two whose products are added.
    """

    mask: Any
    factors: tuple[Any, ...]


def terms_of(reduce: Any) -> Terms | None:
    """Return the terms of a sum of floats that take fewer instructions so; None for others."""
    ops = body_operations(reduce.opview.block)
    if len(ops) != 2 or not _is_plain(ops[0], "arith.addf") or len(reduce.operands) != 1:
        return None
    if {*ops[0].operands} != {*reduce.opview.block.arguments}:
        return None
    tile, mask = reduce.operands[0], None
    if str(tile.type.element_type) not in _FUSED:
        return None
    select = _own(tile, reduce, "arith.select")
    if select is not None and is_zeros(select.operands[2]):
        mask, tile = select.operands[0], select.operands[1]
        if not is_tile(mask):
            return None
    product = _own(tile, reduce, "arith.mulf")
    factors = (tile,) if product is None else tuple(product.operands)
    return None if mask is None and len(factors) == 1 else Terms(mask, factors)


def summed(
    terms: Terms, rows: Sequence[Sequence[int]], combine: Combiner, lowering: Lowering
) -> list[Element]:
    """Return for each row what the elements of this thread add up to.

    Args:
        terms: What is added up.
        rows: The registers that are combined, for each register of the result.
        combine: Adds.
        lowering: The lowering.
    """
    columns = [lowering.tile(factor) for factor in terms.factors]
    mask = None if terms.mask is None else lowering.tile(terms.mask)
    found = []
    for row in rows:
        length = min(max(len(row) // CHAINS_OF_A_SUM, 2), TERMS_IN_A_ROW)
        chains = []
        for first in range(0, len(row), length):
            total = None
            for register in row[first : first + length]:
                condition = None if mask is None else mask[register]
                total = _next(total, [column[register] for column in columns], condition)
            chains.append((total,))
        found.append(combine.all_of(chains))
    return found


def _own(tile: Any, reduce: Any, name: str) -> Any:
    """Return the operation of this name that computes a tile only for `reduce`, or None."""
    op = defining_operation(tile)
    if op is None or not _is_plain(op, name) or op.block != reduce.block:
        return None
    return op if len(list(tile.uses)) == 1 else None


def _is_plain(op: Any, name: str) -> bool:
    """Tell whether `op` has this name, and no rounding or flushing of its own."""
    return op.name == name and all(key == "fastmath" for key, _ in op.attributes.items())


def _next(total: Any, factors: list[Any], condition: Any) -> Any:
    """Emit the sum of `total` (None: of nothing) and a product or number, if it counts."""
    type_ = factors[0].type
    if total is None:
        value = factors[0] if len(factors) == 1 else arith.mulf(*factors)
        if condition is None:
            return value
        zero = llvm_ops.value("arith.constant", type_, value=ir.FloatAttr.get(type_, 0.0))
        return arith.select(condition, value, zero)
    if len(factors) == 1:
        value = arith.addf(total, factors[0])
    else:
        value = llvm_ops.call_intrinsic(type_, f"llvm.fma.{type_}", [*factors, total])
    return value if condition is None else arith.select(condition, value, total)
