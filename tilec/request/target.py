"""Facts about the GPUs that tilec compiles for, each with its source. Pure Python."""

from tilec.request.gpu import DEFAULT_GPU, GPUS, Gpu
from tilec.support.diagnostics import CompileError, error
from tilec.support.fast_dataclasses import dataclass, replace

BLOCK_SHARED_BYTES = 1024
"""Shared memory of an SM that each of its CTAs takes for itself (CUDA programming guide, compute
capabilities: 228 KB of an SM, 227 KB of a CTA)."""


@dataclass(frozen=True, slots=True)
class Target:
    """One architecture.

    Attributes:
        name: Name for ptxas, for example `sm_90a`.
        compute_capability: Major * 10 + minor.
        ptx_version: ISA version written into the PTX; 8.0 is the oldest that knows sm_90a and lets
            a CUDA 12 driver compile the text (PTX ISA, release notes).
        shared_memory_bytes: Dynamic shared memory that one CTA can use after opting in
            (CUDA programming guide, compute capabilities).
        registers_per_sm: 32-bit registers of one SM (same table).
        max_registers_per_thread: Hardware limit without setmaxnreg (same table).
        gpu: The GPU that we plan for.
    """

    name: str
    compute_capability: int
    ptx_version: tuple[int, int]
    shared_memory_bytes: int
    registers_per_sm: int
    max_registers_per_thread: int
    gpu: Gpu = GPUS[DEFAULT_GPU]

    @property
    def sm_count(self) -> int:
        """SMs of the GPU that we plan for."""
        return self.gpu.sm_count

    def share(self, blocks: int) -> "Target":
        """Return what each of `blocks` CTAs has that run on an SM together."""
        whole = self.shared_memory_bytes + BLOCK_SHARED_BYTES
        return replace(
            self,
            shared_memory_bytes=whole // blocks - BLOCK_SHARED_BYTES,
            registers_per_sm=self.registers_per_sm // blocks,
        )


TARGETS: dict[str, Target] = {
    "sm_90a": Target("sm_90a", 90, (8, 0), 232_448, 65_536, 255),
}


def get_target(name: str) -> Target:
    """Return the target called `name`.

    Raises:
        CompileError: tilec has no such target.
    """
    if name not in TARGETS:
        known = ", ".join(TARGETS)
        raise CompileError(error("T0001", f"unknown target '{name}'", hint=f"use one of: {known}"))
    return TARGETS[name]
