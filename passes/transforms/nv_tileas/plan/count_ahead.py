"""Count the rounds of all tiles of a CTA before its roles start.

Before:  scf.for %tile = %id to %total step %ids {
           ...; %n, %f = scf.for %i ... { %e = gather ...; ... }   // which rounds do something
           scf.for %k = 0 to %n ... }
After:   %t = workspace; %m = tabulate %t, %id, %total, %ids { ^(%item):
           ...; %n, %f = scf.for %i ... { ... }; yield_values (%n | %f << 32) }
         %T = make_memref %m
         scf.for %tile = %id to %total step %ids { %w = gather %T[%tile]
           %n = trunc %w; %f = trunc (%w >> 32); scf.for %k = 0 to %n ... }

`nv-tileaa-skip-rounds` counts the rounds of a loop that do something, by looking at all of them.
Each role would do so for each tile, and the products of a tile would wait for that: in attention to
16 packed documents it took as long as the products. The threads of a CTA count for all of its tiles
at the same time, each for tiles of its own.

The pass looks at persistent kernels, at loops without products that load single elements and carry
one or two i32. What they need is computed from the number of the tile, by scalars and by loads of
elements that nothing in the kernel writes. With clusters, or where CTAs share a tile, a tile has
other numbers; such kernels stay as they are. Where CTAs sort the tiles, that has counted the rounds
already (`passes/transforms/nv_tileas/plan/ordered_tiles.py`).
"""

from typing import Any

from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import ir
from tilec.ir.removal import erase, is_used
from tilec.ir.structured import body_operations, clone_whole, operations_inside
from tilec.ir.values import makers_of
from tilec.passes.analysis.kernels import cluster_of_spec, ctas_of_spec, function_body, read_spec
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileas.plan.count_tables import (
    HIDDEN_NAME,
    is_count,
    make_table,
    may_repeat,
    replace_count,
)


@register_kernel_pass("nv-tileas-count-ahead")
def count_ahead(function: Any, context: PassContext) -> bool:
    """Move loops that count rounds of tiles before the roles."""
    tiles = _loop_over_tiles(function)
    if tiles is None:
        return False
    changed = False
    loops = [op for op in body_operations(tiles.regions[0].blocks[0]) if is_count(op)]
    for number, loop in enumerate(loops):
        needed = _needed(loop, tiles)
        if needed is not None:
            _move(function, tiles, loop, needed, number)
            changed = True
    return changed


def _loop_over_tiles(function: Any) -> Any:
    """Return the loop over the tiles of a CTA, if a tile has one number in the grid; else None."""
    spec = read_spec(function) or {}
    shared = ctas_of_spec(spec) > 1 or cluster_of_spec(spec) != (1, 1)
    if not spec.get("persistent", False) or spec.get("split_k", 1) > 1 or shared:
        return None
    if spec.get("order_tiles", False):
        return None
    if not read_kernel_fact(function, "grid"):
        return None
    loops = [op for op in body_operations(function_body(function)) if op.name == "scf.for"]
    return loops[-1] if loops else None


def _needed(loop: Any, tiles: Any) -> list[Any] | None:
    """Return what computes, in a round of the loop over tiles, what a loop in it needs.

    None where not all of that may be performed earlier.
    """
    ops = body_operations(tiles.regions[0].blocks[0])
    read = [value for op in (loop, *operations_inside(loop)) for value in op.operands]
    found = makers_of(read, set(ops).__contains__)
    if any(len(op.regions) or not may_repeat(op) for op in found):
        return None
    return [op for op in ops if op in (loop, *found)]


def _move(function: Any, tiles: Any, loop: Any, needed: list[Any], number: int) -> None:
    """Count in a table, and read the counts from it."""
    item = tiles.regions[0].blocks[0].arguments[0]

    def count(own: Any) -> list[Any]:
        mapping = {item: own}
        for op in needed:
            clone_whole(op, mapping)
        return [mapping[result] for result in loop.results]

    with ir.InsertionPoint(tiles), loop.location:
        extents = read_kernel_fact(function, "grid")
        first, end, step, *_ = tiles.operands
        table = make_table(function, HIDDEN_NAME.format(number), extents, (first, end, step), count)
    replace_count(loop, table, item)
    for op in reversed(needed):
        if not is_used(op):
            erase(op)
