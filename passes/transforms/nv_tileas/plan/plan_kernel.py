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

In a cluster of more than one CTA, a load in a loop is marked with `multicast_axis` if several CTAs
load the same tile: 0 if the CTAs of a column share it, 1 if those of a row do. A tile is shared if

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

Options:
    any plan field: Overrides the choice of the planner for this field.
"""

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import box_bytes, element_bits
from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.bindings import ir
from tilec.ir.structured import enclosing_loops
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.counters import counter_bytes, histograms, plan_counters
from tilec.passes.analysis.epilogue.accumulator_stores import epilogue_parts
from tilec.passes.analysis.epilogue.epilogue_slices import sliced_stores
from tilec.passes.analysis.epilogue.live_accumulators import accumulators_with
from tilec.passes.analysis.epilogue.store_deferral import deferrable_store
from tilec.passes.analysis.facts.element_accesses import (
    NEEDS_TILE,
    depends_on_tile,
    element_beyond_grid,
    is_element_access,
    why_not_produced,
)
from tilec.passes.analysis.facts.grid_cover import store_beyond_grid
from tilec.passes.analysis.facts.slices import slice_starts
from tilec.passes.analysis.kernels import (
    TiledAccess,
    array_of_view,
    function_body,
    is_tiled_access,
    kernel_functions,
    kernel_operations,
    reject,
    span_of,
    tiled_access,
    write_spec,
)
from tilec.passes.analysis.mma.k_loops import why_not_split
from tilec.passes.analysis.mma.operands import DOT, is_unit_view, staged_bytes, staging_reason
from tilec.passes.analysis.mma.pingpong import why_not_pingpong
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.passes.analysis.reductions import waits_for_tiles
from tilec.passes.analysis.tma.multicast import set_multicast_axis, shared_axes
from tilec.passes.analysis.tma.scratch import expected_scratch_bytes
from tilec.passes.registry import PassContext, register_pass
from tilec.passes.transforms.nv_tileas.tma.demote_copies import (
    leave_to_threads,
    lost_tma,
    plan_within_budget,
)
from tilec.plan.kernel import plan_kernel
from tilec.plan.model import KernelPlan, KernelProblem
from tilec.plan.products import MmaTile
from tilec.support.diagnostics import CompileError, remark
from tilec.support.fast_dataclasses import replace


@register_pass("nv-tileas-plan-kernel")
def plan_kernels(module: Any, context: PassContext) -> None:
    """Choose roles, stages and registers of every kernel and record them as its spec."""
    for function in kernel_functions(module):
        accesses = [tiled_access(op) for op in kernel_operations(function) if is_tiled_access(op)]
        _keep_producible_loads(function, accesses, context)
        plan_counters(function)
        overrides = context.overrides(function)
        preferred = _shareable_cluster(function, accesses)
        plan = _plan(function, accesses, overrides, preferred, context)
        _check_cluster(function, accesses, plan.cluster)
        if plan.specialize and plan.cluster != (1, 1):
            _share_tiles(function, accesses, plan.cluster)
        spec = spec_of(plan)
        _remark_on_staged_operands(function, context)
        write_spec(function, spec)
        write_kernel_facts(function, plan={**spec, "reasons": list(plan.reasons)})


def _plan(
    function: Any,
    accesses: list[TiledAccess],
    overrides: dict[str, Any],
    cluster: tuple[int, int],
    context: PassContext,
) -> KernelPlan:
    """Plan a kernel; let threads copy what the planner gives up because it does not fit."""

    def attempt() -> KernelPlan:
        problem = kernel_problem(function, accesses, cluster)
        return plan_kernel(problem, context.target, overrides)

    try:
        plan, demoted = plan_within_budget(attempt, accesses, overrides)
    except CompileError as failure:
        raise _located(failure, function) from None
    for item in demoted:
        context.sink.emit(lost_tma("T0522", item, function))
    return plan


def _remark_on_staged_operands(function: Any, context: PassContext) -> None:
    """Say of each operand of wgmma that threads put into shared memory why they do."""
    for op in kernel_operations(function):
        if op.name != DOT or why_not_wgmma(op, 1) is not None:
            continue
        for name, operand in (("A", op.opview.a), ("B", op.opview.b)):
            reason = staging_reason(operand)
            if reason is not None:
                message = f"operand {name} of the mma goes through registers: {reason}"
                context.sink.emit(remark("T0437", message, span_of(op)))


def _located(failure: CompileError, function: Any) -> CompileError:
    """Return the errors of a plan at the place of the kernel."""
    found = (
        item if item.span else replace(item, span=span_of(function)) for item in failure.diagnostics
    )
    return CompileError(list(found))


def _check_cluster(function: Any, accesses: list[TiledAccess], cluster: tuple[int, int]) -> None:
    """Reject a cluster of a kernel whose grid cannot be rounded up to whole clusters.

    Raises:
        CompileError: T0421.
    """
    if cluster == (1, 1):
        return
    grid = read_kernel_fact(function, "grid")
    what = f"cluster = {cluster[0]} x {cluster[1]}"
    if not grid or len(grid) < 2:
        reason = "the grid of the kernel has one axis" if grid else "the caller gives the grid"
        hint = "a cluster covers neighbouring tiles of the last two axes of grid(...)"
        raise reject(function, "T0421", f"{what}: {reason}", hint)
    element = element_beyond_grid(kernel_operations(function))
    if element is not None:
        name = array_of_view(element.opview.memref, function)
        reason = f"tiles beyond the grid, which whole clusters have, might access '{name}'"
        raise reject(element, "T0421", f"{what}: {reason}", "leave out the cluster")
    store = store_beyond_grid(function, accesses, cluster)
    if store is not None:
        name = array_of_view(store.view, function)
        raise reject(
            store.op,
            "T0421",
            f"{what}: tiles beyond the grid, which whole clusters have, might store to '{name}'",
            "give the grid cdiv(X, S) tiles along the axis, and store from S times the tile's"
            " number on in a dim of extent X; or leave out the cluster",
        )


def _shareable_cluster(function: Any, accesses: list[TiledAccess]) -> tuple[int, int]:
    """Return the cluster that was planned with the tiles; one CTA where none shares a tile."""
    if len(read_kernel_fact(function, "grid") or ()) < 2:
        return 1, 1
    rows, columns = read_kernel_fact(function, "planned_cluster", (1, 1))
    shared = {axis for _, axes in _shared_loads(function, accesses) for axis in axes}
    needed = {axis for axis, extent in enumerate((rows, columns)) if extent > 1}
    fits = needed and needed <= shared
    fits = fits and element_beyond_grid(kernel_operations(function)) is None
    if not fits or store_beyond_grid(function, accesses, (rows, columns)) is not None:
        return (1, 1)
    return rows, columns


def _share_tiles(function: Any, accesses: list[TiledAccess], cluster: tuple[int, int]) -> None:
    """Let the CTAs of a cluster share the tiles that are the same in several of them."""
    for access, axes in _shared_loads(function, accesses):
        along = [axis for axis in axes if cluster[axis] > 1]
        if along:
            set_multicast_axis(access.op, max(along, key=cluster.__getitem__))


def _shared_loads(
    function: Any, accesses: list[TiledAccess]
) -> Iterator[tuple[TiledAccess, tuple[int, ...]]]:
    """Yield the TMA loads with the cluster axes along which their tiles are the same.

    Only operands that wgmma alone reads: the reads of threads would have to be ordered before the
    copies of other CTAs, by a fence of the whole cluster.
    """
    rank = len(read_kernel_fact(function, "grid"))
    ids = {
        op: ir.IntegerAttr(op.attributes["axis"]).value - (rank - 2)
        for op in kernel_operations(function)
        if op.name == "nv_tileas.get_program_id"
    }
    for access in accesses:
        if access.uses_tma and access.is_load and _feeds_wgmma_alone(access.op.results[0]):
            begin = [start.value for start in slice_starts(access.view)]
            yield access, shared_axes(access.op, [*access.coords, *begin], ids)


def _feeds_wgmma_alone(tile: Any) -> bool:
    """Tell whether every use of `tile` is that of an operand of wgmma."""
    for use in tile.uses:
        op = use.owner.operation
        if is_unit_view(op):
            if not _feeds_wgmma_alone(op.results[0]):
                return False
        elif op.name != DOT or use.operand_number > 1 or why_not_wgmma(op, 1) is not None:
            return False
    return True


def spec_of(plan: KernelPlan) -> dict[str, Any]:
    """Return the kernel spec that records `plan`."""
    return {
        "stages": plan.stages,
        "cluster": [*plan.cluster, 1],
        "producer_warps": WARPGROUP_WARPS if plan.specialize else 0,
        "consumer_warps": plan.worker_warps // plan.teams,
        "producer_registers": plan.producer_registers,
        "consumer_registers": plan.consumer_registers,
        "persistent": plan.persistent,
        "tile_group": plan.tile_group,
        "epilogue_slots": plan.epilogue_slots,
        "epilogue_batch": plan.epilogue_batch,
        "epilogue_stages": plan.epilogue_stages,
        "epilogue_pace": plan.epilogue_pace,
        "mma_pending": plan.mma_pending,
        "stream_results": plan.stream_results,
        "teams": plan.teams,
        "slice_columns": plan.slice_columns,
        "split_k": plan.split_k,
        "snake_k": plan.snake_k,
        "defer_stores": plan.defer_stores,
        "defer_work": plan.defer_work,
    }


def kernel_problem(
    function: Any, accesses: list[TiledAccess], cluster: tuple[int, int] = (1, 1)
) -> KernelProblem:
    """Return what the planner needs to know about a kernel."""
    slot_bytes = 0
    fixed_bytes = part_bytes = whole_bytes = 0
    for access in accesses:
        size = box_bytes(access.tile_type.shape, access.tile_type.element_type)
        parts = epilogue_parts(access, 1)  # with more warpgroups, parts may become smaller
        if parts is not None:
            part_bytes += parts.layouts[0].size_bytes
            whole_bytes += size
        elif access.uses_tma and access.is_load and enclosing_loops(access.op):
            slot_bytes += size
        elif access.uses_tma:
            fixed_bytes += size
    dots = [op for op in kernel_operations(function) if op.name == "nv_tileas.dot"]
    fixed_bytes += sum(
        staged_bytes(operand) for op in dots for operand in (op.opview.a, op.opview.b)
    )
    fixed_bytes += sum(map(counter_bytes, histograms(function)))
    also_live = accumulators_with(function)
    products = [
        _mma_tile(op, also_live[op.results[0]]) for op in dots if op.results[0] in also_live
    ]
    return KernelProblem(
        mma=tuple(products),
        ring_slot_bytes=slot_bytes,
        fixed_bytes=fixed_bytes,
        tile_elements=_largest_tile(function),
        has_loop_loads=slot_bytes > 0,
        latency=max(map(_latency, accesses), default=0),
        waits_for_tiles=waits_for_tiles(function),
        part_bytes=part_bytes,
        whole_bytes=whole_bytes,
        scratch_bytes=expected_scratch_bytes(function),
        cluster=cluster,
        why_not_pingpong=why_not_pingpong(function, accesses),
        sliced=tuple(store.tile for store in sliced_stores(accesses)),
        why_not_split=why_not_split(function),
        why_not_deferral=_why_not_deferral(function),
        why_no_producer=_why_no_producer(function, accesses),
        **_planned(function),
    )


def _latency(access: TiledAccess) -> int:
    """Return how many tiles of a load in a loop should be on their way; 0 without a hint."""
    in_ring = access.uses_tma and access.is_load and enclosing_loops(access.op)
    hint = access.op.attributes.get("latency") if in_ring else None
    return 0 if hint is None else ir.IntegerAttr(hint).value


def _why_no_producer(function: Any, accesses: list[TiledAccess]) -> str | None:
    """Return why no producer role can issue the TMA loads of a kernel, or None."""
    if not any(map(is_element_access, kernel_operations(function))):
        return None
    loads = (access.op for access in accesses if access.uses_tma and access.is_load)
    return next(filter(None, (why_not_produced(load, function) for load in loads)), None)


def _planned(function: Any) -> dict[str, Any]:
    """Return what was decided with the tiles of a kernel, less what a runner-up must do without."""
    disabled = read_kernel_fact(function, "disabled", [])
    planned = {
        "pingpong": read_kernel_fact(function, "planned_pingpong", False),
        "split_k": read_kernel_fact(function, "planned_split_k", 1),
        "defer_stores": read_kernel_fact(function, "planned_deferral", True),
        "defer_work": True,
        "snake_k": read_kernel_fact(function, "planned_snake", True),
    }
    return planned | dict.fromkeys(disabled, False)


def _why_not_deferral(function: Any) -> str | None:
    """Return why the store of a tile cannot wait for the next tile; None when it can."""
    found = deferrable_store(function_body(function))
    if isinstance(found, str):
        return found
    if any(staged_bytes(operand) for operand in (found.dot.opview.a, found.dot.opview.b)):
        return "an operand of the mma goes through registers"
    return None


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
    )


def _largest_tile(function: Any) -> int:
    largest = 1
    for op in kernel_operations(function):
        for result in op.results:
            if isinstance(result.type, ir.RankedTensorType):
                largest = max(largest, prod(result.type.shape))
    return largest


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
