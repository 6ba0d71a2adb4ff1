"""Which k-tiles of a tile a CTA computes, and in which order; see `nv-tileas-schedule-tiles`."""

from typing import Any

from tilec.ir.bindings import arith, ir
from tilec.ir.integers import constant, equal
from tilec.ir.structured import body_operations


def reverse_every_second(products: Any, tiles: Any) -> None:
    """Let the loop `products` run backwards in every second round of the loop `tiles`."""
    with ir.InsertionPoint(tiles), products.location:
        ends = _sum_of_ends(products)
    body = tiles.regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(body), tiles.location:
        wave = arith.divui(body.arguments[0], tiles.operands[2])
        odd = arith.remui(wave, constant(2))
        backwards = equal(odd, constant(1))
    block = products.regions[0].blocks[0]
    counter = block.arguments[0]
    with ir.InsertionPoint(body_operations(block)[0]), products.location:
        mirrored = arith.subi(ends, counter)
        at = arith.select(backwards, mirrored, counter)
    counter.replace_all_uses_except(at, [mirrored.owner.operation, at.owner.operation])


def take_share(products: Any, tiles: Any, split: Any, splits: int) -> None:
    """Let the loop `products` in the loop `tiles` run over the share of one of `splits` splits."""
    lower, upper, step = list(products.operands)[:3]
    with ir.InsertionPoint(tiles), products.location:
        distance = arith.maxsi(arith.subi(upper, lower), constant(0))
        rounds = arith.ceildivsi(arith.ceildivsi(distance, step), constant(splits))
        share = arith.muli(rounds, step)
    with ir.InsertionPoint(products), products.location:
        first = arith.addi(lower, arith.muli(split, share))
        products.operands[0] = first
        products.operands[1] = arith.minsi(upper, arith.addi(first, share))


def _sum_of_ends(loop: Any) -> Any:
    """Emit the first plus the last value of a loop's counter; any number where it does not run."""
    first, end, step = list(loop.operands)[:3]
    rounds = arith.ceildivsi(arith.subi(end, first), step)
    last = arith.addi(first, arith.muli(arith.subi(rounds, constant(1)), step))
    return arith.addi(first, last)
