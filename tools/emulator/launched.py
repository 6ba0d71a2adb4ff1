"""What a launch gives to every CTA."""

from dataclasses import dataclass

from tools.emulator.program import Program
from tools.emulator.transfers import TensorMap


@dataclass
class Launched:
    """What a launch gives to every CTA.

    Attributes:
        program: The kernel.
        parameters: Their bytes, laid out as the program says.
        maps: Tensor map of each parameter that is one, by offset.
        blocks: CTAs of the grid.
        threads: Threads of a CTA.
        cluster: CTAs of a cluster by dimension.
        shared_bytes: Dynamic shared memory.
    """

    program: Program
    parameters: bytes
    maps: dict[int, TensorMap]
    blocks: int
    threads: int
    cluster: tuple[int, int, int]
    shared_bytes: int
