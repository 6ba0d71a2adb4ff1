"""The GPUs of the Hopper architecture whose rates the planner knows. Pure Python.

GPUs of one architecture run the same code. They differ in how many SMs they have and in how fast
their memory is, and so in which plan is the fastest.
"""

from math import log

from tilec.support.diagnostics import CompileError, error
from tilec.support.fast_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU.

    Attributes:
        name: Its name, without the form of the board where there is only one.
        sm_count: Streaming multiprocessors.
        memory_rate: Nominal bytes per second between memory and L2.
        narrow_streams: Whether operands that memory bounds come faster where TMA brings 128 bytes
            into L2 at a time, not 256.
    """

    name: str
    sm_count: int
    memory_rate: float
    narrow_streams: bool = False


GPUS: dict[str, Gpu] = {
    gpu.name: gpu
    for gpu in (
        Gpu("H200", 132, 4.8e12, narrow_streams=True),  # NVIDIA H200 data sheet, SXM
        Gpu("H100", 132, 3.35e12),  # NVIDIA H100 data sheet, SXM
        Gpu("H100-NVL", 132, 3.9e12),  # NVIDIA H100 data sheet, NVL
        Gpu("H100-PCIe", 114, 2.0e12),  # NVIDIA H100 PCIe product brief
    )
}
DEFAULT_GPU = "H200"
"""What plans are for that are made without a GPU."""


def get_gpu(name: str) -> Gpu:
    """Return the GPU called `name`.

    Raises:
        CompileError: tilec does not know it.
    """
    if name not in GPUS:
        known = ", ".join(GPUS)
        raise CompileError(error("T0001", f"unknown GPU '{name}'", hint=f"use one of: {known}"))
    return GPUS[name]


def nearest_gpu(sm_count: int, memory_rate: float) -> str:
    """Return the name of the known GPU that one is most like.

    Args:
        sm_count: Its SMs.
        memory_rate: Nominal bytes per second of its memory; 0 where nobody knows, and then the
            answer is `DEFAULT_GPU`.
    """
    if sm_count <= 0 or memory_rate <= 0:
        return DEFAULT_GPU

    def distance(gpu: Gpu) -> float:
        return abs(log(gpu.sm_count / sm_count)) + abs(log(gpu.memory_rate / memory_rate))

    return min(GPUS.values(), key=distance).name
