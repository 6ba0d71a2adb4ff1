"""What a compilation makes: an ordered list of kernels and what a launch of them needs.

Pure Python: neither MLIR nor LLVM nor a GPU is needed to hold, save or load an artifact.
"""

from collections.abc import Mapping
from typing import Any

from tilec.support.fast_dataclasses import dataclass, field
from tilec.version import __version__


@dataclass(frozen=True, slots=True)
class KernelImage:
    """One kernel in machine-readable form.

    Attributes:
        name: Entry symbol in the PTX and the cubin.
        ptx: PTX text, without the comment block of `tilec.codegen.header`.
        cubin: Machine code; empty when ptxas did not run, and the driver compiles the PTX.
        metadata: The `tilec.kernel` dictionary: parameters in order, tensor-map recipes, grid,
            block, cluster, shared memory, preconditions.
        registers: 32-bit registers a thread, as ptxas reports; 0 when it did not run.
        stack_bytes: Stack frame of a thread.
        spill_bytes: Bytes of registers that a thread spills to the stack.
    """

    name: str
    ptx: str
    cubin: bytes = b""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    registers: int = 0
    stack_bytes: int = 0
    spill_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Workspace:
    """Device memory that a launch provides in addition to the arguments.

    Attributes:
        name: Name of the hidden parameter that is its address.
        size: Size in bytes as a host expression over dims, scalars and constants.
        alignment: Alignment of its address in bytes.
        zeroed: Whether it must hold zeros when the first kernel starts; the kernels leave zeros
            when it ends, so that it has to be cleared once. Otherwise it may hold anything.
    """

    name: str
    size: str
    alignment: int = 256
    zeroed: bool = False


@dataclass(frozen=True, slots=True)
class HiddenParameter:
    """A kernel parameter that the launcher fills in by itself.

    It follows the tensor maps in every kernel's parameter list.

    Attributes:
        name: Name of a `Workspace`, or `debug_buffer`.
        dtype: Type by its tilec name; `u64` for an address.
    """

    name: str
    dtype: str = "u64"


@dataclass(frozen=True, slots=True)
class Artifact:
    """The result of one compilation.

    Attributes:
        kernels: Kernels in launch order.
        target: Architecture, for example `sm_90a`.
        workspaces: Device memory that the launch provides.
        hidden_parameters: Parameters after the tensor maps, in order.
        compiler: Version of tilec that made it.
    """

    kernels: tuple[KernelImage, ...]
    target: str
    workspaces: tuple[Workspace, ...] = ()
    hidden_parameters: tuple[HiddenParameter, ...] = ()
    compiler: str = __version__

    @property
    def name(self) -> str:
        """Name of the kernel that the user wrote."""
        last = self.kernels[-1]
        return str(last.metadata.get("name", last.name))
