"""Walk the k-tiles of every second tile of a CTA backwards.

Before:  scf.for %tile = %id to %tiles step %ids {
           %acc = scf.for %k = %first to %end step %s iter_args(%zeros) { ... %k ... } }
After:   %rounds = ceildiv(%end - %first, %s); %last = %first + (%rounds - 1) * %s
         %ends = %first + %last
         scf.for %tile = %id to %tiles step %ids {
           %backwards = (%tile / %ids) % 2 == 1
           %acc = scf.for %k = %first to %end step %s iter_args(%zeros) {
             %mirrored = %ends - %k; %at = select %backwards, %mirrored, %k; ... %at ... } }

The CTAs of a persistent kernel work through their n-th tiles, a wave, at about the same time, all
from the first k-tile on. What a wave reads of A and B may be more than L2 keeps, and the oldest
goes first: the k-tiles with which the next wave begins, which has the same rows or columns of
tiles. A wave that begins where the one before it has ended finds them in L2.

The plan says where (`snake_k` in the spec). A tile is the same sum in another order, which depends
on its wave: launches of as many CTAs give the same result bit by bit, other numbers of CTAs need
not. The planner has checked that the loop over k-tiles is nothing but a sum, as for splits, and
that its bounds are known ahead of the loop over tiles (`tilec.passes.analysis.mma.k_loops`). Runs
behind `nv-tileas-schedule-tiles`, while all of a kernel is one program.
"""

from typing import Any

from tilec.ir.bindings import arith, ir
from tilec.ir.structured import body_operations, enclosing_loops
from tilec.passes.analysis.kernels import kernel_functions, kernel_operations, read_spec
from tilec.passes.analysis.mma.k_loops import product_loop
from tilec.passes.registry import PassContext, register_pass
from tilec.passes.transforms.nv_tileas.plan.grid_expressions import constant


@register_pass("nv-tileas-snake-k")
def snake_k(module: Any, context: PassContext) -> bool:
    """Run the k-tiles of every second tile of a CTA backwards, where the plan says so."""
    del context
    changed = False
    for function in kernel_functions(module):
        if (read_spec(function) or {}).get("snake_k", False):
            products = product_loop(kernel_operations(function))
            _alternate(products, enclosing_loops(products)[0])
            changed = True
    return changed


def _alternate(products: Any, tiles: Any) -> None:
    """Let the loop `products` run backwards in every second round of the loop `tiles`."""
    with ir.InsertionPoint(tiles), products.location:
        ends = _sum_of_ends(products)
    body = tiles.regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(body), tiles.location:
        wave = arith.divui(body.arguments[0], tiles.operands[2])
        odd = arith.remui(wave, constant(2))
        backwards = arith.cmpi(arith.CmpIPredicate.eq, odd, constant(1))
    block = products.regions[0].blocks[0]
    counter = block.arguments[0]
    uses = [(use.owner.operation, use.operand_number) for use in counter.uses]
    with ir.InsertionPoint(body_operations(block)[0]), products.location:
        at = arith.select(backwards, arith.subi(ends, counter), counter)
    for user, position in uses:
        user.operands[position] = at


def _sum_of_ends(loop: Any) -> Any:
    """Emit the first plus the last value of a loop's counter; any number where it does not run."""
    first, end, step = list(loop.operands)[:3]
    rounds = arith.ceildivsi(arith.subi(end, first), step)
    last = arith.addi(first, arith.muli(arith.subi(rounds, constant(1)), step))
    return arith.addi(first, last)
