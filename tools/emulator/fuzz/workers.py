"""Runs seeds in processes of their own: one that hangs or dies is a verdict, too."""

import multiprocessing
import os
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from tools.emulator.fuzz.program import Program

SECONDS_TO_END = 5
"""What a process without more tasks may take to remove its files and to close its GPU."""
PATIENCE = 60
"""Seconds that a process may stay silent beyond the limit of a program before it is ended."""


@dataclass(frozen=True)
class Task:
    """What to do with a seed.

    Attributes:
        seed: What to draw from.
        schedules: Orders of events to try.
        shrinking: Seconds to make a program that fails smaller.
        gpu: Whether the program runs on the GPU, too.
        ahead: Whether the program is compiled for a GPU, too.
    """

    seed: int
    schedules: int = 3
    shrinking: float = 0.0
    gpu: bool = False
    ahead: bool = False


@dataclass(frozen=True)
class Report:
    """What came of a task.

    Attributes:
        seed: Its seed.
        verdict: What came out of the program.
        text: The program, if it failed; the smallest one that fails in the same way.
        seconds: How long it took, without making it smaller.
    """

    seed: int
    verdict: Any
    text: str = ""
    seconds: float = 0.0


def schedules_of(task: Task) -> range:
    """Return the seeds of the orders of events of a task."""
    return range(task.seed, task.seed + task.schedules)


def perform(task: Task, folder: Path) -> Report:
    """Draw, run and compare the program of a seed; make it smaller if it fails."""
    from tools.emulator.fuzz.draw import draw
    from tools.emulator.fuzz.printing import describe
    from tools.emulator.fuzz.running import GPU_FAULT, check
    from tools.emulator.fuzz.shrinking import shrink

    start = time.monotonic()
    program = draw(task.seed)
    schedules = schedules_of(task)
    verdict = check(program, folder, schedules, gpu=task.gpu, ahead=task.ahead)
    seconds = time.monotonic() - start
    if not verdict.bad:
        return Report(task.seed, verdict, "", seconds)

    def fails(other: Program) -> bool:
        again = check(other, folder, schedules, gpu=task.gpu, ahead=task.ahead)
        return (again.kind, again.where) == (verdict.kind, verdict.where)

    if task.shrinking and verdict.where != GPU_FAULT:
        program = shrink(program, fails, task.shrinking)
        last = check(program, folder, schedules, gpu=task.gpu, ahead=task.ahead)
        verdict = last if last.bad else verdict
    return Report(task.seed, verdict, describe(program, verdict.schedule), seconds)


def _serve(pipe: Connection, cache: Path | None) -> None:
    """Perform tasks until there are no more; keep compiled kernels in a folder, if there is one."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TILEC_CACHE_DIR"] = str(cache or folder)
        while (task := pipe.recv()) is not None:
            # The name of a source is part of what a kernel is stored under.
            place = cache / "sources" / str(task.seed) if cache else Path(folder)
            place.mkdir(parents=True, exist_ok=True)
            pipe.send(perform(task, place))


class _Worker:
    """A process, and what it is at."""

    def __init__(self, cache: Path | None) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other, cache), daemon=True)
        self.process.start()
        other.close()
        self.task: Task | None = None
        self.since = time.monotonic()

    def give(self, task: Task | None) -> None:
        self.task, self.since = task, time.monotonic()
        self.pipe.send(task)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def run(tasks: Iterator[Task], jobs: int, cache: Path | None = None) -> Iterator[Report]:
    """Perform tasks in `jobs` processes; yield what came of each, as it comes.

    Args:
        tasks: What to do.
        jobs: Number of processes.
        cache: Folder for compiled kernels; by default each process has one while it runs.
    """
    from tools.emulator.fuzz.running import GPU_FAULT, SECONDS, Verdict

    workers, done = [_Worker(cache) for _ in range(jobs)], list[_Worker]()
    pending = iter(tasks)
    try:
        for worker in list(workers):
            _next(worker, pending, workers, done)
        while workers:
            ready = wait([worker.pipe for worker in workers], timeout=5)
            for worker in [
                item for item in workers if item.pipe in ready or _is_late(item, SECONDS)
            ]:
                task = worker.task
                assert task is not None
                try:
                    report = worker.pipe.recv() if worker.pipe.poll() else None
                except EOFError:
                    report = None
                if report is None:
                    verdict = Verdict("internal", "process", "the process died, or never answered")
                    report = replace(_lost(task), verdict=verdict)
                if report.verdict.where in ("process", GPU_FAULT):
                    worker.end()
                    workers[workers.index(worker)] = worker = _Worker(cache)
                _next(worker, pending, workers, done)
                yield report
    finally:
        for worker in done:
            worker.process.join(SECONDS_TO_END)
        for worker in (*done, *workers):
            worker.end()


def _is_late(worker: _Worker, seconds: int) -> bool:
    assert worker.task is not None
    limit = seconds + PATIENCE + worker.task.shrinking * 2
    return time.monotonic() - worker.since > limit


def _next(
    worker: _Worker, tasks: Iterator[Task], workers: list[_Worker], done: list[_Worker]
) -> None:
    """Give a process its next task, or let it end."""
    task = next(tasks, None)
    worker.give(task)
    if task is None:
        workers.remove(worker)
        done.append(worker)


def _lost(task: Task) -> Report:
    from tools.emulator.fuzz.draw import draw
    from tools.emulator.fuzz.printing import describe

    return Report(task.seed, None, describe(draw(task.seed)))
