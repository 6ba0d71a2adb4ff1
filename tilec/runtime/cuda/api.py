"""What the launcher needs of a GPU driver.

Streams, pointers and host addresses are raw integers. `tilec.runtime.cuda.cuda_driver` is the real
driver; tests use a recorder with the same interface.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from tilec.request.gpu import nearest_gpu
from tilec.runtime.launch.tensor_map import TensorMapEncoding

TensorMapEncoder = Callable[[int, int], None]
"""Writes a tensor map: (where to write it, global address of the array)."""


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """One GPU.

    Attributes:
        ordinal: Number of the device.
        name: Product name.
        compute_capability: Major * 10 + minor.
        sm_count: Streaming multiprocessors.
        shared_memory_bytes: Dynamic shared memory that a block may opt in to.
        memory_rate: Nominal bytes per second of its memory; 0 where the driver does not say.
    """

    ordinal: int
    name: str
    compute_capability: int
    sm_count: int
    shared_memory_bytes: int
    memory_rate: float = 0.0

    @property
    def gpu(self) -> str:
        """The GPU that the planner knows and that is most like it."""
        return nearest_gpu(self.sm_count, self.memory_rate)


@dataclass(frozen=True, slots=True)
class LaunchShape:
    """Execution configuration of one launch.

    Attributes:
        blocks: Blocks in `gridDim.x`; the other grid dimensions are 1.
        threads: Threads of a block.
        cluster: Blocks of a cluster by dimension.
        shared_bytes: Dynamic shared memory of a block.
        dependent: Whether the kernel may start before the one before it on the stream has ended,
            because it waits for that itself (programmatic dependent launch).
        cooperative: Whether all blocks must run at the same time, because they wait for each other.
    """

    blocks: int
    threads: int
    cluster: tuple[int, int, int] = (1, 1, 1)
    shared_bytes: int = 0
    dependent: bool = False
    cooperative: bool = False


@dataclass(slots=True)
class LoadedKernel:
    """A kernel in the memory of one device.

    Attributes:
        name: Entry point.
        device: Ordinal of the device.
        function: The driver's handle.
        module: The driver's handle of the module that holds it.
        from_ptx: Whether the driver's JIT compiler made it from PTX.
    """

    name: str
    device: int
    function: Any
    module: Any
    from_ptx: bool = False


@dataclass(slots=True)
class PreparedLaunch:
    """A kernel with its execution configuration.

    Attributes:
        kernel: What to launch.
        shape: How.
        configurations: The driver's own form of it, by stream.
    """

    kernel: LoadedKernel
    shape: LaunchShape
    configurations: dict[int, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NativeLaunch:
    """A launch as native code sees it.

    Attributes:
        context: The `CUcontext` that has to be current.
        function: The `CUfunction`.
        configuration: Address of the `CUlaunchConfig`.
        owner: Keeps the memory at `configuration` alive.
    """

    context: int
    function: int
    configuration: int
    owner: Any


@runtime_checkable
class NativeDriver(Protocol):
    """A driver that native code can call by address."""

    def native_functions(self) -> tuple[int, int] | None:
        """Return the addresses of `cuLaunchKernelEx` and `cuCtxGetCurrent`; None if unknown."""
        ...

    def native_launch(self, prepared: PreparedLaunch, stream: int) -> NativeLaunch:
        """Return the handles of a launch on a raw stream handle."""
        ...


class Driver(Protocol):
    """What the launcher asks of a GPU driver. Streams and pointers are raw integers."""

    def device_count(self) -> int:
        """Return the number of GPUs."""
        ...

    def device(self, ordinal: int) -> DeviceInfo:
        """Return the properties of one GPU."""
        ...

    def load(
        self, device: int, name: str, cubin: bytes, ptx: str, shared_bytes: int
    ) -> LoadedKernel:
        """Load a kernel and allow it `shared_bytes` of dynamic shared memory."""
        ...

    def active_clusters(self, kernel: LoadedKernel, shape: LaunchShape) -> int:
        """Return how many clusters of such a launch the device runs at a time."""
        ...

    def launch(self, prepared: PreparedLaunch, stream: int, parameters: int) -> None:
        """Launch on `stream`; `parameters` is the address of an array of parameter addresses."""
        ...

    def tensor_map_encoder(self, encoding: TensorMapEncoding) -> TensorMapEncoder:
        """Return a function that writes this tensor map for any address of the array."""
        ...

    def pointer_device(self, pointer: int) -> int | None:
        """Return the device that owns `pointer`, or None for memory that CUDA does not know."""
        ...

    def order_streams(self, device: int, first: int, then: int) -> None:
        """Make later work of stream `then` wait for the present work of stream `first`."""
        ...

    def allocate(self, device: int, size: int) -> int:
        """Return the address of `size` bytes of device memory; allowed while a stream captures."""
        ...

    def free(self, device: int, pointer: int) -> None:
        """Release memory from `allocate`."""
        ...

    def upload(self, device: int, pointer: int, source: int, size: int) -> None:
        """Copy `size` bytes from host address `source` to the device."""
        ...

    def download(self, device: int, destination: int, pointer: int, size: int) -> None:
        """Copy `size` bytes from the device to host address `destination`."""
        ...

    def copy(self, device: int, destination: int, source: int, size: int) -> None:
        """Copy `size` bytes within the memory of the device."""
        ...

    def fill(self, device: int, pointer: int, value: int, size: int, stream: int) -> None:
        """Set `size` bytes to `value`, in stream order."""
        ...

    def clear(self, device: int, pointer: int, size: int) -> None:
        """Set `size` bytes to zero at once, in no stream; allowed while a stream captures."""
        ...

    def capture_id(self, device: int, stream: int) -> int:
        """Return the number of the capture that `stream` takes part in; 0 when there is none."""
        ...

    def synchronize(self, device: int) -> None:
        """Wait until all work on the device is done."""
        ...

    def time(self, device: int, stream: int, work: Callable[[], None]) -> float:
        """Return the seconds that a GPU takes for what `work` puts on a stream."""
        ...
