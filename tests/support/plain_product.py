"""A kernel with one product of 128x128 tiles, as the planner sees it."""

from tilec.plan import KernelProblem, MmaTile, plan_kernel
from tilec.request.target import TARGETS

TARGET = TARGETS["sm_90a"]


def problem(**fields):
    mma = (MmaTile(m=128, n=128, k=64, element_bytes=2, accumulator_bytes=4),)
    return KernelProblem(mma, 32768, 0, 128 * 128, part_bytes=8192, **fields)


def plan(given, **fields):
    return plan_kernel(given, TARGET, fields)
