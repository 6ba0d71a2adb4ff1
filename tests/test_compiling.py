"""Threads, forks and interrupts: the compiler works in all of them, and after all of them."""

import contextvars
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.support import cleanup, compiler_threads
from tilec.support.diagnostics import CompileError, SourceFile, error
from tilec.support.locks import Lock, computed
from tools.stress_scenarios import SCENARIOS
from tools.stress_threads import run_round

ROOT = Path(__file__).resolve().parent.parent
SOURCE = SourceFile(
    "copy.tile",
    """\
@kernel
def copy[N](A: f32[N], B: f32[N]):
    i = grid(cdiv(N, 128))
    store(B, (i,), load(A, (i,), (128,)))
""",
)


def compile_copy():
    return compile_source(SOURCE, options=CompileOptions(run_ptxas=False)).texts["ptx"]


def run_script(body, **environment):
    """Run Python in a fresh process and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", body],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_stress(scenario):
    """One round of each; `python -m tools.stress_threads` runs many."""
    assert run_round(scenario, 0) == ""


# Interrupts.


@pytest.fixture(autouse=True)
def interrupts_are_not_ignored():
    """A process that a shell starts in the background ignores Ctrl-C; these tests need it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def interrupted_at(monkeypatch):
    """Return a function that compiles, and gets a Ctrl-C when the compiler is at a checkpoint."""
    checkpoint = compiler_threads.checkpoint

    def compile_until(number):
        passed = []

        def count():
            passed.append(True)
            if len(passed) == number + 1:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.2)  # until the main thread has it
            checkpoint()

        monkeypatch.setattr(compiler_threads, "checkpoint", count)
        try:
            compile_copy()
        except KeyboardInterrupt:
            return len(passed)
        finally:
            monkeypatch.setattr(compiler_threads, "checkpoint", checkpoint)
        return None

    return compile_until


@pytest.mark.parametrize("number", [0, 1, 7, 19, 31, 43])
def test_an_interrupt_ends_a_compilation_and_nothing_else(interrupted_at, number):
    expected = compile_copy()
    assert interrupted_at(number) is not None
    for thread in threading.enumerate():
        if thread.name == "tilec compiler":
            thread.join(60)
    assert compiler_threads.LOCK.held.acquire(timeout=60)
    compiler_threads.LOCK.held.release()
    assert compile_copy() == expected


def test_a_compilation_that_was_interrupted_stops_at_the_next_checkpoint(interrupted_at):
    assert interrupted_at(5) == 6


CUT_SHORT = """
import importlib._bootstrap_external as loaders, sys
load = loaders.SourceFileLoader.exec_module
cut = []

def exec_module(self, module):
    load(self, module)
    if module.__name__ == sys.argv_module and not cut:
        cut.append(module.__name__)
        raise KeyboardInterrupt

sys.argv_module = MODULE
loaders.SourceFileLoader.exec_module = exec_module
from tilec.support.diagnostics import SourceFile
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
source = SourceFile("copy.tile", TEXT)
try:
    compile_source(source, options=CompileOptions(run_ptxas=False))
except KeyboardInterrupt:
    print("cut")
for _ in range(2):
    print(len(compile_source(source, options=CompileOptions(run_ptxas=False)).texts["ptx"]) > 1000)
"""


@pytest.mark.parametrize(
    "module",
    [
        "tilec.dialects.cuda_tile.types",
        "tilec.dialects.cute.copy_atom",
        "tilec.dialects.nv_tileas.ring_ops",
        "tilec.passes.runner",
        "tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers",
        "tilec.frontend.semantics.analysis",
    ],
)
def test_an_import_that_was_cut_short_is_made_up_for(module):
    """Operations that were defined twice made every later compilation fail: "redefinition"."""
    body = CUT_SHORT.replace("MODULE", repr(module)).replace("TEXT", repr(SOURCE.text))
    assert run_script(body).split() == ["cut", "True", "True"]


def test_work_that_waits_for_a_child_process_ends_with_it():
    """Ctrl-C while ptxas runs: nobody waits for ptxas, neither does the end of the process."""
    started = threading.Event()
    ended = []

    def work():
        started.set()
        done = cleanup.run_child([sys.executable, "-c", "import time; time.sleep(60)"], timeout=60)
        ended.append(done.returncode)

    def interrupt():
        started.wait(60)
        while not cleanup._HELD.children:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        compiler_threads.run(work)
    for thread in threading.enumerate():
        if thread.name == "tilec compiler":
            thread.join(30)
    assert ended == [-signal.SIGKILL]


# Threads.


NESTED = """
from tilec.ir import bindings, context
depth = []

class Again(bindings.PassManager):
    def run(self, operation):
        super().run(operation)
        if not depth:
            depth.append(True)
            context.make_context()

bindings.PassManager = bindings.ext.PassManager = Again
context.make_context()
print("fine")
"""


def test_a_dialect_is_loaded_while_it_is_loaded():
    """As in two threads: each context gets the definitions that were made in it."""
    assert run_script(NESTED) == "fine\n"


def test_work_returns_raises_and_nests():
    assert compiler_threads.run(lambda: compiler_threads.run_locked(lambda: 7)) == 7
    with pytest.raises(CompileError, match="wrong"):
        compiler_threads.run(lambda: _raise(CompileError(error("T0001", "wrong"))))
    with pytest.raises(SystemExit):
        compiler_threads.run(lambda: _raise(SystemExit(3)))
    assert compiler_threads.run(lambda: threading.current_thread().name) == "tilec compiler"


def _raise(failure):
    raise failure


def test_work_sees_the_context_variables_of_its_caller():
    variable = contextvars.ContextVar("variable", default=0)
    variable.set(3)
    assert compiler_threads.run(variable.get) == 3


def test_work_is_done_at_once_where_no_thread_is_to_be_had(monkeypatch):
    def start(_):
        raise RuntimeError("can't start new thread")

    expected = compile_copy()
    monkeypatch.setattr(threading.Thread, "start", start)
    assert compile_copy() == expected
    assert compiler_threads.run(threading.current_thread) is threading.current_thread()


# Forks.


HELD = """
import os, sys, threading, time
from tilec.support import compiler_threads
from tilec.support.diagnostics import CompileError
from tilec.support.locks import Lock
mine = Lock()
compiler_threads._FORK_SECONDS = PATIENCE
holds, ends = threading.Event(), threading.Event()

def hold():
    with mine.held, compiler_threads.LOCK.held:
        holds.set()
        ends.wait(DURATION)

threading.Thread(target=hold, daemon=True).start()
holds.wait()
started = time.monotonic()
child = os.fork()
if child == 0:
    with mine.held:
        try:
            print(compiler_threads.run_locked(lambda: "compiled"), flush=True)
        except CompileError as failure:
            print(failure.diagnostics[0].code, flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(time.monotonic() - started > 0.2)
ends.set()
print(compiler_threads.run_locked(lambda: "compiled"))
"""


def test_a_fork_waits_for_a_compilation():
    body = HELD.replace("PATIENCE", "60.0").replace("DURATION", "0.5")
    assert run_script(body).split() == ["compiled", "True", "compiled"]


def test_a_fork_does_not_wait_for_ever():
    body = HELD.replace("PATIENCE", "0.5").replace("DURATION", "60")
    assert run_script(body).split() == ["T0719", "True", "compiled"]


FORKED = """
import os, signal, sys
from pathlib import Path
from tilec.support import cleanup
cleanup.leave_on_signals()
with cleanup.temporary_folder() as folder:
    child = os.fork()
    if child == 0:
        os.kill(os.getpid(), signal.SIGTERM)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), folder.is_dir())
print(folder.exists())
"""


def test_a_child_leaves_the_temporary_files_of_its_parent_alone():
    assert run_script(FORKED).split() == [str(128 + signal.SIGTERM), "True", "False"]


def test_a_lock_is_reentrant():
    lock = Lock()
    with lock.held, lock.held:
        assert lock.held.acquire(blocking=False)
        lock.held.release()


def test_a_computed_property_is_computed_once():
    class Thing:
        made = 0

        @computed
        def value(self):
            """Say what it is."""
            self.made += 1
            return self.made

    thing = Thing()
    assert (thing.value, thing.value, Thing().value) == (1, 1, 1)
    assert Thing.value.__doc__ == "Say what it is."
