"""Runs risky work in a process of its own: MLIR and LLVM end the process when they fail.

The child is this module run by the same Python. It reads pickled tasks from standard input and
writes pickled frames about each to standard output: the steps that it begins and ends, what it
prints, and at last what the task returned or raised. So a child that dies has told how far it came.
`tilec.support.workers` keeps children that do one task after the other.
"""

import contextlib
import io
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import IO, Any

from tilec.support.cleanup import leave_on_signals, run_child
from tilec.support.diagnostics import CompileError, InternalCompilerError, TileError, error
from tilec.support.fast_dataclasses import dataclass, field

REPEATING = "a stage whose pass failed, once more"
"""Step around passes that run again only to find out which one failed."""
_NOISE = ("PLEASE submit", "Stack dump", "#")
"""Starts of lines that LLVM prints around the one that says what is wrong."""
_OUT_OF_MEMORY = re.compile(r"out of memory|bad_alloc|allocation failed", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a child may take.

    Attributes:
        seconds: Wall-clock time.
        memory: Bytes of address space, of each process that it starts as well. Compiling
            examples/matmul_bias_gelu.tile takes 0.46 GB.
    """

    seconds: float = 120.0
    memory: int = 8 << 30


@dataclass(slots=True)
class Outcome:
    """How a child ended.

    Attributes:
        answered: Whether the task came to its end.
        answer: What it returned.
        raised: What it raised.
        running: Steps that had begun and not ended, innermost last.
        passes: Passes that have begun, in order.
        printed: What it wrote to `sys.stderr`.
        over_limit: The limit that ended it, for people to read.
        died: How the process ended before the task did, for example `SIGSEGV`.
        message: What MLIR or LLVM said last.
    """

    answered: bool = False
    answer: Any = None
    raised: BaseException | None = None
    running: list[str] = field(default_factory=list)
    passes: list[str] = field(default_factory=list)
    printed: str = ""
    over_limit: str = ""
    died: str = ""
    message: str = ""

    def take(self, frame: tuple[Any, ...]) -> None:
        """Add what a frame of the child says."""
        kind, *values = frame
        if kind == "begin":
            name, is_pass = values
            if is_pass and REPEATING not in self.running:
                self.passes.append(name)
            self.running.append(name)
        elif kind == "end":
            self.running.reverse()
            self.running.remove(values[0])
            self.running.reverse()
        elif kind == "printed":
            self.printed += values[0]
        else:
            self.answered = kind == "answer"
            self.answer, self.raised = values


class _Channel:
    """Writes frames; threads take turns."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, *frame: Any) -> None:
        data = pickle.dumps(frame)
        with self._lock:
            self._stream.write(data)
            self._stream.flush()


class _Printed(io.TextIOBase):
    """Takes the place of `sys.stderr`."""

    def __init__(self, channel: _Channel) -> None:
        self._channel = channel

    def write(self, text: str, /) -> int:
        self._channel.send("printed", text)
        return len(text)


class _Here:
    """What this process is: a child has a channel."""

    channel: _Channel | None = None


@contextlib.contextmanager
def step(name: str, *, is_pass: bool = False) -> Iterator[None]:
    """Let the parent know what a child is doing, if this process is one.

    Args:
        name: What the body does, for people to read.
        is_pass: Whether that is a pass which `tilec opt` knows by this name.
    """
    channel = _Here.channel
    if channel is None:
        yield
        return
    channel.send("begin", name, is_pass)
    try:
        yield
    finally:
        channel.send("end", name)


def run_isolated(
    task: Callable[..., Any], *arguments: Any, limits: Limits | None = None
) -> Outcome:
    """Run `task` in a child process.

    Args:
        task: A function at the top of its module.
        arguments: Its arguments; they and what it returns can be pickled.
        limits: What it may take.

    Raises:
        CompileError: No child could be started, or the task raised that.
        InternalCompilerError: The task raised something else.
    """
    allowed = limits or Limits()
    request = greeting() + pickle.dumps((task, arguments))
    try:
        done = run_child(
            command(),
            request=request,
            timeout=allowed.seconds,
            memory=allowed.memory,
        )
    except (OSError, ValueError) as failure:
        message = f"work on IR needs a process of its own, which failed: {failure}"
        raise CompileError(error("T0018", message)) from failure
    except subprocess.TimeoutExpired as failure:
        outcome = read_outcome(failure.output or b"", "", 0)
        outcome.answered, outcome.over_limit = False, f"{allowed.seconds:g} seconds"
        return outcome
    outcome = read_outcome(done.stdout, done.stderr.decode(errors="replace"), done.returncode)
    if isinstance(outcome.raised, MemoryError) or (
        outcome.died and _OUT_OF_MEMORY.search(outcome.message)
    ):
        outcome.over_limit = f"{allowed.memory >> 20} MiB of memory"
    elif outcome.raised is not None:
        raise outcome.raised
    return outcome


def command() -> list[str]:
    """Return how a child is started."""
    return [sys.executable, "-c", "from tilec.support.isolation import main; main()"]


def greeting() -> bytes:
    """Return what a child reads first: where it finds modules."""
    return pickle.dumps(list(sys.path))


def read_outcome(frames: bytes, messages: str, status: int) -> Outcome:
    """Return what a child has written.

    Args:
        frames: What it wrote to its channel; the last frame may be cut off.
        messages: What MLIR and LLVM wrote to standard error.
        status: Exit status; negative for a signal.
    """
    outcome = Outcome(message=_reason(messages))
    stream = io.BytesIO(frames)
    with contextlib.suppress(EOFError, pickle.UnpicklingError):
        while True:
            outcome.take(pickle.load(stream))
    if not outcome.answered and outcome.raised is None:
        outcome.died = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return outcome


def _reason(messages: str) -> str:
    lines = [line.strip() for line in messages.splitlines()]
    telling = [line for line in lines if line and not line.startswith(_NOISE)]
    return telling[0].removeprefix("LLVM ERROR: ") if telling else ""


def serve(stream: IO[bytes], task: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Run a task and write frames about it (the child's side).

    Args:
        stream: Where they go.
        task: The function.
        arguments: Its arguments.
    """
    channel = _Here.channel = _Channel(stream)
    sys.stderr = _Printed(channel)
    try:
        frame = ("answer", task(*arguments), None)
    except (TileError, InternalCompilerError, MemoryError) as failure:
        frame = ("failure", None, failure)
    except Exception as failure:
        internal = InternalCompilerError(f"{type(failure).__name__}: {failure}")
        frame = ("failure", None, internal)
    channel.send(*frame)


def main() -> None:
    """Serve the tasks on standard input, then end the process (the child's side)."""
    leave_on_signals()
    stream = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what C++ prints is no frame
    sys.path[:] = pickle.load(sys.stdin.buffer)
    with contextlib.suppress(EOFError):
        while True:
            serve(stream, *pickle.load(sys.stdin.buffer))
    os._exit(0)
