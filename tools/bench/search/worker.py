"""The process of the planner benchmark that owns the GPU, and its handle in the parent.

A kernel that hangs or faults takes its process down; the parent then starts another one.
"""

import multiprocessing
from typing import Any, Protocol

from tools.bench.host import HostError
from tools.bench.search.messages import Request, ShapeRequest
from tools.bench.search.timing import serve

START_SECONDS, ASK_SECONDS = 120.0, 20.0
"""How long the parent waits for a process to start, and for an answer; then it is a hang."""


class VariantError(Exception):
    """A variant failed: wrong result, refused launch, fault or hang."""


class Answers(Protocol):
    """What answers requests."""

    def ask(self, request: Request, seconds: float = ASK_SECONDS) -> Any:
        """Return the answer to a request; raises `VariantError`, or `HostError` without a GPU."""


class GpuProcess:
    """The process, started anew after a failure."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._process: Any = None
        self._connection: Any = None
        self._shape: Any = None

    def ask(self, request: Request, seconds: float = ASK_SECONDS) -> Any:
        """Return the answer to a request.

        Raises:
            VariantError: It failed, or did not come in time.
            HostError: No process can be started: no torch, or no GPU.
        """
        if isinstance(request, ShapeRequest):
            self._shape = request.shape
        if self._process is None:
            self._start()
            if self._shape is not None and not isinstance(request, ShapeRequest):
                self._send(ShapeRequest(self._shape), START_SECONDS)
        return self._send(request, seconds)

    def close(self) -> None:
        """End the process; one that hangs is killed."""
        if self._process is None:
            return
        self._process.kill()
        self._process.join()
        self._connection.close()
        self._process = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        try:
            self._receive(START_SECONDS)
        except VariantError as failure:
            raise HostError(str(failure)) from failure

    def _send(self, request: Request, seconds: float) -> Any:
        self._connection.send(request)
        return self._receive(seconds)

    def _receive(self, seconds: float) -> Any:
        try:
            if not self._connection.poll(seconds):
                self.close()
                raise VariantError(f"hang: no answer in {seconds:.0f} s")
            reply = self._connection.recv()
        except (EOFError, OSError) as failure:
            self.close()
            raise VariantError("the GPU process died") from failure
        if reply.fatal:
            self.close()
        if reply.error:
            raise VariantError(reply.error)
        return reply.value
