"""The graph of a tile: what a CTA does for one, as a round of its loop over tiles.

The loop over k-tiles is one node. What follows it can run a round later, in pieces during the
products of the next tile. For this, the result has to be computed from the products element by
element, and the number of k-tiles has to be the same for all tiles.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

from tilec.dialects.common.accesses import global_access
from tilec.dialects.nv_tileas.tma_ops import box_bytes, element_bits
from tilec.ir.bindings import ir
from tilec.ir.removal import is_used
from tilec.ir.structured import body_operations, operations_inside, parent_operation
from tilec.ir.values import is_tile
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.epilogue.accumulator_stores import accumulator_axes
from tilec.passes.analysis.facts.element_accesses import element_effect
from tilec.passes.analysis.facts.index_ranges import constant_value
from tilec.passes.analysis.facts.slices import slice_starts
from tilec.passes.analysis.kernels import (
    TiledAccess,
    function_body,
    is_tiled_access,
    kernel_operations,
    tiled_access,
)
from tilec.passes.analysis.mma.k_loops import product_loop, why_not_bounds, why_not_one_loop
from tilec.passes.analysis.mma.operands import DOT, why_not_in_place
from tilec.passes.analysis.schedule.loop_graph import edges_of
from tilec.passes.analysis.schedule.marks import set_stage
from tilec.passes.analysis.schedule.op_costs import is_name, op_cost, tile_registers
from tilec.plan import machine
from tilec.plan.code_size import is_long
from tilec.plan.graph import Engine, LoopGraph, Op
from tilec.support.fast_dataclasses import replace

PROGRAM_ID = "nv_tileas.get_program_id"
STORE, SLICE = "nv_tileas.tiled_store", "nv_tileas.tile_slice"
SHAPE_OPS = ("nv_tileas.broadcast", "nv_tileas.permute", "nv_tileas.view")
_TILE_OPS = (*SHAPE_OPS, SLICE, "nv_tileas.splat")
_PACKED = (ir.BF16Type, ir.F16Type)
"""Elements that loops carry in pairs, two in a register."""
WORD_BITS = 32
ROUNDS = 32
"""K-tiles of a tile, where they have to be compared with its epilogue (assumption)."""


def why_not_later(function: Any) -> str | None:
    """Return why nothing of a tile can run during the products of the next one, or None.

    A result waits in registers, and for some reasons in no other place: those of the slices of an
    array differ from tile to tile, and operands that threads store need barriers.
    """
    block = function_body(function)
    ops = kernel_operations(function)
    dots = [op for op in ops if op.name == DOT]
    stores = [op for op in ops if op.name == STORE]
    if not dots or len(stores) != 1:
        return f"the kernel has {len(dots)} products and {len(stores)} stores, not one result"
    if element_effect(ops) is not None:
        return "the kernel stores or changes single elements, too"
    access = tiled_access(stores[0])
    if not access.uses_tma or slice_starts(access.view):
        return "the result is not stored by TMA to a whole array"
    if (defect := why_not_one_loop(dots, block)) is not None:
        return defect
    if access.op.block != block:
        return "the store is in a loop or a branch"
    return _why_not_loop(product_loop(ops), dots, ops) or _why_not_result(access)


def _why_not_loop(loop: Any, dots: Sequence[Any], ops: Sequence[Any]) -> str | None:
    """Return why nothing can run in pieces during the rounds of `loop`."""
    if (defect := why_not_bounds(loop, ops)) is not None:
        return defect
    first, _, step = map(constant_value, list(loop.operands)[:3])
    if first is None or step != 1:
        return "the loop over k-tiles does not start at a constant with steps of 1"
    if any(why_not_in_place(operand) for dot in dots for operand in list(dot.operands)[:2]):
        return "an operand of the mma comes from registers, or threads bring it to shared memory"
    return None


def _why_not_result(access: TiledAccess) -> str | None:
    """Return why a tile cannot be stored in pieces."""
    if accumulator_axes(access.value) is None:
        return "the result is not computed from the products element by element"
    last = access.op
    if last != body_operations(last.block)[-2] or is_used(last):
        return "something follows the store"
    return None


def tile_operations(ops: Sequence[Any]) -> list[Any]:
    """Return which operations of a kernel differ from tile to tile, or have effects.

    Args:
        ops: Those of the block of a kernel, without its terminator.
    """
    varying: set[Any] = set()
    found = []
    for op in ops:
        nested = [op, *operations_inside(op)]
        depends = any(operand in varying for inner in nested for operand in inner.operands)
        effects = any(global_access(inner) is not None for inner in nested)
        if depends or effects or any(inner.name == PROGRAM_ID for inner in nested):
            varying.update(op.results)
            found.append(op)
    return found


def tile_graph(function: Any, warpgroups: int, sliced: bool) -> LoopGraph:
    """Return the graph of a tile for which `why_not_later` finds no reason.

    Warpgroups that share a tile reach its end together, so they count as one.

    Args:
        function: The kernel.
        warpgroups: How many share a tile.
        sliced: Whether its result is computed in slices.
    """
    ops = body_operations(function_body(function))[:-1]
    (store,) = (op for op in ops if op.name == STORE)
    (loop,) = {parent_operation(op) for op in kernel_operations(function) if op.name == DOT}
    number = ops.index(loop)
    result = tiled_access(store).value
    nodes = [_node(op, result, warpgroups) for op in ops]
    nodes[number] = _products(loop, warpgroups)
    varying = set(tile_operations(ops))
    for place, op in enumerate(ops):
        if op not in varying:  # one that is there before the loop over tiles
            nodes[place] = replace(nodes[place], registers=0, shares=())
        if place < number or not _may_wait(op, result, sliced=sliced):
            nodes[place] = replace(nodes[place], stage=0)
    ends = [place for place, op in enumerate(ops) if place >= number and _ends(op, result)]
    return LoopGraph(tuple(nodes), edges_of(ops, {}), cuts=tuple(ends))


def _node(op: Any, result: Any, warpgroups: int) -> Op:
    """Return the node of an operation after the products, which all warpgroups share.

    Args:
        op: The operation.
        result: The tile that is stored.
        warpgroups: How many share a tile.
    """
    node = op_cost(op, warpgroups)
    engine, cycles = node.engine, node.cycles * warpgroups
    if op.name == STORE:
        size = box_bytes(result.type.shape, result.type.element_type)
        parts = size / machine.EPILOGUE_PART_BYTES / warpgroups
        engine, cycles = Engine.VECTOR, machine.PART_CYCLES * parts
    bits = 0 if is_name(op) else sum(_waiting_bits(value, result) for value in op.results)
    registers = -(-bits // (WORD_BITS * machine.WARPGROUP_THREADS * warpgroups))
    return Op(op.name, engine, cycles, 0.0, registers, in_pieces=True)


def _waiting_bits(value: Any, result: Any) -> int:
    """Return the bits of a value while it waits: a word an element, unless loops carry pairs."""
    if not is_tile(value):
        return 0
    packed = value == result or isinstance(value.type.element_type, _PACKED)
    bits = element_bits(value.type.element_type) if packed else WORD_BITS
    return bits * max(prod(value.type.shape), prod(result.type.shape))


def _products(loop: Any, warpgroups: int) -> Op:
    """Return the node of the loop over k-tiles."""
    body = walk_operations(loop.regions[0].blocks[0])
    cycles = sum(op_cost(op, warpgroups).cycles for op in body if op.name == DOT)
    registers = tile_registers(loop, warpgroups)
    return Op(loop.name, Engine.TENSOR, ROUNDS * warpgroups * cycles, 0.0, registers, 0)


def _may_wait(op: Any, result: Any, *, sliced: bool) -> bool:
    """Tell whether an operation can run in pieces, one round later than the products.

    Args:
        op: The operation.
        result: The tile that is stored.
        sliced: Whether it is computed in slices, which read slices of other tiles.
    """
    if op.name == STORE:
        return True
    if is_tiled_access(op):
        alike = list(op.results[0].type.shape) == list(result.type.shape)
        return tiled_access(op).uses_tma and (alike or not sliced)
    simple = op.name.startswith(("arith.", "math.")) and not is_long(op.name)
    return simple or op.name in _TILE_OPS


def _ends(op: Any, result: Any) -> bool:
    """Tell whether what reads the result of `op` may run a round later.

    The loop over tiles carries what it reads: the tile that is stored, or one of its extents in
    a form that loops carry in pairs.
    """
    if result.owner.operation == op:
        return True
    if len(op.results) != 1 or is_tiled_access(op) or op.name == "arith.constant":
        return False
    kind = op.results[0].type
    if not isinstance(kind, ir.RankedTensorType) or not isinstance(kind.element_type, _PACKED):
        return False
    return list(kind.shape) == list(result.type.shape)


def mark_tile(function: Any, stages: Sequence[int]) -> None:
    """Give what computes and stores tiles the stages of the graph of a tile.

    Scalars have none: the loop over tiles carries them, or what needs them computes them.
    """
    ops = body_operations(function_body(function))[:-1]
    for op, stage in zip(ops, stages, strict=True):
        tiles = (*op.results, *op.operands)
        if stage and any(is_tile(value) for value in tiles):
            set_stage(op, stage)
