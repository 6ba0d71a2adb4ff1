"""Reverse the order of the k-tiles in every second tile of a CTA.

Before:  scf.for %tile = %id to %tiles step %ids {
           %acc = scf.for %k = %first to %end step %s iter_args(%zeros) { ... %k ... } }
After:   %rounds = ceildiv(%end - %first, %s); %last = %first + (%rounds - 1) * %s
         %ends = %first + %last
         scf.for %tile = %id to %tiles step %ids {
           %backwards = (%tile / %ids) % 2 == 1
           %acc = scf.for %k = %first to %end step %s iter_args(%zeros) {
             %mirrored = %ends - %k; %at = select %backwards, %mirrored, %k; ... %at ... } }

A *wave* is the set of the n-th tiles of all CTAs of a persistent kernel; they run at about the same
time. A wave may read more of A and B than L2 keeps: at 4096^3 in bf16, each of four waves reads
34 MiB. The next wave has the same rows or the same columns of tiles as this one. If it began at
k = 0 again, L2 would just have dropped these k-tiles. If it begins at the other end, it finds the
last ones in L2. By ncu, 4096^3 reads 110 instead of 130 MB from memory, 8192^3 1124 instead of
1392 MB (H200, 2026-11-22).

The kernel must be persistent. Its loop over k-tiles must be only sums of products, and the bounds
of that loop must be known before the loop over tiles (`tilec.passes.analysis.mma.k_loops`). A tile
that is split along K keeps its order. The pass runs after `nv-tileas-schedule-tiles`, while the
kernel is still one program.

A tile adds up the same products, but the order depends on its wave. So launches with the same
number of CTAs give the same result bit by bit. With another number of CTAs, or at another place in
the grid, a tile may round differently.

Options:
    snake_k: 1 reverses the order; 0 leaves the kernel as it is.
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
