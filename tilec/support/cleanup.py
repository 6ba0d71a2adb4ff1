"""What must not outlive the process: temporary files and folders, and child processes.

Each is held here from before it exists until it is gone. So a command that a signal ends removes
what it holds and leaves at once, without unwinding: an exception raised by a signal handler is lost
in callbacks of the interpreter, and ends the process with a traceback where C++ called Python.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from subprocess import CompletedProcess, Popen

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""Signals that ask a command to end."""

_GRACE_SECONDS = 0.5
"""How long a child may take to clean up after SIGTERM. Python needs some milliseconds."""


class _Held:
    """How to undo what exists, which threads are making more, a signal that waits for them."""

    def __init__(self) -> None:
        self.undo: dict[object, Callable[[], object]] = {}
        self.makers: set[int] = set()
        self.waiting: int | None = None
        self.children: list[tuple[int, Callable[[], object]]] = []


_HELD = _Held()
# What the parent holds is the parent's to undo, and its other threads do not exist here.
os.register_at_fork(after_in_child=_HELD.__init__)


def kill_children(thread: int) -> None:
    """Kill the child processes that a thread waits for.

    Args:
        thread: Its identifier.
    """
    for waiting, kill in list(_HELD.children):
        if waiting == thread:
            kill()


def leave_on_signals() -> None:
    """From now on end the process on SIGINT and SIGTERM, with 128 + the signal's number as status.

    Files and folders that are held are removed and child processes killed, nothing else happens:
    streams are not flushed, no `finally` runs.
    """
    for number in ENDING_SIGNALS:
        signal.signal(number, _on_signal)


def _on_signal(number: int, _: object) -> None:
    if _HELD.makers:
        _HELD.waiting = number
    else:
        _leave(number)


def _leave(number: int) -> NoReturn:
    if threading.current_thread() is threading.main_thread():
        for ending in ENDING_SIGNALS:
            signal.signal(ending, signal.SIG_IGN)
    for undo in reversed(list(_HELD.undo.values())):
        with contextlib.suppress(Exception):
            undo()
    os._exit(128 + number)


@contextlib.contextmanager
def _making() -> Iterator[None]:
    """Let a signal wait until something that was made is held as well."""
    maker = threading.get_ident()
    _HELD.makers.add(maker)
    try:
        yield
    finally:
        _HELD.makers.remove(maker)
        if _HELD.waiting is not None:
            _leave(_HELD.waiting)


@contextlib.contextmanager
def temporary_file(path: Path) -> Iterator[Path]:
    """Remove `path`, which the body may create and rename, when the body or the process ends."""
    _HELD.undo[path] = path.unlink
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        _HELD.undo.pop(path, None)


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder that lives until the body or the process ends.

    Raises:
        OSError: No folder for temporary files can be written to.
    """
    import shutil
    import tempfile

    with _making():
        folder = Path(tempfile.mkdtemp(prefix="tilec-"))
        _HELD.undo[folder] = lambda: shutil.rmtree(folder, ignore_errors=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _HELD.undo.pop(folder, None)


def run_child(
    command: Sequence[str | Path],
    *,
    request: bytes = b"",
    timeout: float,
    memory: int | None = None,
) -> "CompletedProcess[bytes]":
    """Run `command` to its end and return its status and what it printed.

    Args:
        command: Program and arguments.
        request: What it reads from standard input.
        timeout: Seconds after which it is ended.
        memory: Bytes of address space that it, and each process that it starts, may take. Such a
            process leaves no core file.

    Raises:
        OSError: It cannot be started.
        subprocess.TimeoutExpired: It did not end in time.
    """
    import subprocess

    child = start_child(command, stderr=subprocess.PIPE)
    waiting = (threading.get_ident(), child.kill)
    _HELD.children.append(waiting)
    try:
        if memory is not None:
            _limit_memory(child.pid, memory)
        output, messages = child.communicate(request, timeout=timeout)
    finally:
        _HELD.children.remove(waiting)
        end_child(child)
    return subprocess.CompletedProcess(command, child.returncode, output, messages)


def start_child(command: Sequence[str | Path], *, stderr: int) -> "Popen[bytes]":
    """Start a child process with pipes to and from it; `end_child` has to follow.

    Args:
        command: Program and arguments.
        stderr: Where its messages go, as for `subprocess.Popen`.

    Raises:
        OSError: It cannot be started.
    """
    import subprocess

    with _making():
        pipe = subprocess.PIPE
        child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=stderr)
        _HELD.undo[child] = lambda: _end(child)
    return child


def end_child(child: "Popen[bytes]") -> None:
    """End a child process, unless it has ended, and close its pipes."""
    try:
        with child:
            _end(child)
    finally:
        _HELD.undo.pop(child, None)


def _limit_memory(process: int, memory: int) -> None:
    import resource

    with contextlib.suppress(ProcessLookupError):
        _, most = resource.prlimit(process, resource.RLIMIT_AS)
        least = memory if most == resource.RLIM_INFINITY else min(memory, most)
        resource.prlimit(process, resource.RLIMIT_AS, (least, most))
        resource.prlimit(process, resource.RLIMIT_CORE, (0, 0))


def _end(child: "Popen[bytes]") -> None:
    """End a child that may have children and temporary files: it is asked first, then killed."""
    import subprocess

    if child.poll() is not None:
        return
    child.terminate()
    try:
        child.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
