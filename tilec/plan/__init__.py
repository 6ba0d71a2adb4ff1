"""The planner: tile extents before emission, the rest of the plan per kernel. Pure Python."""

from tilec.plan.kernel import plan_kernel
from tilec.plan.model import KernelPlan, KernelProblem
from tilec.plan.products import MmaTile
from tilec.plan.tiles import TileChoice, TileUse, choose_tiles, plan_tiles

__all__ = [
    "KernelPlan",
    "KernelProblem",
    "MmaTile",
    "TileChoice",
    "TileUse",
    "choose_tiles",
    "plan_kernel",
    "plan_tiles",
]
