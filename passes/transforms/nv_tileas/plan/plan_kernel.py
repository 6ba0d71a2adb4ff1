"""Choose the plan of each kernel and record it as one attribute.

Before:  nv_tileaa.func @matmul
After:   nv_tileaa.func @matmul {kernel_spec = {stages = 4, consumer_warps = 8, ...}}

This is the only pass with policy. It measures the kernel (products, bytes per stage, bytes outside
of loops, largest register tile), asks the planner (`tilec.plan`, pure Python), and writes the
answer. `--plan` and `@kernel(...)` override single fields. The pass never changes the extents of a
tile. Every decision has a reason, which is recorded in the metadata and printed by `--remarks`.

If the tiles do not fit into shared memory together, the ring gets fewer stages first. After that,
threads move some tiles instead of TMA, stores before loads (`tilec/plan/demotion.py`); remark T0522
says which and why. The pass then takes another atom from `legal_atoms`
(`nv-tileaa-select-copy-atoms`). A plan that needs too many registers is an error with the numbers,
and so is one that needs more shared memory than the operands of its products leave.

If what follows the products of a tile can run during those of the next one, the loop over tiles is
scheduled here, since the tile that waits takes registers (`tilec/plan/deferral.py`). The operations
that run later get the attribute `stage = 1`, which `nv-tileas-rotate-loops` obeys.

Tiles whose extents are written serve launches of any size, and each launch decides into how many
splits along K they go (`split_k`). The metadata describe the product for that (`k_splits`).

In a cluster of more than one CTA, a load in a loop is marked with `multicast_axis` if several CTAs
load the same tile: 0 if the CTAs of a column share it, 1 if those of a row do. Nothing is shared
where the plan says so (`share_tiles`); a tile is shared if

- its coordinates do not depend on the coordinate of the block along that axis,
- its loops and branches do not depend on the block at all, so that all CTAs run the load equally
  often,
- and only wgmma reads it, because reads of threads would need a fence of the whole cluster.

The grid is rounded up to whole clusters, so tiles beyond the grid must have no effect. Therefore
the kernel needs a grid of its own with `cdiv(X, S)` tiles along the axis, and every store must
begin at S times the index of the tile in a dim of extent X, where nothing is left to store.
Otherwise a cluster that the user asked for is an error (T0421), and a cluster that was planned with
the tiles becomes a single CTA. The same holds if no tile is shared along one of the axes of the
cluster.

Where CTAs compute a block together (`spread`), threads move all tiles, each CTA its parts.

Options:
    any plan field: Overrides the choice of the planner for this field.
"""

from collections.abc import Callable, Iterable
from functools import cache, partial
from math import prod
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import box_bytes, element_bits
from tilec.ir.attributes import read_kernel_fact, read_kernel_metadata, write_kernel_facts
from tilec.ir.bindings import ir
from tilec.ir.sequences import opens_loop
from tilec.ir.structured import enclosing_loops
from tilec.ir.walks import reading
from tilec.passes.analysis.block_cycles import block_cycles
from tilec.passes.analysis.counters import counter_bytes, histograms, plan_counters
from tilec.passes.analysis.epilogue.accumulator_stores import epilogue_parts
from tilec.passes.analysis.epilogue.epilogue_slices import sliced_stores
from tilec.passes.analysis.epilogue.live_accumulators import accumulators_with
from tilec.passes.analysis.facts.element_accesses import (
    NEEDS_TILE,
    depends_on_tile,
    is_element_access,
    why_not_produced,
)
from tilec.passes.analysis.facts.grid_blocks import most_blocks
from tilec.passes.analysis.free_digits import order_of_tiles
from tilec.passes.analysis.held_tiles import held_words
from tilec.passes.analysis.kernels import (
    TiledAccess,
    is_tiled_access,
    kernel_operations,
    span_of,
    tiled_access,
    write_spec,
)
from tilec.passes.analysis.mma.copied_operands import is_copied
from tilec.passes.analysis.mma.k_loops import why_not_backwards, why_not_split
from tilec.passes.analysis.mma.launch_product import launch_product
from tilec.passes.analysis.mma.operands import DOT, route_of_operand, stays_in_registers
from tilec.passes.analysis.mma.pingpong import why_not_pingpong
from tilec.passes.analysis.mma.staging import EXCHANGE_SLOTS, WARPGROUPS, staged_bytes
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.passes.analysis.reductions import repeats_tiles, waits_for_tiles
from tilec.passes.analysis.reuse import has_own_tiles, reuse_of
from tilec.passes.analysis.schedule.marks import DECIDED_BY_PASSES, ONE_SLOT
from tilec.passes.analysis.schedule.record import tile_entry
from tilec.passes.analysis.schedule.tile_graph import mark_tile, tile_graph, why_not_later
from tilec.passes.analysis.shared_rounds import rounds_to_share
from tilec.passes.analysis.spreading import why_not_spread
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileas.plan.cluster_choice import (
    check_cluster,
    share_tiles,
    shareable_cluster,
)
from tilec.passes.transforms.nv_tileas.plan.expected_scratch import expected_scratch_bytes
from tilec.passes.transforms.nv_tileas.plan.kernel_spec import spec_of
from tilec.passes.transforms.nv_tileas.plan.thread_accesses import (
    thread_run,
    thread_vector,
)
from tilec.passes.transforms.nv_tileas.tma.demote_copies import (
    leave_to_threads,
    lost_tma,
    plan_within_budget,
)
from tilec.plan.kernel import plan_kernel
from tilec.plan.model import PLANNED_FACTS, KernelPlan, KernelProblem
from tilec.plan.products import MmaTile
from tilec.support.diagnostics import CompileError, remark
from tilec.support.fast_dataclasses import replace


@register_kernel_pass("nv-tileas-plan-kernel")
def plan_kernels(function: Any, context: PassContext) -> None:
    """Choose roles, stages and registers of every kernel and record them as its spec."""
    accesses = [tiled_access(op) for op in kernel_operations(function) if is_tiled_access(op)]
    _keep_producible_loads(function, accesses, context)
    plan_counters(function)
    overrides = context.overrides(function)
    plan = _plan(function, accesses, overrides, shareable_cluster(function, accesses), context)
    check_cluster(function, accesses, plan.cluster)
    if plan.specialize and plan.share_tiles and plan.cluster != (1, 1):
        share_tiles(function, accesses, plan.cluster)
    spec = spec_of(plan)
    if plan.few_blocks and read_kernel_fact(function, "grid"):
        write_kernel_facts(function, few_blocks=plan.few_blocks)
    if plan.splits_by_launch:
        product = launch_product(function, accesses, plan.consumers)
        write_kernel_facts(function, **({"k_splits": product} if product else {}))
    if plan.least_rounds:
        rule = {"rounds": rounds_to_share(function)["rounds_text"], "least": plan.least_rounds}
        write_kernel_facts(function, shared_rounds=rule)
    cycles = block_cycles(function)
    write_kernel_facts(function, **({"block_cycles": cycles} if cycles else {}))
    _remark_on_computed_operands(function, context)
    write_spec(function, spec)
    loops = []
    if plan.tile_schedule is not None:
        loops.append(tile_entry(function, plan.tile_schedule))
        mark_tile(function, plan.tile_schedule.choice.best.stages)
    before = read_kernel_fact(function, "plan", {})
    reasons = [*before.get("reasons", ()), *plan.reasons]
    recorded = {"consumers": plan.consumers, "reasons": reasons, "loops": loops}
    recorded |= {"one_consumer": True} if plan.one_consumer else {}
    write_kernel_facts(function, plan=before | spec | recorded)


def _plan(
    function: Any,
    accesses: list[TiledAccess],
    overrides: dict[str, Any],
    cluster: tuple[int, int],
    context: PassContext,
) -> KernelPlan:
    """Plan a kernel; let threads copy what the planner gives up because it does not fit."""

    def attempt() -> KernelPlan:
        with reading():
            problem = kernel_problem(function, accesses, cluster)
        return plan_kernel(problem, context.target_of(function), overrides)

    if _may_exchange(function) and not _has_room(attempt):
        write_kernel_facts(function, **{ONE_SLOT: True})
    try:
        plan, demoted = plan_within_budget(attempt, accesses, overrides)
    except CompileError as failure:
        raise _located(failure, function) from None
    if plan.spread > 1:
        moved = [access for access in accesses if access.uses_tma]
        whole = [access for access in moved if not (plan.share_rounds and access.is_load)]
        demoted += [
            leave_to_threads(access, "each CTA moves its part of a tile") for access in whole
        ]
        plan = attempt() if whole else plan
    for item in demoted:
        context.sink.emit(lost_tma("T0522", item, function))
    return plan


def _may_exchange(function: Any) -> bool:
    """Tell whether warpgroups may exchange operands, which takes a second slot of each."""
    dots = [op for op in kernel_operations(function) if op.name == DOT]
    return staged_bytes(dots) > staged_bytes(dots, 1)


def _has_room(attempt: Callable[[], KernelPlan]) -> bool:
    """Tell whether a plan with the second slots leaves room for loads of two rounds."""
    try:
        return attempt().stages > 1
    except CompileError:
        return False


def _remark_on_computed_operands(function: Any, context: PassContext) -> None:
    """Say of each operand of wgmma that does not lie in shared memory where it goes, and why."""
    for op in kernel_operations(function):
        if op.name != DOT or why_not_wgmma(op, 1) is not None:
            continue
        for number in (0, 1):
            message = route_of_operand(op, number)
            if message is not None:
                context.sink.emit(remark("T0437", message, span_of(op)))


def _located(failure: CompileError, function: Any) -> CompileError:
    """Return the errors of a plan at the place of the kernel."""
    found = (
        item if item.span else replace(item, span=span_of(function)) for item in failure.diagnostics
    )
    return CompileError(list(found))


def kernel_problem(
    function: Any, accesses: list[TiledAccess], cluster: tuple[int, int] = (1, 1)
) -> KernelProblem:
    """Return what the planner needs to know about a kernel."""
    sizes = _tile_bytes(accesses)
    dots = [op for op in kernel_operations(function) if op.name == "nv_tileas.dot"]
    slots = 1 if read_kernel_fact(function, ONE_SLOT, False) else EXCHANGE_SLOTS
    sizes["fixed_bytes"] += staged_bytes(dots, slots)
    sizes["fixed_bytes"] += sum(map(counter_bytes, histograms(function)))
    live = accumulators_with(function)
    return KernelProblem(
        mma=tuple(_mma_tile(op, live[op.results[0]]) for op in dots if op.results[0] in live),
        tile_elements=_largest_tile(function),
        held_words=held_words(function),
        product_bytes=max(map(_result_bytes, dots), default=0),
        latency=max(map(_latency, accesses), default=0),
        thread_vector=thread_vector(accesses),
        thread_run=thread_run(accesses),
        waits_for_tiles=waits_for_tiles(function),
        own_tiles=has_own_tiles(function, accesses),
        repeats_tiles=repeats_tiles(function),
        why_not_spread=partial(why_not_spread, function, accesses),
        scratch_bytes=cache(partial(expected_scratch_bytes, function)),
        cluster=cluster,
        why_not_pingpong=why_not_pingpong(function, accesses),
        sliced=tuple(store.tile for store in sliced_stores(accesses)),
        why_not_split=why_not_split(function),
        why_not_backwards=why_not_backwards(function),
        why_not_deferral=why_not_later(function),
        tile_graph=partial(tile_graph, function),
        why_no_producer=_why_no_producer(function, accesses),
        reuse=reuse_of(function, accesses),
        row_bytes=max(map(_row_bytes, accesses), default=0),
        blocks=most_blocks(function),
        copied_slot_bytes=_copied_bytes(function),
        **order_of_tiles(function, accesses),
        **sizes,
        **rounds_to_share(function),
        **_planned(function),
    )


_TILE_BYTES = (
    *("ring_slot_bytes", "fixed_bytes", "part_bytes", "whole_bytes"),
    *("one_shot_bytes", "thread_bytes", "opening_bytes"),
)


def _tile_bytes(accesses: list[TiledAccess]) -> dict[str, int]:
    """Return the bytes of the tiles that move, by the field of the problem that counts them."""
    found: dict[str, int] = dict.fromkeys(_TILE_BYTES, 0)
    found["shared_part_bytes"] = _shared_part_bytes(accesses)
    ring_loads = {access.op for access in accesses if _is_in_ring(access)}
    for access in accesses:
        size = box_bytes(access.tile_type.shape, access.tile_type.element_type)
        parts = epilogue_parts(access, 1)  # with more warpgroups, parts may become smaller
        in_ring = _is_in_ring(access)
        if parts is not None:
            found["part_bytes"] += parts.layouts[0].size_bytes
            found["whole_bytes"] += size
        elif access.uses_tma:
            found["ring_slot_bytes" if in_ring else "fixed_bytes"] += size
            if access.is_load and opens_loop(access.op, ring_loads):
                found["opening_bytes"] += size
        if access.is_load and not in_ring:
            name = "one_shot_bytes" if access.uses_tma else "thread_bytes"
            found[name] = max(found[name], size)
    return found


def _shared_part_bytes(accesses: list[TiledAccess]) -> int:
    """Return the bytes of a staging slot that several stores can share; 0 where they cannot.

    They can where all of their parts have one size, however many warpgroups share the tiles.
    """
    found = [[epilogue_parts(item, count) for count in WARPGROUPS] for item in accesses]
    cuts = [parts for store in found for parts in store if parts is not None]
    sizes = {layout.size_bytes for parts in cuts for layout in parts.layouts}
    stores = sum(any(store) for store in found)
    return sizes.pop() if stores > 1 and len(sizes) == 1 else 0


def _copied_bytes(function: Any) -> int:
    """Return the bytes of the tiles of one round that threads copy to shared memory."""
    tiles = (op.results[0].type for op in kernel_operations(function) if is_copied(op))
    return sum(box_bytes(tile.shape, tile.element_type) for tile in tiles)


def _row_bytes(access: TiledAccess) -> int:
    """Return the bytes of a row of the tile that TMA loads; 0 if it loads none."""
    if not (access.uses_tma and access.is_load):
        return 0
    return access.tile_type.shape[-1] * element_bits(access.tile_type.element_type) // 8


def _is_in_ring(access: TiledAccess) -> bool:
    return access.uses_tma and access.is_load and bool(enclosing_loops(access.op))


def _latency(access: TiledAccess) -> int:
    """Return how many tiles of a load in a loop should be in flight; 0 without a hint."""
    hint = access.op.attributes.get("latency")
    return ir.IntegerAttr(hint).value if hint is not None and _is_in_ring(access) else 0


def _why_no_producer(function: Any, accesses: list[TiledAccess]) -> str | None:
    """Return why no producer role can issue the TMA loads of a kernel, or None."""
    if not any(map(is_element_access, kernel_operations(function))):
        return None
    loads = (access.op for access in accesses if access.uses_tma and access.is_load)
    return next(filter(None, (why_not_produced(load, function) for load in loads)), None)


def _planned(function: Any) -> dict[str, Any]:
    """Return what was decided with the tiles of a kernel, less what a runner-up must do without."""
    facts = read_kernel_metadata(function)
    names = {name: fact for name, fact in PLANNED_FACTS.items() if name != "cluster"}
    planned = {name: facts[fact] for name, fact in names.items() if fact in facts}
    planned["tiles_are_planned"] = bool(facts.get("planned_mma"))
    planned["warp_factor"] = facts.get("warp_factor", 1)
    planned["most_per_sm"] = facts.get("most_per_sm", 0)
    disabled = [name for name in facts.get("disabled", ()) if name not in DECIDED_BY_PASSES]
    return planned | dict.fromkeys(disabled, False)


def _mma_tile(op: Any, also_live: Iterable[Any]) -> MmaTile:
    """Describe a product, given the other accumulators that are live then."""
    a, _, acc = op.operands
    k_axis = 1 if ir.StringAttr(op.attributes["a_major"]).value == "k" else 0
    m, n = acc.type.shape[-2:]
    return MmaTile(
        m=m,
        n=n,
        k=a.type.shape[len(a.type.shape) - 2 + k_axis],
        element_bytes=element_bits(a.type.element_type) // 8,
        accumulator_bytes=element_bits(acc.type.element_type) // 8,
        also_live=tuple(
            (*tile.type.shape[-2:], element_bits(tile.type.element_type) // 8) for tile in also_live
        ),
        holds_a=stays_in_registers(op, 0),
    )


def _result_bytes(dot: Any) -> int:
    return prod(dot.results[0].type.shape) * dot.opview.product_types.accumulator_bytes


def _largest_tile(function: Any) -> int:
    results = (result.type for op in kernel_operations(function) for result in op.results)
    tiles = (type_ for type_ in results if isinstance(type_, ir.RankedTensorType))
    return max((prod(tile.shape) for tile in tiles), default=1)


def _keep_producible_loads(
    function: Any, accesses: list[TiledAccess], context: PassContext
) -> None:
    """Give loads that no producer role can issue their best alternative without TMA.

    A producer repeats the control flow around its loads and computes where their tiles lie. It
    cannot do that where a tile decides, because only consumers have tiles. A kernel without loads
    in loops has no producer.
    """
    loads = [access for access in accesses if access.uses_tma and access.is_load]
    if not any(enclosing_loops(access.op) for access in loads):
        return
    for access in loads:
        if depends_on_tile(access.op, function):
            demotion = leave_to_threads(access, NEEDS_TILE)
            context.sink.emit(lost_tma("T0521", demotion, function))
