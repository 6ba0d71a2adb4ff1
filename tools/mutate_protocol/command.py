"""The command: mutates the protocols of kernels and counts what is missed."""

import argparse
import os
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

from tools.mutate_protocol.judge import (
    CAUGHT,
    CRASHED,
    DATA_CHANGED,
    EQUIVALENT,
    FAILURES,
    INVALID,
    MISSED,
    judge,
    subject,
)
from tools.mutate_protocol.kernels import cases
from tools.mutate_protocol.mutations import Mutation

VERDICTS = (CAUGHT, INVALID, EQUIVALENT, DATA_CHANGED, CRASHED, MISSED)
CHUNK = 16
"""Mutants that a process judges before it takes others."""
WIDTH = 200
Task = tuple[str, list[int]]
Verdict = tuple[str, Mutation, str, str]
"""Kernel, mutation, verdict and what was found."""


@dataclass(frozen=True)
class Choice:
    """Which mutants are judged.

    Attributes:
        sample: Part of them.
        seed: What chooses that part.
        match: Regular expression that is found in the descriptions of the mutations.
    """

    sample: float = 1.0
    seed: int = 0
    match: str = ""

    def tasks(self, texts: Mapping[str, list[str]]) -> list[Task]:
        """Return what to judge, in pieces, of the mutations with these descriptions by kernel."""
        random, found = Random(self.seed), []
        for name, own in texts.items():
            chosen = [
                number
                for number, text in enumerate(own)
                if random.random() < self.sample and re.search(self.match, text)
            ]
            parts = range(0, len(chosen), CHUNK)
            found += [(name, chosen[first : first + CHUNK]) for first in parts]
        return found


def texts_of(name: str) -> list[str]:
    """Return the description of every mutation of the kernel called `name`."""
    return [mutation.text for mutation in subject(name).mutations]


def verdicts(names: Sequence[str], choice: Choice, jobs: int = 1) -> Iterator[Verdict]:
    """Yield the verdict on each mutant, in any order."""
    if jobs == 1:
        for task in choice.tasks({name: texts_of(name) for name in names}):
            yield from ((task[0], *item) for item in judge(*task))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        texts = dict(zip(names, pool.map(texts_of, names), strict=True))
        pending = {pool.submit(judge, *task): task[0] for task in choice.tasks(texts)}
        for done in as_completed(pending):
            yield from ((pending[done], *item) for item in done.result())


def main(words: Sequence[str] | None = None) -> int:
    """Judge mutants and print the counts; 1 when one was missed."""
    options = _options(words)
    names = options.kernel or list(cases())
    choice = Choice(options.sample, options.seed, options.match)
    counts = {name: Counter[str]() for name in names}
    started = time.monotonic()
    with TemporaryDirectory() as folder, patch.dict(os.environ, {"TILEC_CACHE_DIR": folder}):
        for name, mutation, verdict, found in verdicts(names, choice, options.jobs):
            counts[name][verdict] += 1
            if options.verbose or verdict in FAILURES:
                reason = found.partition("\n")[0][:WIDTH]
                print(f"{verdict}: {name}: {mutation.text}: {reason}", flush=True)
    print(table(counts))
    print(f"{time.monotonic() - started:.0f} s")
    return 1 if any(count[item] for count in counts.values() for item in FAILURES) else 0


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutate_protocol", description=__doc__)
    known = sorted(cases())
    parser.add_argument("--kernel", action="append", choices=known, help="only this one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--sample", type=float, default=1.0, help="part of the mutants (1.0)")
    parser.add_argument("--seed", type=int, default=0, help="chooses the sample (0)")
    parser.add_argument("--match", default="", help="expression that descriptions match")
    parser.add_argument("--verbose", action="store_true", help="print every mutant")
    return parser.parse_args(words)


def table(counts: Mapping[str, Counter[str]]) -> str:
    """Return the counts by kernel and verdict, and their sums."""
    rows = [("kernel", *VERDICTS)]
    rows += [(name, *(str(count[item]) for item in VERDICTS)) for name, count in counts.items()]
    total = sum(counts.values(), Counter[str]())
    rows.append(("all", *(str(total[item]) for item in VERDICTS)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for first, *rest in rows:
        cells = (f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True))
        lines.append("  ".join((f"{first:<{widths[0]}}", *cells)))
    return "\n".join(lines)
