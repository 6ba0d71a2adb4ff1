"""Device memory that kernels use besides their arguments.

Launches on a stream run one after another, so the blocks of a device and stream serve every kernel:
one for memory of any content, one for zeros, which kernels leave behind as they found them. The
second one is cleared when it is allocated and never again. A captured graph may be replayed on any
stream, so every capture has blocks of its own. The per-thread default stream has one handle, but is
another stream in every thread, so every thread has blocks for it. A block that became too small is
kept, because a captured graph, or a launch that is still running, may use its address.
"""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tilec.codegen.artifact import Workspace
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.cuda.api import Driver
from tilec.runtime.launch.expressions import ExpressionError, evaluate
from tilec.support.diagnostics import InternalCompilerError
from tilec.support.locks import Lock

STAND_INS = (
    Workspace("", "16", alignment=16),
    Workspace("", "16", alignment=16, zeroed=True),
)
"""What has the place of arrays without elements, whose address may be null: the first workspaces
of a launch. A gather reads the first element of an array, at most 16 bytes, instead of those that
are masked off, and drops it. A tensor map has at least one element, so those for loads describe a
zero in the second stand-in, which is what loads find outside of an array. Those for stores describe
an element of the first one, which nobody uses afterwards."""


@dataclass(frozen=True, slots=True)
class WorkspaceRequest:
    """What one launch plan needs.

    Attributes:
        device: Ordinal of the GPU.
        size: Size in bytes.
        alignment: Alignment of the address in bytes.
        zeroed: Whether the memory must hold zeros when the first kernel starts, and holds zeros
            again when the last one ends.
        offset: Bytes of the block that other workspaces of the launch take, which come first.
    """

    device: int
    size: int
    alignment: int
    zeroed: bool
    offset: int = 0


def make_request(
    workspace: Workspace, metadata: Mapping[str, Any], arguments: BoundArguments
) -> WorkspaceRequest:
    """Return what a workspace of a kernel is for arguments.

    Raises:
        InternalCompilerError: Its size cannot be computed.
    """
    environment = {**metadata.get("constants", {}), **arguments.environment()}
    try:
        size = int(evaluate(workspace.size, environment))
    except ExpressionError as failure:
        message = f"{metadata['name']}: workspace size: {failure}"
        raise InternalCompilerError(message) from failure
    return WorkspaceRequest(arguments.device or 0, size, workspace.alignment, workspace.zeroed)


def lay_out(requests: Iterable[WorkspaceRequest]) -> tuple[WorkspaceRequest, ...]:
    """Return the requests of a launch, each with a part of the block of its kind."""
    ends: dict[bool, int] = {}
    placed = []
    for request in requests:
        end = ends.get(request.zeroed, 0)
        offset = end + -end % request.alignment
        ends[request.zeroed] = offset + request.size
        placed.append(replace(request, offset=offset))
    return tuple(placed)


_PER_THREAD_STREAM = 2
"""Handle of the default stream of the calling thread (cuda.h, CU_STREAM_PER_THREAD)."""
_Place = tuple[int, int, int, int, bool]
"""Device, stream, thread that the stream is of, capture, and whether the memory holds zeros."""


@dataclass
class WorkspacePool:
    """The blocks of one driver."""

    driver: Driver
    _blocks: dict[_Place, list[tuple[int, int]]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def provide(self, request: WorkspaceRequest, stream: int) -> int:
        """Return the address of memory for a launch on `stream`.

        Raises:
            DeviceError: The GPU has too little memory.
        """
        needed = request.offset + request.size + request.alignment
        place = self._place(request, stream)
        with self._lock.held:
            blocks = self._blocks.setdefault(place, [])
            if not blocks or blocks[-1][1] < needed:
                size = max(needed, 2 * blocks[-1][1] if blocks else 0)
                blocks.append((self._allocate(request, size), size))
            base = blocks[-1][0]
        return base + -base % request.alignment + request.offset

    def clear(self, request: WorkspaceRequest, stream: int) -> None:
        """Put the zeros back that kernels did not leave behind, since they were cut short.

        Raises:
            DeviceError: The driver failed.
        """
        if not request.zeroed:
            return
        place = self._place(request, stream)
        with self._lock.held:
            for pointer, size in self._blocks.get(place, ()):
                self.driver.clear(request.device, pointer, size)

    def _place(self, request: WorkspaceRequest, stream: int) -> _Place:
        thread = threading.get_ident() if stream == _PER_THREAD_STREAM else 0
        capture = self.driver.capture_id(request.device, stream)
        return (request.device, stream, thread, capture, request.zeroed)

    def _allocate(self, request: WorkspaceRequest, size: int) -> int:
        pointer = self.driver.allocate(request.device, size)
        if request.zeroed:
            self.driver.clear(request.device, pointer, size)
        return pointer


_pools: dict[int, WorkspacePool] = {}
_POOLS_LOCK = Lock()


def workspace_pool(driver: Driver) -> WorkspacePool:
    """Return the pool of `driver`."""
    with _POOLS_LOCK.held:
        pool = _pools.get(id(driver))
        if pool is None or pool.driver is not driver:
            pool = _pools[id(driver)] = WorkspacePool(driver)
        return pool
