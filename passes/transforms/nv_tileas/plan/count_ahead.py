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
other numbers; such kernels stay as they are.
"""

from typing import Any

from tilec.dialects.nv_tileaa.types import MemrefType
from tilec.dialects.nv_tileas import WorkspaceOp
from tilec.dialects.nv_tileas.element_ops import GatherOp
from tilec.dialects.nv_tileas.measure_ops import TabulateOp
from tilec.dialects.nv_tileas.memory_ops import MakeMemrefOp
from tilec.dialects.nv_tileas.tile_ops import YieldValuesOp
from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import arith, ir
from tilec.ir.integers import constant
from tilec.ir.removal import erase, is_used
from tilec.ir.structured import (
    body_operations,
    clone_whole,
    defining_operation,
    operations_inside,
)
from tilec.passes.analysis.facts.element_accesses import is_element_access, is_repeatable
from tilec.passes.analysis.kernels import (
    cluster_of_spec,
    ctas_of_spec,
    free_alias_scope,
    function_body,
    kernel_functions,
    read_spec,
)
from tilec.passes.registry import PassContext, register_pass

HIDDEN_NAME = "rounds_{}"
"""Names of the hidden parameters: the addresses of the tables."""
_WORD_BYTES = 8
_WORD_BITS, _HALF_BITS = 64, 32
_MOST_RESULTS = 2
_COMPUTING = ("arith", "math")
_FREE = ("nv_tileas.opaque", "nv_tileas.num_ctas", "nv_tileas.cta_id")
_STRUCTURED = ("scf.for", "scf.if", "scf.yield")


@register_pass("nv-tileas-count-ahead")
def count_ahead(module: Any, context: PassContext) -> bool:
    """Move loops that count rounds of tiles before the roles."""
    del context
    changed = False
    for function in kernel_functions(module):
        tiles = _loop_over_tiles(function)
        if tiles is None:
            continue
        loops = [op for op in body_operations(tiles.regions[0].blocks[0]) if _is_count(op)]
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
    if not read_kernel_fact(function, "grid"):
        return None
    loops = [op for op in body_operations(function_body(function)) if op.name == "scf.for"]
    return loops[-1] if loops else None


def _is_count(op: Any) -> bool:
    """Tell whether `op` is a loop that carries i32 and does nothing but to load and compute."""
    if op.name != "scf.for" or not 0 < len(op.results) <= _MOST_RESULTS:
        return False
    if any(str(result.type) != "i32" for result in op.results):
        return False
    inside = operations_inside(op)
    return any(map(is_element_access, inside)) and all(map(_is_repeatable, inside))


def _is_repeatable(op: Any) -> bool:
    """Tell whether other threads may perform `op` earlier, and get the same."""
    values = (*op.operands, *op.results)
    if any(isinstance(value.type, ir.RankedTensorType) for value in values):
        return False
    if is_element_access(op):
        return is_repeatable(op)
    return op.name.split(".")[0] in _COMPUTING or op.name in (*_FREE, *_STRUCTURED)


def _needed(loop: Any, tiles: Any) -> list[Any] | None:
    """Return what computes, in a round of the loop over tiles, what a loop in it needs.

    None where not all of that may be performed earlier.
    """
    ops = body_operations(tiles.regions[0].blocks[0])
    around, found = set(ops), {loop}
    pending = [value for op in (loop, *operations_inside(loop)) for value in op.operands]
    while pending:
        op = defining_operation(pending.pop())
        if op is None or op not in around or op in found:
            continue
        if len(op.regions) or not _is_repeatable(op):
            return None
        found.add(op)
        pending += op.operands
    return [op for op in ops if op in found]


def _move(function: Any, tiles: Any, loop: Any, needed: list[Any], number: int) -> None:
    """Count in a table, and read the counts from it."""
    i64 = ir.IntegerType.get_signless(_WORD_BITS)
    items = " * ".join(f"({extent})" for extent in read_kernel_fact(function, "grid"))
    first, end, step, *_ = tiles.operands
    with ir.InsertionPoint(tiles), loop.location:
        size = f"{items} * {_WORD_BYTES}"
        address = WorkspaceOp.build(HIDDEN_NAME.format(number), size, i64, zeroed=False)
        table = TabulateOp.build(address, (first, end, step))
        block = table.body.blocks.append(first.type)
        with ir.InsertionPoint(block):
            mapping = {tiles.regions[0].blocks[0].arguments[0]: block.arguments[0]}
            for op in needed:
                clone_whole(op, mapping)
            YieldValuesOp(first=_packed([mapping[result] for result in loop.results]))
        type_ = MemrefType.of(i64, [None], [1], free_alias_scope(function))
        memref = MakeMemrefOp.build(table.made, [end], [], type_)
    with ir.InsertionPoint(loop), loop.location:
        item = tiles.regions[0].blocks[0].arguments[0]
        word = GatherOp.build(memref, [item], padding=constant(0, _WORD_BITS)).result
        for result, part in zip(loop.results, _parts(word), strict=False):
            result.replace_all_uses_with(part)
    for op in reversed(needed):
        if not is_used(op):
            erase(op)


def _packed(values: list[Any]) -> Any:
    """Emit the i64 whose halves are one or two i32."""
    i64 = ir.IntegerType.get_signless(_WORD_BITS)
    word = arith.extui(i64, values[0])
    for value in values[1:]:
        upper = arith.shli(arith.extui(i64, value), constant(_HALF_BITS, _WORD_BITS))
        word = arith.ori(word, upper)
    return word


def _parts(word: Any) -> list[Any]:
    """Emit the halves of an i64."""
    i32 = ir.IntegerType.get_signless(_HALF_BITS)
    upper = arith.shrui(word, constant(_HALF_BITS, _WORD_BITS))
    return [arith.trunci(i32, word), arith.trunci(i32, upper)]
