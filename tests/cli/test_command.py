"""The command as a process: exit codes, streams, signals."""

import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.slowness import slowness
from tilec.cli.main import EXIT_INTERNAL, main
from tilec.passes import load_pass, registry

ROOT = Path(__file__).resolve().parents[2]
KERNEL = """\
@kernel
def copy[N](A: f32[N], B: f32[N]):
    i = grid(cdiv(N, 128))
    store(B, (i,), load(A, (i,), (128,)))
"""


def test_help_is_quick_and_loads_no_mlir(run_tilec):
    result = run_tilec("--help")
    assert result.returncode == 0
    assert b"usage: tilec" in result.stdout
    code = (
        "import sys; from tilec.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "slow = {'mlir', 'torch_mlir', 'numpy', 'llvmlite', 'lark'} & set(sys.modules)\n"
        "sys.exit(1 if slow else 0)"
    )
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    check = subprocess.run(command, env=environment, check=False, capture_output=True)
    assert check.returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("frobnicate",),
        ("compile",),
        ("compile", "a.tile", "--emit", "nonsense"),
        ("compile", "a.tile", "--emit", "cuda_tile", "--start-from", "ptx"),
        ("opt",),
    ],
)
def test_usage_errors(run_tilec, words):
    result = run_tilec(*words)
    assert result.returncode == 2
    assert result.stdout == b""
    assert "usage:" in result.stderr or "error:" in result.stderr


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("fft.tile", "--emit", "ptx"), "did you mean 'tilec compile fft.tile --emit ptx'?"),
        (("kernels.py",), "did you mean 'tilec compile kernels.py'?"),
        (("comple", "a.tile"), "there is no command 'comple'; did you mean 'compile'?"),
        (("zzz",), "there is no command 'zzz'; commands: compile, run,"),
        (("compile", "a.tile", "--emti", "ptx"), "--emti ptx; did you mean '--emit'?"),
        (("run", "a.tile", "--frob"), "tilec run: error: unrecognized arguments: --frob\n"),
    ],
)
def test_words_that_mean_nothing(run_tilec, words, hint):
    result = run_tilec(*words)
    assert result.returncode == 2
    assert hint in result.stderr


def test_source_from_standard_input(run_tilec):
    result = run_tilec("compile", "-", "--emit", "cuda_tile", stdin=KERNEL)
    assert result.returncode == 0, result.stderr
    assert b"cuda_tile.entry" in result.stdout
    assert result.stderr == ""


def test_diagnostics_name_standard_input(run_tilec):
    result = run_tilec("compile", "-", stdin=KERNEL.replace("load(A", "load(Q"))
    assert result.returncode == 1
    assert "<stdin>:4:25: error[T02" in result.stderr
    assert result.stdout == b""


def test_reader_that_goes_away(tmp_path):
    source = tmp_path / "copy.tile"
    source.write_text(KERNEL)
    command = f"{sys.executable} -m tilec passes | head -n 1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(
        ["bash", "-c", command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stderr == ""
    assert result.stdout.splitlines()[-1] in ("0", str(128 + signal.SIGPIPE))


def test_internal_error_names_the_pass_and_writes_a_reproducer(tmp_path, monkeypatch, capsys):
    def explode(module, context):
        op = module.body.operations[0].regions[0].blocks[0].operations[0]
        raise RuntimeError(f"boom in {op.name}")

    name = "cuda-tile-fuse-fma"
    load_pass(name)
    monkeypatch.setitem(registry._PASSES, name, registry.RegisteredPass(name, "", explode))
    monkeypatch.setenv("TILEC_REPRODUCER_DIR", str(tmp_path / "crash"))
    source = tmp_path / "copy.tile"
    source.write_text(KERNEL)
    assert main(["compile", str(source), "-o", str(tmp_path / "out.ptx")]) == EXIT_INTERNAL
    message = capsys.readouterr().err
    assert "internal error[T0599] in cuda-tile-fuse-fma at 'cuda_tile." in message
    assert "boom" in message
    (reproducer,) = (tmp_path / "crash").iterdir()
    assert str(reproducer) in message
    text = reproducer.read_text()
    assert "// tilec opt " in text
    assert "--passes cuda-tile-fuse-fma" in text
    assert "cuda_tile.entry" in text
    assert not (tmp_path / "out.ptx").exists()


def wait_for_handler(process, number):
    """Wait until a process handles a signal; before that, Python itself is starting."""
    caught = re.compile(r"^SigCgt:\t([0-9a-f]+)$", re.MULTILINE)
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        found = caught.search(status)
        if found is not None and int(found[1], 16) >> (number - 1) & 1:
            return
        time.sleep(0.005)


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.0, 0.2, 0.4, 0.6])
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_killed_compile_leaves_no_partial_file(tmp_path, examples, delay, sent):
    output = tmp_path / "out" / "matmul.ptx"
    output.parent.mkdir()
    output.write_text("old")
    process = subprocess.Popen(
        [sys.executable, "-m", "tilec", "compile", examples / "matmul.tile", "-o", output],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
    )
    wait_for_handler(process, signal.SIGTERM)
    time.sleep(delay)
    process.send_signal(sent)
    _, errors = process.communicate()
    text = output.read_text()
    assert text == "old" or text.rstrip().endswith("}")
    assert sorted(path.name for path in output.parent.iterdir()) == ["matmul.ptx"]
    assert b"Traceback" not in errors


COLD_COMPILE_SECONDS = 1.5
HELP_SECONDS = 0.15
BUSY = 1.7
"""How much longer a process may take when other work shares the caches of the processor."""


def _processor_seconds(action) -> float:
    """Return the CPU time of the processes that `action` starts.

    On an idle machine it is the wall-clock time too, as nothing here runs in parallel; waiting
    for a busy one is left out.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    action()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.slow
def test_cold_compile_time(run_tilec, tmp_path, examples):
    def compile_once(attempt: int) -> None:
        output = tmp_path / "matmul.ptx"
        folder = str(tmp_path / f"cache{attempt}")
        environment = {"TILEC_CACHE": "1", "TILEC_CACHE_DIR": folder}
        result = run_tilec("compile", examples / "matmul.tile", "-o", output, env=environment)
        assert result.returncode == 0, result.stderr

    times = [_processor_seconds(lambda n=attempt: compile_once(n)) for attempt in range(4)]
    assert min(times[1:]) < max(BUSY, slowness()) * COLD_COMPILE_SECONDS


@pytest.mark.slow
def test_help_time(run_tilec):
    times = [_processor_seconds(lambda: run_tilec("--help")) for _ in range(5)]
    assert min(times) < max(BUSY, slowness()) * HELP_SECONDS
