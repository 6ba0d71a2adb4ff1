"""Child processes that do tasks side by side, each one task after the other.

The bindings of MLIR keep the interpreter's lock, so threads do not compile in parallel; processes
do. They are children of `tilec.support.isolation`, not those of `multiprocessing`: a child of
`multiprocessing` runs the main script of the user again, unless that guards against it.
"""

import contextlib
import pickle
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from enum import Enum
from io import BytesIO
from types import MappingProxyType, ModuleType
from typing import Any

from tilec.support.cleanup import end_child, start_child
from tilec.support.diagnostics import InternalCompilerError
from tilec.support.isolation import Outcome, command, greeting

Apart = Callable[..., Any]
"""Calls a function, its first argument, with the others in another process; returns its result."""


class Workers(contextlib.AbstractContextManager["Workers", None]):
    """Threads that each have a child process. A `with` ends them all."""

    def __init__(self, most: int) -> None:
        """Start nothing yet.

        Args:
            most: Processes at a time. Each is started when a thread first needs it.
        """
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="tilec worker")
        self._own = threading.local()
        self._children: list[_Child] = []
        self._has_ended = False
        self._lock = threading.Lock()

    def submit(self, work: Callable[[Apart], Any]) -> "Future[Any]":
        """Let a thread do `work`, which gets what runs a task in the child of the thread."""
        return self._threads.submit(lambda: work(self._child().run))

    def _child(self) -> "_Child":
        if not hasattr(self._own, "child"):
            made = self._own.child = _Child()
            with self._lock:
                self._children.append(made)
                has_ended = self._has_ended
            if has_ended:  # before this thread began
                made.end()
        return self._own.child

    def __exit__(self, *_: object) -> None:
        """End the children, whatever they do, and drop the work that no thread has begun."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._has_ended = True
            children = list(self._children)
        for child in children:
            child.end()
        self._threads.shutdown()


class _Child:
    """A child process that one thread uses; any thread may end it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._has_ended = False
        self._lock = threading.Lock()

    def run(self, task: Callable[..., Any], *arguments: Any) -> Any:
        """Return what `task`, a function at the top of its module, returns in the child.

        Raises:
            TileError: The task raised that.
            InternalCompilerError: The task raised something else, or the child could not be started
                or has died.
        """
        request = pickled((task, arguments))
        try:
            process = self._started()
            assert process.stdin is not None
            process.stdin.write(request)
            process.stdin.flush()
            outcome = _answer(process)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError) as failure:
            # ValueError: another thread has ended it and closed its pipes.
            message = f"a process that compiles ended: {self._stop() or failure}"
            raise InternalCompilerError(message) from None
        if outcome.raised is not None:
            raise outcome.raised
        return outcome.answer

    def end(self) -> None:
        """End the child for good."""
        with self._lock:
            self._has_ended = True
        self._stop()

    def _started(self) -> "subprocess.Popen[bytes]":
        """Return the process, a new one if there is none.

        Raises:
            OSError: It cannot be started.
        """
        with self._lock:
            if self._has_ended:
                raise OSError("nobody waits for the result")
            if self._process is None:
                self._process = start_child(command(), stderr=subprocess.DEVNULL)
                assert self._process.stdin is not None
                self._process.stdin.write(greeting())
            return self._process

    def _stop(self) -> str:
        """End the process and return how it ended; the next task gets a new one."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return ""
        with contextlib.suppress(BrokenPipeError):  # of what it has not read
            end_child(process)
        status = process.returncode
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"


def _answer(process: "subprocess.Popen[bytes]") -> Outcome:
    """Read the frames of a child up to its answer.

    Raises:
        EOFError: The child ended before.
    """
    outcome = Outcome()
    assert process.stdout is not None
    while not outcome.answered and outcome.raised is None:
        outcome.take(pickle.load(process.stdout))
    return outcome


class _Pickler(pickle.Pickler):
    """Pickles read-only views of dictionaries as well, of a module its name, and enums by value.

    Python 3.11.2 pickles a member of an enum by `getattr`, which is not of tilec.
    """

    def reducer_override(self, value: Any) -> Any:
        """Return how to make a value again."""
        if isinstance(value, MappingProxyType):
            return _view, (dict(value),)
        if isinstance(value, ModuleType):
            return _module, (value.__name__,)
        if isinstance(value, Enum):
            return type(value), (value.value,)
        return NotImplemented


# The types have no names that pickle would find.
def _view(values: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(values)


def _module(name: str) -> ModuleType:
    return ModuleType(name)


class _Unpickler(pickle.Unpickler):
    """Makes objects of tilec's classes only."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        """Return a class or function by its name."""
        if module_name.partition(".")[0] != "tilec":
            raise pickle.UnpicklingError(f"{module_name}.{global_name} is not of tilec")
        return super().find_class(module_name, global_name)


def why_not_sent(value: Any) -> str | None:
    """Return why a child cannot read a value without running code that is not tilec's, or None."""
    try:
        _Unpickler(BytesIO(pickled(value))).load()
    except Exception as failure:  # what cannot be pickled raises an error of its own for each type
        return str(failure) or type(failure).__name__
    return None


def pickled(value: Any) -> bytes:
    """Return what a child reads.

    Raises:
        Exception: The value, or one in it, cannot be pickled; each type has an error of its own.
    """
    stream = BytesIO()
    _Pickler(stream).dump(value)
    return stream.getvalue()
