"""Which operands of products threads can compute in registers, in any order of their elements.

A tile that is computed element by element from tiles in shared memory can be read from there in
whatever layout its product needs. wgmma takes A from registers, but not B (PTX ISA,
wgmma.mma_async). So a computed B that becomes the A of the transposed product needs no buffer.
"""

from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.structured import defining_operation, parent_operation
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts.padding import padded_axes
from tilec.passes.analysis.mma.operands import loaded_operand
from tilec.passes.analysis.mma.wgmma_support import family_of, why_not_wgmma
from tilec.plan.registers import (
    HELD_FRAGMENTS,
    accumulator_limit,
    accumulator_registers,
    split_consumers,
)
from tilec.request.target import get_target
from tilec.support.mma_atoms import why_not_tiled

LOAD = "nv_tileaa.tiled_load"
_MOVES = tuple(
    f"nv_tileaa.{name}"
    for name in ("view", "permute", "broadcast", "splat", "make_range", "extract", "cat")
)
_DIALECTS = ("arith", "math")
_SM = get_target("sm_90a")


def source_loads(tile: Any) -> list[Any] | None:
    """Return the loads of all tiles that `tile` is computed from, each element from few others.

    None where it is a loaded tile itself, or something else has a part in it: a product, a
    reduction, a value of a loop.
    """
    first = defining_operation(loaded_operand(tile))
    if first is None or first.name == LOAD:
        return None
    found, pending, seen = [], [tile], set[Any]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        op = defining_operation(value)
        if op is None:
            return None
        if op.name == LOAD:
            found.append(op)
        elif op.name in _MOVES or op.name.split(".")[0] in _DIALECTS:
            pending += [item for item in op.operands if is_tile(item)]
        else:
            return None
    return found


def holds_b_swapped(dot: Any) -> bool:
    """Tell whether the transpose of a product keeps its B operand in registers.

    That is a product of wgmma in a loop that computes its B from loaded tiles, and loads its A.

    Args:
        dot: A `dot` of nv_tileaa.
    """
    product = dot.opview
    family, loop = family_of(dot), parent_operation(dot)
    if family is None or why_not_wgmma(dot, 1) is not None or loop is None:
        return False
    rows, columns, inner = product.extents
    if why_not_tiled(family, (columns, rows, inner)) is not None:
        return False
    b = defining_operation(product.b)
    a = defining_operation(loaded_operand(product.a))
    is_loaded = a is not None and a.name == LOAD and not padded_axes(a)
    is_readable = family.reads_transposed or product.a_major.value == "k"
    return (
        is_loaded
        and is_readable
        and b is not None
        and parent_operation(b) == loop
        and bool(source_loads(product.b))
        and _fits((columns, rows, inner), product)
    )


def fits_registers(dot: Any) -> bool:
    """Tell whether a thread has room for the fragments of A of a product, and for its sums."""
    return _fits(dot.opview.extents, dot.opview)


def _fits(extents: tuple[int, int, int], product: Any) -> bool:
    rows, columns, inner = extents
    sizes = (element_bits(tile.type.element_type) // 8 for tile in (product.d, product.a))
    result, operand = sizes
    consumers = split_consumers([(rows, columns, result)], _SM)
    sums = accumulator_registers(rows, columns, result, consumers)
    held = HELD_FRAGMENTS * accumulator_registers(rows, inner, operand, consumers)
    return sums + held <= accumulator_limit(consumers, _SM)
