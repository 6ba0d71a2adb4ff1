"""Device memory that kernels use besides their arguments.

One block per device and stream serves every kernel: launches on a stream run one after another,
so they can share it. A block that became too small is kept, because a captured graph may still
use its address.
"""

import threading
from dataclasses import dataclass, field

from tilec.runtime.driver import Driver


@dataclass(frozen=True, slots=True)
class WorkspaceRequest:
    """What one launch plan needs.

    Attributes:
        device: Ordinal of the GPU.
        size: Size in bytes.
        alignment: Alignment of the address in bytes.
        zeroed: Whether the memory must hold zeros when the first kernel starts.
    """

    device: int
    size: int
    alignment: int
    zeroed: bool


@dataclass
class WorkspacePool:
    """The blocks of one driver."""

    driver: Driver
    _blocks: dict[tuple[int, int], list[tuple[int, int]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def provide(self, request: WorkspaceRequest, stream: int) -> int:
        """Return the address of memory for a launch on `stream`, zeroed if asked for.

        Raises:
            DeviceError: The GPU has too little memory.
        """
        needed = request.size + request.alignment
        with self._lock:
            blocks = self._blocks.setdefault((request.device, stream), [])
            if not blocks or blocks[-1][1] < needed:
                size = max(needed, 2 * blocks[-1][1] if blocks else 0)
                blocks.append((self.driver.allocate(request.device, size), size))
            base = blocks[-1][0]
        pointer = base + -base % request.alignment
        if request.zeroed:
            self.driver.fill(request.device, pointer, 0, request.size, stream)
        return pointer


_pools: dict[int, WorkspacePool] = {}


def workspace_pool(driver: Driver) -> WorkspacePool:
    """Return the pool of `driver`."""
    pool = _pools.get(id(driver))
    if pool is None or pool.driver is not driver:
        pool = _pools[id(driver)] = WorkspacePool(driver)
    return pool
