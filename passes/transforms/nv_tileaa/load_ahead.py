"""Let threads load the tiles of the next round of a loop while they compute with those of this one.

Before:  scf.for %k { %a = gather %x[%r, %k * 64];  %b = tiled_load (TMA);  dot %a, %b }
After:   %first = scf.if (a round runs) { gather %x[%r, %low * 64] } else { zeros }
         scf.for %k iter_args(%a = %first) {
           %next = gather %x[%r, min(%k + 1, last) * 64]
           %b = tiled_load (TMA);  dot %a, %b;  yield %next }

A producer loads ahead what TMA can load. What it cannot load, such as gathered rows, scales of a
few bytes or rows of an odd pitch, threads load; they would wait for memory in every round, which
takes 600 to 1000 cycles. A thread keeps the tiles of the next round in registers instead. The last
round loads its own tiles again, from a cache, so that no address is used that no round has.

Only tiles from which an operand of a product is computed, because few blocks with products share an
SM, so that nothing else hides their loads. And tiles that a round reduces, where the grid has so
few blocks that the same is true (`tilec/plan/rounds_ahead.py`): blocks that take every 264th row,
for example. Not a tile whose place depends on what the loop loads or carries, nor one that must be
loaded before or after other accesses, nor where the planner finds that they take too many registers
or too long (`tilec/plan/thread_operands.py`), nor one that goes to shared memory as it is
(`nv-tileaa-copy-operands`). A kernel that spills does without (`tilec/compiler/replan.py`), and so
does one whose user fixes `split_k` or `snake_k`.
"""

from collections.abc import Callable
from math import prod
from typing import Any

from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.constants import full
from tilec.ir.removal import erase, is_used
from tilec.ir.structured import (
    add_carried_value,
    append_operand,
    body_operations,
    clone_operation,
    terminator,
)
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts.grid_blocks import most_blocks
from tilec.passes.analysis.facts.round_places import (
    clone_place,
    loads_in_any_order,
    only_computes,
    place_in_round,
)
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.mma.copied_operands import is_copied
from tilec.passes.analysis.mma.product_loops import multiplies
from tilec.passes.analysis.mma.thread_operands import thread_operands
from tilec.passes.analysis.reductions import is_reduction
from tilec.passes.analysis.schedule.marks import LOAD_ROUNDS, asked_order
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.plan.rounds_ahead import reduces_ahead
from tilec.plan.thread_operands import loads_ahead
from tilec.request.target import Target

_PRODUCT, _OPERANDS = "nv_tileaa.dot", 2


@register_kernel_pass("nv-tileaa-load-ahead")
def load_ahead(function: Any, context: PassContext) -> bool:
    """Carry the tiles that threads load in loops from one round to the next."""
    given_up = LOAD_ROUNDS in read_kernel_fact(function, "disabled", [])
    if given_up or asked_order(context.overrides(function)) is not None:
        return False
    changed = False
    loops = [op for op in kernel_operations(function) if op.name == "scf.for"]
    for loop in loops:
        found = _loads_to_carry(function, loop, context.target_of(function))
        if found:
            _carry(loop, found)
            plan = read_kernel_fact(function, "plan", {})
            write_kernel_facts(function, plan=plan | {LOAD_ROUNDS: True})
            changed = True
    return changed


def _loads_to_carry(function: Any, loop: Any, target: Target) -> list[tuple[Any, list[Any]]]:
    """Return the loads of a loop that go ahead, each with the operations that say where it lies."""
    body = loop.regions[0].blocks[0]
    ops = body_operations(body)
    has_products = multiplies(loop)
    feeds = _is_operand if has_products else _is_reduced
    loads = [op for op in ops if _is_by_threads(op) and _feeds(op, feeds)]
    found = [(op, place_in_round(op, body)) for op in loads]
    able = [(op, place) for op, place in found if place is not None]
    if not able:
        return []
    described = thread_operands(function, loop, [op for op, _ in able], copied=False)
    if has_products:
        return able if loads_ahead(described, target) else []
    largest = max(prod(op.results[0].type.shape) for op, _ in able)
    few = reduces_ahead(most_blocks(function), described.size, largest, target)
    return able if few and not described.packed else []


def _is_by_threads(op: Any) -> bool:
    """Tell whether threads load a tile, in any order with other accesses."""
    makes_tile = len(op.results) > 0 and is_tile(op.results[0])
    return makes_tile and not is_copied(op) and loads_in_any_order(op)


def _is_operand(use: Any) -> bool:
    """Tell whether a value is used as an operand of a product."""
    return use.owner.operation.name == _PRODUCT and use.operand_number < _OPERANDS


def _is_reduced(use: Any) -> bool:
    """Tell whether a value is used by a reduction or a scan."""
    return is_reduction(use.owner.operation)


def _feeds(load: Any, wanted: Callable[[Any], bool]) -> bool:
    """Tell whether what such a use takes is computed from a loaded tile in the same round."""
    pending, seen = [load.results[0]], set[Any]()
    while pending:
        for use in pending.pop().uses:
            op = use.owner.operation
            if wanted(use):
                return True
            if op not in seen and op.block == load.block and only_computes(op):
                seen.add(op)
                pending += op.results
    return False


def _carry(loop: Any, loads: list[tuple[Any, list[Any]]]) -> None:
    """Load the tiles before the loop, and in each round those of the next one."""
    first = _load_first(loop, loads)
    for (load, _), tile in zip(loads, first, strict=True):
        loop = add_carried_value(loop, tile.type, tile)
        loop.regions[0].blocks[0].add_argument(tile.type, load.location)
    body = loop.regions[0].blocks[0]
    arguments = list(body.arguments)[-len(loads) :]
    with ir.InsertionPoint.at_block_begin(body), loop.location:
        number, step = body.arguments[0], loop.operands[2]
        following = arith.addi(number, step)
        is_there = arith.cmpi(arith.CmpIPredicate.slt, following, loop.operands[1])
        mapping = {number: arith.select(is_there, following, number)}
        loaded = [_clone(load, place, mapping) for load, place in loads]
    for tile in loaded:
        append_operand(terminator(body), tile)
    for (load, place), argument in zip(loads, arguments, strict=True):
        load.results[0].replace_all_uses_with(argument)
        erase(load)
        for op in reversed(place):
            if op.block == body and not is_used(op):
                erase(op)


def _load_first(loop: Any, loads: list[tuple[Any, list[Any]]]) -> list[Any]:
    """Load the tiles of the first round, if there is one."""
    low, high = loop.operands[0], loop.operands[1]
    with ir.InsertionPoint(loop), loop.location:
        runs = arith.cmpi(arith.CmpIPredicate.slt, low, high)
        types = [load.results[0].type for load, _ in loads]
        branch = scf.IfOp(runs, types, has_else=True)
        with ir.InsertionPoint(branch.then_block):
            mapping = {loop.regions[0].blocks[0].arguments[0]: low}
            scf.YieldOp([_clone(load, place, mapping) for load, place in loads])
        with ir.InsertionPoint(branch.else_block):
            scf.YieldOp([full(kind, 0) for kind in types])
    return list(branch.results)


def _clone(load: Any, place: list[Any], mapping: dict[Any, Any]) -> Any:
    """Load the tile of another round; return it."""
    clone_place(place, mapping)
    return clone_operation(load, mapping).results[0]
