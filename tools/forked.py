"""Runs tasks in processes that are forked from this one, and ends those that hang."""

import os
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

_POLL_SECONDS = 0.003


class Running(Protocol):
    """A task that runs.

    Attributes:
        began: When its process started (`time.monotonic`).
        killed: Whether it was ended because it hung.
    """

    began: float
    killed: bool


Task = TypeVar("Task")
Entry = TypeVar("Entry", bound=Running)
Result = TypeVar("Result")


def run_forked(
    tasks: Iterable[Task],
    jobs: int,
    seconds: float,
    start: Callable[[Task], tuple[int, Entry]],
    finish: Callable[[Entry, int], Result],
) -> Iterator[Result]:
    """Run tasks, some at a time, and yield what became of each, in any order.

    Args:
        tasks: The tasks.
        jobs: How many processes run at once.
        seconds: Time after which a process counts as hung; its process group is killed.
        start: Starts the process of a task, which leads a process group, and returns its number.
        finish: Says what became of a task, from the exit code of its process (negative: a signal).
    """
    waiting = iter(tasks)
    running: dict[int, Entry] = {}
    exhausted = False
    while running or not exhausted:
        while len(running) < jobs and not exhausted:
            for task in waiting:
                process, entry = start(task)
                running[process] = entry
                break
            else:
                exhausted = True
        for process, entry in list(running.items()):
            if time.monotonic() - entry.began > seconds and not entry.killed:
                entry.killed = True
                os.killpg(process, signal.SIGKILL)
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                del running[process]
                yield finish(entry, os.waitstatus_to_exitcode(status))
        time.sleep(_POLL_SECONDS)


def limit_memory(more: int) -> None:
    """Limit the address space of this process to what it has now and `more` bytes.

    A forked process begins with the address space of its parent, which may have gigabytes. Below
    that, a thread cannot even report that it has no memory, and whoever starts one waits forever.
    """
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
