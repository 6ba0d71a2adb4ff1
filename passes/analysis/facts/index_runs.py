"""Which accesses to single elements take runs of neighbouring elements.

An embedding table is read at `(rows[:, None], cols[None, :])` with `cols = base + arange(n)`: along
the last dim of the tile, the index of the contiguous axis counts up by one and all others stay. As
many elements as divide `base`, the row pitch and the address can then be one access.
"""

from math import gcd
from typing import Any

from tilec.dialects.cute.registry import ELEMENT_BITS
from tilec.ir.structured import defining_operation
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.facts.divisibility import UNKNOWN, Divisibility

VECTOR_BYTES = 16
"""Widest access of one thread to global memory (PTX ISA, ld and st)."""
_SUMS = ("arith.addi", "arith.subi")
_WIDENINGS = ("arith.extsi", "arith.extui", "arith.index_cast")


def longest_run(access: Any, facts: Divisibility) -> int:
    """Return how many neighbouring elements one vector access may take.

    Args:
        access: A `gather`, `scatter` or `atomic` of nv_tileaa.
        facts: Divisors of the values of its kernel.

    Returns:
        A power of two, at most 16 bytes; 1 where elements do not lie next to each other. The end of
        the array may come in the middle of a run, see `ends_whole`.
    """
    *outer, last = access.indices
    memref = access.memref.owner.operation
    if not is_tile(last) or access.memref.type.strides[-1] != 1:
        return 1
    if access.mask is not None and not is_level(access.mask):
        return 1
    divisor = run_divisor(last, facts)
    if divisor is None or not all(map(is_level, outer)):
        return 1
    size = ELEMENT_BITS[str(access.memref.type.element_type)] // 8
    whole = gcd(VECTOR_BYTES, divisor * size, memref.attributes["base_div_by"].value)
    for pitch in list(memref.attributes["stride_div_by"])[:-1]:
        whole = gcd(whole, pitch)
    return max(1, whole // size)


def ends_whole(access: Any, run: int) -> bool:
    """Tell whether no run of an access crosses the end of the array."""
    memref = access.memref.owner.operation
    return access.unchecked or list(memref.attributes["size_div_by"])[-1] % run == 0


def run_divisor(tile: Any, facts: Divisibility) -> int | None:
    """Return a divisor of the first of the numbers that count up along the last dim, or None."""
    op = defining_operation(tile)
    if op is None:
        return None
    short = op.name.partition(".")[2]
    if short == "make_range":
        return abs(op.opview.start.value)
    if short in ("view", "broadcast"):
        same = op.operands[0].type.shape[-1] == tile.type.shape[-1]
        return run_divisor(op.operands[0], facts) if same else None
    if op.name in _WIDENINGS:
        return run_divisor(op.operands[0], facts)
    if op.name not in _SUMS:
        return None
    left, right = op.operands
    if op.name == "arith.addi" and is_level(left):
        left, right = right, left
    if not is_level(right):
        return None
    divisor = run_divisor(left, facts)
    return None if divisor is None else gcd(divisor, level_divisor(right, facts))


def is_level(tile: Any) -> bool:
    """Tell whether all numbers along the last dim of `tile` are equal; a scalar is one number."""
    op = defining_operation(tile)
    if not is_tile(tile) or tile.type.shape[-1] == 1:
        return True
    if op is None:
        return False
    short = op.name.partition(".")[2]
    if short == "splat":
        return True
    if op.name == "arith.constant":
        return number_of(tile) is not None
    if short == "broadcast":
        return is_level(op.operands[0])
    if op.name.startswith("arith."):
        return all(map(is_level, op.operands))
    return False


def level_divisor(tile: Any, facts: Divisibility) -> int:
    """Return a divisor of the numbers of a tile that `is_level`."""
    op = defining_operation(tile)
    if op is None:
        return UNKNOWN
    short = op.name.partition(".")[2]
    if short == "splat":
        return facts.of(op.operands[0])
    if op.name == "arith.constant":
        return abs(number_of(tile))
    if short in ("broadcast", "view") or op.name in _WIDENINGS:
        return level_divisor(op.operands[0], facts)
    if op.name in _SUMS:
        return gcd(*(level_divisor(operand, facts) for operand in op.operands))
    if op.name == "arith.muli":
        left, right = (level_divisor(operand, facts) for operand in op.operands)
        return left * right
    return UNKNOWN
