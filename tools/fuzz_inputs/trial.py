"""Gives one input to tilec, in a process that is forked from this one."""

import contextlib
import enum
import faulthandler
import io
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO

from tools.forked import limit_memory, run_forked

SECONDS = 20
"""Time of the processor after which an input counts as hung."""
PATIENCE = 120.0
"""Seconds after which it counts as hung in any case, since it may sleep."""
_MEMORY = 6 << 30
"""Bytes that one process may add to its address space."""


class Ending(enum.Enum):
    """What became of an input."""

    FINE = "fine"
    DIAGNOSTIC = "diagnostic"
    USAGE = "usage"
    SILENT = "failed without a message"
    TRACEBACK = "traceback"
    INTERNAL = "internal error"
    CODE = "other exit code"
    DIED = "the process died"
    HUNG = "hung"


GOOD = (Ending.FINE, Ending.DIAGNOSTIC, Ending.USAGE)
"""What an input may do."""
_CODES = {0: Ending.FINE, 1: Ending.DIAGNOSTIC, 2: Ending.USAGE, 70: Ending.INTERNAL}
"""Exit codes (docs/command-line.md)."""


@dataclass(frozen=True)
class Trial:
    """One input.

    Attributes:
        kind: `text`, `dump`, `package` or `words`.
        number: Which one it is: with the kind and the seed it makes the input again.
        files: What lies in the folder in which tilec runs.
        words: Words of the command; for a package, none.
    """

    kind: str
    number: int
    files: dict[str, bytes] = field(default_factory=dict)
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """How a trial ended.

    Attributes:
        trial: The trial.
        ending: In one word.
        said: What it printed; the last characters.
        seconds: How long it took.
    """

    trial: Trial
    ending: Ending
    said: str
    seconds: float


@dataclass
class _Running:
    trial: Trial
    folder: str
    output: IO[bytes]
    began: float
    killed: bool = False


def run_trials(
    trials: Iterable[Trial], jobs: int, work: Callable[[Trial], int]
) -> Iterator[Result]:
    """Run inputs, some at a time, and yield how each ended, in any order.

    Args:
        trials: The inputs.
        jobs: How many processes run at once.
        work: Gives an input to tilec, and returns the exit code.
    """
    return run_forked(trials, jobs, PATIENCE, partial(_start, work=work), _result)


def _start(trial: Trial, work: Callable[[Trial], int]) -> tuple[int, _Running]:
    folder = tempfile.mkdtemp(prefix="input-")
    for name, data in trial.files.items():
        (Path(folder) / name).write_bytes(data)
    output = tempfile.TemporaryFile()  # noqa: SIM115
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        try:
            _work(trial, folder, output, work)
        finally:
            os._exit(99)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.setpgid(process, process)
    return process, _Running(trial, folder, output, time.monotonic())


def _work(trial: Trial, folder: str, output: IO[bytes], work: Callable[[Trial], int]) -> None:
    """Run an input and end the process."""
    os.setpgrp()
    faulthandler.disable()
    limit_memory(_MEMORY)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w"), "utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w"), "utf-8", "backslashreplace")
    os.chdir(folder)
    try:
        code = work(trial)
    except SystemExit as request:  # argparse
        code = request.code if isinstance(request.code, int) else 0
    except BaseException:
        traceback.print_exc()
        code = 99
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _result(entry: _Running, status: int) -> Result:
    took = time.monotonic() - entry.began
    entry.output.seek(0)
    said = entry.output.read().decode(errors="replace")
    entry.output.close()
    shutil.rmtree(entry.folder, ignore_errors=True)
    return Result(entry.trial, _ending(entry, status, said), said[-4000:], took)


def _ending(entry: _Running, status: int, said: str) -> Ending:
    if entry.killed or status == -signal.SIGXCPU:
        return Ending.HUNG
    if status < 0:
        return Ending.DIED
    if "Traceback (most recent call last)" in said:
        return Ending.TRACEBACK
    ending = _CODES.get(status, Ending.CODE)
    if ending in (Ending.DIAGNOSTIC, Ending.USAGE) and "error" not in said:
        return Ending.SILENT
    return ending
