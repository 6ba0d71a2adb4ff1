#!/usr/bin/env python3
"""Chores of a checkout: `demo`, `test`, `lint` and `bench`. Needs nothing but Python 3.11.

The first three make `.venv` in the repository and install tilec there, editable, with what the
command needs; a second call finds that done. `bench` runs with this Python when it has all that is
needed, because on a GPU host PyTorch and Triton usually come with it; else in `.venv`. Only the
standard library is used, because this file runs before anything is installed.
"""

import argparse
import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
OLDEST_PYTHON = (3, 11)
BUILD = ROOT / "build"
DEMO_SIZES = "M=512,N=384,K=640"
WORKERS = min(8, (os.cpu_count() or 1) + 1)
"""Processes of pytest, 0.3 GB each. One more than there are cores: some tests wait for a process
(2 cores: 543 s instead of 580 s, 2026-11-25)."""
IN_PARALLEL = ("-n", str(WORKERS), "--dist", "worksteal")
"""Arguments of pytest."""
WITHOUT_GPU = ("--ignore=tests/gpu", "-m", "not gpu")
"""Arguments of pytest: to collect the tests for a GPU takes as long as to collect all others."""
BENCHMARKS = ("gemm", "typed", "attention", "rows", "planner", "ab", "plot")
BENCH_WITHOUT_GPU = frozenset({"-h", "--help", "--merge", "--compile-only"})
BENCH_PROBE = "import torch, tilec.compiler.driver, tilec.runtime.cuda.cuda_driver"
BENCH_HELP = """\
Run a benchmark on a GPU: `gemm` (the default) against cuBLAS and Triton, `attention` against
FlashAttention-3 and cuDNN, `typed` (products of other types) against cuBLAS, `rows` (softmax,
norms, reductions, scans, transpose, gathers) against a copy, `planner` against an exhaustive
search, `ab` of gemm against another checkout, or `plot` of a report of gemm (no GPU).

It needs a GPU of compute capability 9.0 and PyTorch with CUDA, and Triton for its column. When the
Python that runs this file can import torch and what tilec depends on, it is taken; else `.venv`
gets the extra `bench` (several GB). All arguments are passed on; `bench gemm --help` has them."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command that was asked for and return its exit code.

    Args:
        words: The command line; by default that of this process.
    """
    words = sys.argv[1:] if words is None else list(words)
    parser = argparse.ArgumentParser(description="Chores of a tilec checkout.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    commands.add_parser("demo", help="compile examples/matmul.tile, run it and check the result")
    commands.add_parser(
        "test",
        help="run lit and pytest, without what needs a GPU",
        epilog="All arguments are passed on to pytest.",
    )
    commands.add_parser("lint", help="run ruff and pyright")
    commands.add_parser(
        "bench",
        help="measure on a GPU, against cuBLAS and Triton; `bench --help` says what it needs",
        description=BENCH_HELP,
        usage=f"%(prog)s [{'|'.join(BENCHMARKS)}] [ARG ...]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # What follows a command that passes arguments on is not ours to parse, options included.
    own, rest = (words, []) if words[1:2] in (["-h"], ["--help"]) else (words[:1], words[1:])
    options = parser.parse_args(own)
    if rest and options.command not in ("test", "bench"):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if sys.version_info < OLDEST_PYTHON:
        wanted = ".".join(str(part) for part in OLDEST_PYTHON)
        parser.error(f"Python {wanted} or newer is needed; this is {sys.version.split()[0]}")
    try:
        return _dispatch(options.command, rest)
    except subprocess.CalledProcessError as failure:
        print(f"dev.py: failed: {' '.join(map(str, failure.cmd))}", file=sys.stderr)
        return failure.returncode or 1
    except KeyboardInterrupt:
        return 130


def _dispatch(command: str, rest: Sequence[str]) -> int:
    if command == "demo":
        return demo()
    if command == "lint":
        return lint()
    return bench(rest) if command == "bench" else test_suite(rest)


def prepare(extra: str | None) -> None:
    """Make `.venv` and install tilec with the optional dependencies called `extra`.

    A stamp file holds a digest of pyproject.toml and the Python version; when it still fits,
    nothing is done.
    """
    digest = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    expected = f"{sys.version}\n{ROOT}\n{digest}\n"
    stamp = ENVIRONMENT / f"installed-{extra or 'base'}"
    if stamp.exists() and stamp.read_text() == expected and PYTHON.exists():
        return
    if not _environment_works():
        print(f"making {ENVIRONMENT.relative_to(ROOT)} ...", flush=True)
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
    wanted = f".[{extra}]" if extra else "."
    print(f"installing tilec and its dependencies ({wanted}) ...", flush=True)
    started = time.monotonic()
    run([PYTHON, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "-e", wanted])
    stamp.write_text(expected)
    print(f"installed in {time.monotonic() - started:.0f} s", flush=True)


def _environment_works() -> bool:
    if not PYTHON.exists():
        return False
    probe = "import pip, sys; print(sys.version)"
    result = subprocess.run([PYTHON, "-c", probe], capture_output=True, text=True, check=False)
    return result.returncode == 0 and result.stdout.strip() == sys.version.strip()


def run(command: Sequence[str | Path], *, check: bool = True) -> int:
    """Run `command` in the repository and return its exit code.

    Raises:
        subprocess.CalledProcessError: It failed and `check` is set.
    """
    sys.stdout.flush()
    return subprocess.run(command, cwd=ROOT, env=_variables(), check=check).returncode


def _variables() -> dict[str, str]:
    """Return the environment variables of a command that runs in the repository."""
    found = {**os.environ, "PYTHONPATH": str(ROOT)}
    if found.pop("PYTHONDONTWRITEBYTECODE", ""):
        # Hundreds of tests start a Python, and without bytecode each would compile tilec anew.
        found.setdefault("PYTHONPYCACHEPREFIX", str(BUILD / "bytecode"))
    return found


def demo() -> int:
    """Take examples/matmul.tile through every stage, then run it and check the numbers."""
    prepare(None)
    output = BUILD / "demo"
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    source, ptx = Path("examples/matmul.tile"), output / "matmul.ptx"
    print(f"\n== {source} -> PTX, stage by stage", flush=True)
    dump = ["--dump-ir", output / "ir"]
    sizes = ["--size", DEMO_SIZES]
    run([PYTHON, "-m", "tilec", "compile", source, "-o", ptx, "--timing", *dump, *sizes])
    print(f"\nPTX:               {ptx.relative_to(ROOT)}")
    print(f"IR of every stage: {(output / 'ir').relative_to(ROOT)}", flush=True)
    print("\n== run it and compare with NumPy", flush=True)
    return run([PYTHON, "-m", "tilec", "run", source, "--size", DEMO_SIZES, "--check"], check=False)


def test_suite(pytest_arguments: Sequence[str]) -> int:
    """Run lit and pytest at the same time; fail when either fails.

    Lit, with one worker, ends long before the whole of pytest, whose summary is the last line.
    """
    prepare("test")
    words = [*IN_PARALLEL, *WITHOUT_GPU, *pytest_arguments]
    with ThreadPoolExecutor(1) as thread:
        lit = thread.submit(run_lit)
        pytest = run([PYTHON, "-m", "pytest", *words], check=False)
    return pytest or lit.result()


def run_lit() -> int:
    """Run lit, print all that it says at its end, and return its exit code."""
    command = [ENVIRONMENT / "bin" / "lit", "-j1", "--succinct", "--verbose", "lit_tests"]
    done = subprocess.run(
        command, cwd=ROOT, env=_variables(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    print(f"\n{done.stdout.decode(errors='replace')}", end="")
    print(f"lit: {'passed' if done.returncode == 0 else 'FAILED'}", flush=True)
    return done.returncode


def bench(words: Sequence[str]) -> int:
    """Run a benchmark: with the running Python if it has PyTorch, else in `.venv`.

    Args:
        words: Name of the benchmark, `gemm` when there is none, and its arguments.
    """
    name, rest = (words[0], words[1:]) if words[:1] and words[0] in BENCHMARKS else ("gemm", words)
    # The parent may have found torch or tilec's dependencies on PYTHONPATH: keep it.
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": path}
    python = Path(sys.executable)
    if (
        name != "plot"
        and BENCH_WITHOUT_GPU.isdisjoint(rest)
        and not _can_bench(python, environment)
    ):
        if not _has_driver():
            print("dev.py: bench needs an NVIDIA GPU and its driver: no libcuda.so.1 here")
            return 2
        print(f"{python} cannot import torch and what tilec needs: using .venv", flush=True)
        prepare("bench")
        python = PYTHON
    command = [python, "-m", f"tools.bench.{name}", *rest]
    return subprocess.run(command, env=environment, check=False).returncode


def _has_driver() -> bool:
    """Tell whether the library of NVIDIA's driver is here: without it `.venv` would not help."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def _can_bench(python: Path, environment: dict[str, str]) -> bool:
    probe = [python, "-c", BENCH_PROBE]
    return subprocess.run(probe, env=environment, capture_output=True, check=False).returncode == 0


def lint() -> int:
    """Run ruff and pyright; fail when any of them does."""
    prepare("lint,test")
    codes = [
        run([PYTHON, "-m", "ruff", "check", "."], check=False),
        run([PYTHON, "-m", "ruff", "format", "--check", "."], check=False),
        run([PYTHON, "-m", "pyright", "--pythonpath", PYTHON], check=False),
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
