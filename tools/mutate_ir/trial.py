"""Resumes edited dumps, each in a process of its own that is forked from this one.

The process does what the child of `tilec.compiler.user_ir.run_apart` does, but no new Python
starts.
"""

import enum
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from tilec.compiler.driver import resume_here
from tilec.compiler.user_ir import work_alone
from tilec.request.options import CompileOptions
from tilec.support.diagnostics import SourceFile, TileError
from tilec.support.isolation import read_outcome, serve
from tools.forked import limit_memory, run_forked

_MEMORY = 3 << 30
"""Bytes that one process may add to its address space. The largest kernel takes 0.5 GB."""


class Ending(enum.Enum):
    """What became of an edited dump."""

    UNCHANGED = "the same PTX"
    COMPILED = "other PTX"
    DIAGNOSTIC = "diagnostic"
    INTERNAL = "internal error"
    DIED = "the process died"
    MEMORY = "out of memory"
    HUNG = "hung"


BAD = (Ending.INTERNAL, Ending.DIED, Ending.MEMORY, Ending.HUNG)
"""What a dump must not do. A user is told so all the same (T0582, T0583), but late."""


@dataclass(frozen=True)
class Trial:
    """An edited dump to resume.

    Attributes:
        stage: Stage of the dump.
        number: Of the edit: with the stage and the seed it says which one.
        edits: What was done to the dump.
        origin: The dump.
        text: The edited dump.
    """

    stage: str
    number: int
    edits: str
    origin: str
    text: str


@dataclass(frozen=True)
class Result:
    """How the trial ended.

    Attributes:
        trial: The trial.
        ending: In one word.
        detail: The first line of the diagnostic, or where the process died.
        code: Code of the diagnostic.
        located: Whether the diagnostic names a place in the file.
        ptx: What was compiled.
        seconds: How long it took.
    """

    trial: Trial
    ending: Ending
    detail: str = ""
    code: str = ""
    located: bool = True
    ptx: str = ""
    seconds: float = 0.0


@dataclass
class _Running:
    trial: Trial
    frames: IO[bytes]
    messages: IO[bytes]
    began: float
    killed: bool = False


def run_trials(trials: Iterable[Trial], jobs: int, seconds: float) -> Iterator[Result]:
    """Resume dumps, some at a time, and yield how each ended, in any order.

    Args:
        trials: The dumps.
        jobs: How many processes run at once.
        seconds: Time after which a process counts as hung.
    """
    return run_forked(trials, jobs, seconds, _start, partial(_result, seconds=seconds))


def _start(trial: Trial) -> tuple[int, _Running]:
    frames, messages = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        try:
            _work(trial, frames, messages)
        finally:
            os._exit(1)
    return process, _Running(trial, frames, messages, time.monotonic())


def _work(trial: Trial, frames: IO[bytes], messages: IO[bytes]) -> None:
    """Resume a dump and end the process."""
    import faulthandler
    import resource

    os.setsid()
    faulthandler.disable()
    limit_memory(_MEMORY)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.dup2(messages.fileno(), 1)
    os.dup2(messages.fileno(), 2)
    source = SourceFile(f"edited-{trial.number}", trial.text)
    options = CompileOptions(emit="ptx", start_from=trial.stage, run_ptxas=trial.stage == "ptx")
    serve(frames, work_alone, (resume_here, source, options, {}, {}))
    os._exit(0)


def _result(entry: _Running, status: int, seconds: float) -> Result:
    took = time.monotonic() - entry.began
    entry.frames.seek(0)
    entry.messages.seek(0)
    said = entry.messages.read().decode(errors="replace")
    outcome = read_outcome(entry.frames.read(), said, status)
    entry.frames.close()
    entry.messages.close()
    where = outcome.running[-1] if outcome.running else "no pass"
    if entry.killed:
        return Result(entry.trial, Ending.HUNG, f"{seconds:g} s in {where}", seconds=took)
    if outcome.died:
        detail = f"{outcome.died} in {where}: {outcome.message}"
        return Result(entry.trial, Ending.DIED, detail, seconds=took)
    failure = outcome.raised
    if isinstance(failure, MemoryError):
        return Result(entry.trial, Ending.MEMORY, f"in {where}", seconds=took)
    if isinstance(failure, TileError):
        first = failure.diagnostics[0]
        detail = f"{first.code} {first.message}"
        located = first.span is not None
        return Result(entry.trial, Ending.DIAGNOSTIC, detail, first.code, located, seconds=took)
    if failure is not None:
        return Result(entry.trial, Ending.INTERNAL, str(failure), seconds=took)
    ptx = outcome.answer.texts["ptx"]
    return Result(entry.trial, Ending.COMPILED, ptx=ptx, seconds=took)


def keep(result: Result, folder: Path) -> Path:
    """Write an edited dump to a folder, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result.trial.stage}-{result.trial.number}.txt"
    path.write_text(result.trial.text)
    return path
