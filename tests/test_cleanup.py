"""A process that a signal ends leaves no files and says nothing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tilec.support.cleanup import run_child, temporary_file, temporary_folder

ROOT = Path(__file__).resolve().parent.parent
SIGNALS = pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])

PRELUDE = """
import os, sys, time
from pathlib import Path
from tilec.support import cleanup

def send():
    os.kill(os.getpid(), int(sys.argv[1]))

cleanup.leave_on_signals()
"""


def start(body: str, sent: int, **streams) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", PRELUDE + body, str(int(sent))]
    return subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, **streams)


IN_A_WEAK_REFERENCE = """
import weakref
class Thing: pass
thing = Thing()
callback = weakref.ref(thing, lambda _: send())
del thing
time.sleep(10)
"""

IN_A_CALL_FROM_MLIR = """
from tilec.ir.bindings import ir
with ir.Context(), ir.Location.unknown():
    module = ir.Module.parse("module {}")
    def visit(_):
        send()
        return ir.WalkResult.ADVANCE
    module.operation.walk(visit)
time.sleep(10)
"""


@SIGNALS
@pytest.mark.parametrize("body", [IN_A_WEAK_REFERENCE, IN_A_CALL_FROM_MLIR])
def test_a_signal_in_a_callback_ends_the_process_silently(body, sent):
    process = start(body, sent)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (128 + sent, b"")


BUSY_CHILD = """
import subprocess

class Announced(subprocess.Popen):
    def communicate(self, *rest, **options):
        print(self.pid, flush=True)
        return super().communicate(*rest, **options)

subprocess.Popen = Announced
with cleanup.temporary_folder() as folder:
    with cleanup.temporary_file(folder.with_suffix(".part")) as part:
        Path(folder, "inner").mkdir()
        part.write_text("half")
        print(folder, part, flush=True)
        cleanup.run_child([sys.executable, "-c", "import time; time.sleep(60)"], timeout=60)
"""


@SIGNALS
def test_files_folders_and_children_do_not_outlive_the_process(sent):
    process = start(BUSY_CHILD, sent, stdout=subprocess.PIPE)
    assert process.stdout is not None
    folder, part = map(Path, process.stdout.readline().decode().split())
    child = int(process.stdout.readline())
    assert folder.is_dir()
    assert part.exists()
    process.send_signal(sent)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (128 + sent, b"")
    assert not folder.exists()
    assert not part.exists()
    deadline = time.monotonic() + 30
    while is_running(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(child)


def is_running(process: int) -> bool:
    """Say whether a process still works: one that ended may wait for its parent to notice."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False
    return "\nState:\tZ" not in status


WHILE_MAKING = """
import tempfile
make = tempfile.mkdtemp
def made(**options):
    folder = make(**options)
    print(folder, flush=True)
    send()
    return folder
tempfile.mkdtemp = made
with cleanup.temporary_folder():
    time.sleep(10)
"""


@SIGNALS
def test_a_signal_waits_until_what_was_made_is_held(sent):
    process = start(WHILE_MAKING, sent, stdout=subprocess.PIPE)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (128 + sent, b"")
    assert not Path(output.decode().strip()).exists()


def test_the_ends_of_bodies_remove_what_they_made(tmp_path):
    with temporary_folder() as folder, temporary_file(tmp_path / "part") as part:
        part.write_text("")
        Path(folder, "inner").mkdir()
    assert not folder.exists()
    assert not part.exists()


def test_a_child_reads_and_prints():
    program = "import sys; sys.stderr.write('m'); print(sys.stdin.read() + 'o'); sys.exit(3)"
    done = run_child([sys.executable, "-c", program], request=b"i", timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"io\n", b"m")


def test_a_child_that_does_not_end_is_killed():
    program = "import time; time.sleep(60)"
    with pytest.raises(subprocess.TimeoutExpired):
        run_child([sys.executable, "-c", program], timeout=0.2)
