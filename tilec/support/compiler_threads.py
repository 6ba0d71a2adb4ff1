"""Where the compiler runs: threads of its own, one lock, and what a fork waits for.

The lock, `LOCK`, is held while Python or MLIR work on a program: by the frontend, the passes, the
protocol check, the translation to LLVM IR, and the CPU reference while it reads the IR. The
bindings of MLIR keep the interpreter's lock in every call, so compiling side by side there would
gain nothing, and it is not safe: a dialect defined from Python is registered with the process as
well as with a context. LLVM has a lock of its own (`tilec.codegen.ptx`), ptxas needs none: they run
while others are in the MLIR part.

The threads: exceptions of signal handlers, `KeyboardInterrupt` above all, arise in the main thread
of a process, wherever it is. In an import they leave half a module behind, and in a function that
C++ called they may end the process. So `run` does the work in a thread that no signal reaches,
while the caller waits. When an exception ends the wait, the work ends at its next `checkpoint`, and
others go on as if it had never been.

A fork copies one thread only, so it waits until no other is inside of a lock made by
`awaited_lock`. A child can compile, whatever other threads of its parent did.
"""

import contextlib
import contextvars
import logging  # noqa: F401 - so that a fork takes the lock of logging after ours, as compilations do
import os
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from tilec.support.cleanup import kill_children
from tilec.support.diagnostics import CompileError, error
from tilec.support.locks import Lock

_Result = TypeVar("_Result")
_STACK_BYTES = 64 << 20
"""Address space for the stack of a thread; eight times what a main thread usually has."""
_FORK_SECONDS = 60.0
"""How long a fork waits. A pass takes a second at most; whoever takes longer waits for the fork."""


class Stopped(BaseException):
    """Nobody waits for the work any more."""


class _Job:
    """Work in a thread of the compiler."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work
        self.result: Any = None
        self.failure: BaseException | None = None
        self.is_stopped = False
        self.context = contextvars.copy_context()
        self.thread = threading.Thread(target=self.run, name="tilec compiler")
        self.busy = threading.Lock()  # Thread.join, if interrupted, takes the thread for ended
        self.busy.acquire()

    def run(self) -> None:
        """Do the work in this thread."""
        _HERE.job = self
        try:
            self.result = self.context.run(self.work)
        except BaseException as failure:  # raised where the result is wanted
            self.failure = failure
        finally:
            _HERE.job = None
            self.busy.release()

    def start(self) -> bool:
        """Start the thread; False when the system has none left, or Python is ending."""
        with _STARTING.held:
            before = threading.stack_size(_STACK_BYTES)
            try:
                self.thread.start()
            except RuntimeError:
                return False
            finally:
                threading.stack_size(before)
        return True

    def stop(self) -> None:
        """Let the work end soon."""
        self.is_stopped = True
        if self.thread.ident is not None:
            kill_children(self.thread.ident)

    def outcome(self) -> Any:
        """Return the result or raise the failure; keep neither."""
        failure, self.failure = self.failure, None
        try:
            if failure is not None:
                raise failure
            return self.result
        finally:
            del failure, self.result  # an exception knows this frame: no cycle shall keep IR alive


class _Here(threading.local):
    """What this thread does: its job, the locks that a fork of it took."""

    job: _Job | None = None
    taken: tuple[Lock, ...] = ()


_HERE = _Here()
_STARTING = Lock()
_AWAITED: list[Lock] = []


def awaited_lock() -> Lock:
    """Return a lock that a fork takes first: in the child, what it guards is whole.

    Whoever holds one may take those that were made later, and no earlier one.
    """
    lock = Lock()
    _AWAITED.append(lock)
    return lock


LOCK = awaited_lock()
"""Held while Python or MLIR work on a program, in the threads of the compiler only."""


def run(work: Callable[[], _Result]) -> _Result:
    """Return what `work` returns, from a thread of the compiler.

    Raises:
        CompileError: T0719 if this process was forked at a moment at which it must not be.
    """
    if _HERE.job is not None:
        return work()
    if _State.is_torn:
        raise _torn()
    job = _Job(work)
    try:
        if not job.start():
            job.run()
        job.busy.acquire()
    except BaseException:
        job.stop()
        raise
    return job.outcome()


def run_locked(work: Callable[[], _Result]) -> _Result:
    """Return what `work` returns, from a thread of the compiler that holds `LOCK`.

    Raises:
        CompileError: As for `run`.
    """

    def locked() -> _Result:
        with LOCK.held:
            return work()

    return run(locked)


def checkpoint() -> None:
    """End the work of this thread if nobody waits for it.

    Raises:
        Stopped: Nobody does.
    """
    if _HERE.job is not None and _HERE.job.is_stopped:
        raise Stopped


class _State:
    """Of the process: whether another thread was compiling in it when it was forked."""

    is_torn = False


def _torn() -> CompileError:
    message = (
        "this process was forked while another thread was compiling, which took longer than"
        f" {_FORK_SECONDS:.0f} s: it cannot compile"
    )
    hint = "fork first, or start processes with multiprocessing.get_context('spawn')"
    return CompileError(error("T0719", message, hint=hint))


def _before_fork() -> None:
    deadline = time.monotonic() + _FORK_SECONDS
    _HERE.taken = ()
    for lock in _AWAITED:
        taken = _HERE.taken
        _HERE.taken = (*taken, lock)  # before: an interrupt must not leave a lock that nobody frees
        if not lock.held.acquire(timeout=max(0.0, deadline - time.monotonic())):
            _HERE.taken = taken
            return


def _after_fork_in_parent() -> None:
    for lock in reversed(_HERE.taken):
        with contextlib.suppress(RuntimeError):
            lock.held.release()
    _HERE.taken = ()


def _after_fork_in_child() -> None:
    """Note whether the locks were free; `tilec.support.locks` has renewed them."""
    _State.is_torn = _State.is_torn or len(_HERE.taken) < len(_AWAITED)
    _HERE.taken = ()
    _HERE.job = None


os.register_at_fork(
    before=_before_fork,
    after_in_parent=_after_fork_in_parent,
    after_in_child=_after_fork_in_child,
)
