"""The kernel spec: what the passes after the planner read of a plan."""

from typing import Any

from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.kernels import SCRATCH_ROOM
from tilec.plan.model import KernelPlan


def spec_of(plan: KernelPlan) -> dict[str, Any]:
    """Return the kernel spec that records `plan`."""
    room = plan.scratch_room
    recorded = {} if room is None else {SCRATCH_ROOM: [room.free, room.slot, room.slot_cycles]}
    return recorded | {
        "stages": plan.stages,
        "tile_stages": plan.tile_stages,
        "cluster": [*plan.cluster, 1],
        "producer_warps": WARPGROUP_WARPS if plan.specialize else 0,
        "consumer_warps": plan.worker_warps // plan.teams,
        "spread": plan.spread,
        "share_rounds": plan.share_rounds,
        "blocks_per_sm": plan.blocks_per_sm,
        "stream_tail": plan.stream_tail,
        "producer_registers": plan.producer_registers,
        "consumer_registers": plan.consumer_registers,
        "persistent": plan.persistent,
        "order_tiles": plan.order_tiles,
        "order_bytes": plan.order_bytes,
        "tile_group": plan.tile_group,
        "tile_order": list(plan.tile_order),
        "balance_tiles": plan.balance_tiles,
        "epilogue_slots": plan.epilogue_slots,
        "share_slots": plan.share_slots,
        "epilogue_batch": plan.epilogue_batch,
        "epilogue_stages": plan.epilogue_stages,
        "epilogue_pace": plan.epilogue_pace,
        "mma_pending": plan.mma_pending,
        "stream_results": plan.stream_results,
        "teams": plan.teams,
        "slice_columns": plan.slice_columns,
        "l2_promotion": plan.l2_promotion,
        "share_tiles": plan.share_tiles,
        "dependent_launch": plan.dependent_launch,
        "fill_gpu": plan.fill_gpu,
        "split_k": plan.split_k,
        "snake_k": plan.snake_k,
        "defer_stores": plan.defer_stores,
        "defer_work": plan.defer_work,
    }
