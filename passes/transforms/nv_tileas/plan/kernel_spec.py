"""The kernel spec: what the passes after the planner read of a plan."""

from typing import Any

from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.kernels import SCRATCH_ROOM
from tilec.plan.model import KernelPlan
from tilec.support.fast_dataclasses import field_names

_LEFT_OUT = (
    *("consumers", "specialize", "worker_warps", "one_consumer", "splits_by_launch"),
    *("few_blocks", "least_rounds", "scratch_room", "tile_schedule", "reasons"),
)
"""Fields of a plan that passes read in another form, or as facts of their own, or not at all."""


def spec_of(plan: KernelPlan) -> dict[str, Any]:
    """Return the kernel spec that records `plan`."""
    names = [name for name in field_names(KernelPlan) if name not in _LEFT_OUT]
    spec = {name: getattr(plan, name) for name in names} | {
        "cluster": [*plan.cluster, 1],
        "producer_warps": WARPGROUP_WARPS if plan.specialize else 0,
        "consumer_warps": plan.team_warps,
    }
    room = plan.scratch_room
    return spec if room is None else spec | {SCRATCH_ROOM: [room.free, room.slot, room.slot_cycles]}
