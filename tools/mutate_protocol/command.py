"""The command: mutates the protocols of kernels and counts what is missed."""

import argparse
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

from tools.mutate_protocol.judge import (
    CAUGHT,
    CRASHED,
    DATA_CHANGED,
    EQUIVALENT,
    INVALID,
    MISSED,
    judge,
    subject,
)
from tools.mutate_protocol.kernels import cases
from tools.mutate_protocol.mutations import Mutation

VERDICTS = (CAUGHT, INVALID, EQUIVALENT, DATA_CHANGED, CRASHED, MISSED)
CHUNK = 16
Task = tuple[str, list[int]]
Verdict = tuple[str, Mutation, str, str]
"""Kernel, mutation, verdict and what was found."""


def count_of(name: str) -> int:
    """Return how many mutations the kernel called `name` has."""
    return len(subject(name).mutations)


def tasks(counts: dict[str, int], sample: float, seed: int) -> list[Task]:
    """Return what to judge, in pieces; a `sample` of the mutations, which `seed` chooses."""
    random, found = Random(seed), []
    for name, count in counts.items():
        chosen = [number for number in range(count) if random.random() < sample]
        found += [(name, chosen[first : first + CHUNK]) for first in range(0, len(chosen), CHUNK)]
    return found


def verdicts(names: Sequence[str], sample: float, seed: int, jobs: int) -> Iterator[Verdict]:
    """Yield the verdict on each mutant, in any order."""
    if jobs == 1:
        for name, numbers in tasks({name: count_of(name) for name in names}, sample, seed):
            yield from ((name, *item) for item in judge(name, numbers))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        counts = dict(zip(names, pool.map(count_of, names), strict=True))
        pending = {pool.submit(judge, *task): task for task in tasks(counts, sample, seed)}
        for done in as_completed(pending):
            yield from ((pending[done][0], *item) for item in done.result())


def main(words: Sequence[str] | None = None) -> int:
    """Judge mutants and print the counts; 1 when one was missed."""
    known = cases()
    parser = argparse.ArgumentParser(prog="python -m tools.mutate_protocol", description=__doc__)
    parser.add_argument("--kernel", action="append", choices=sorted(known), help="only this one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--sample", type=float, default=1.0, help="part of the mutants (1.0)")
    parser.add_argument("--seed", type=int, default=0, help="chooses the sample (0)")
    parser.add_argument("--verbose", action="store_true", help="print every mutant")
    options = parser.parse_args(words)
    names = options.kernel or list(known)
    counts = {name: Counter() for name in names}
    started = time.monotonic()
    with TemporaryDirectory() as folder, patch.dict(os.environ, {"TILEC_CACHE_DIR": folder}):
        for name, mutation, verdict, found in verdicts(
            names, options.sample, options.seed, options.jobs
        ):
            counts[name][verdict] += 1
            if options.verbose or verdict in (MISSED, CRASHED):
                print(
                    f"{verdict}: {name}: {mutation.text}: {found.splitlines()[0][:200] if found else str()}",
                    flush=True,
                )
    _print_table(counts)
    print(f"{time.monotonic() - started:.0f} s")
    return 1 if any(count[MISSED] + count[CRASHED] for count in counts.values()) else 0


def _print_table(counts: dict[str, Counter[str]]) -> None:
    rows = [("kernel", *VERDICTS)]
    rows += [(name, *(str(count[item]) for item in VERDICTS)) for name, count in counts.items()]
    total = sum(counts.values(), Counter())
    rows.append(("all", *(str(total[item]) for item in VERDICTS)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        print("  ".join((f"{row[0]:<{widths[0]}}", *cells)))
