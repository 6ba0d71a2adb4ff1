"""The command: runs seeds, prints what came out, and keeps what failed."""

import argparse
import itertools
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.emulator.fuzz import products
from tools.emulator.fuzz.running import KINDS
from tools.emulator.fuzz.workers import Report, Task, run

COMMAND = "python -m tools.emulator.fuzz"


def main(words: Sequence[str] | None = None) -> int:
    """Run seeds; return 1 when one failed."""
    options = _parser().parse_args(words)
    if options.products:
        return products.main(options.first, options.count, options.seconds)
    counts: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    loose, spent, start = 0.0, 0.0, time.monotonic()
    for report in run(_tasks(options), options.jobs, options.cache):
        verdict = report.verdict
        counts[verdict.kind] += 1
        loose, spent = loose + verdict.loose, spent + report.seconds
        if verdict.kind in ("refused", "false refusal"):
            codes[verdict.where] += 1
        if verdict.bad:
            _show(report, options)
    total = counts.total()
    shown = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS)
    print(f"{total} programs from seed {options.first}: {shown}")
    if codes:
        print("refusals: " + ", ".join(f"{code} {count}" for code, count in sorted(codes.items())))
    print(
        f"{time.monotonic() - start:.0f} s, {spent / max(total, 1):.2f} s for each; "
        f"{100 * loose / max(total, 1):.2f} % of the elements may be anything"
    )
    return 1 if set(counts) - {"right", "refused"} else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="first seed (0)")
    parser.add_argument("--count", type=int, help="how many seeds (until the time is up)")
    parser.add_argument("--seconds", type=float, help="when to start no more (60 without --count)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument(
        "--schedules", type=int, default=3, help="orders of events (3); 0: no emulator"
    )
    parser.add_argument("--gpu", action="store_true", help="run on the GPU, too")
    parser.add_argument("--ahead", action="store_true", help="compile for a GPU, too")
    parser.add_argument("--cache", type=Path, help="folder that keeps compiled kernels")
    parser.add_argument("--shrink", type=float, default=60.0, help="seconds for each failure (60)")
    parser.add_argument("--keep", type=Path, help="folder for the sources that fail")
    parser.add_argument(
        "--products", action="store_true", help="matrix products with random plans instead"
    )
    return parser


def _tasks(options: argparse.Namespace) -> Iterator[Task]:
    """Yield the seeds until there are enough, or the time is up."""
    seconds = options.seconds
    if seconds is None:
        seconds = float("inf") if options.count else 60.0
    end = time.monotonic() + seconds
    for number in itertools.count() if options.count is None else range(options.count):
        if number and time.monotonic() > end:
            return
        yield Task(
            options.first + number, options.schedules, options.shrink, options.gpu, options.ahead
        )


def _show(report: Report, options: argparse.Namespace) -> None:
    """Print a failure, and keep it."""
    verdict = report.verdict
    again = f"{COMMAND} --first {report.seed} --count 1 --schedules {options.schedules}"
    again += " --gpu" if options.gpu else ""
    lines = [f"# {verdict.kind}: {verdict.where}", f"# {again}"]
    lines += [f"# {line}" for line in verdict.text.splitlines()]
    text = "\n".join([*lines, report.text])
    print(text, flush=True)
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        (options.keep / f"seed{report.seed}.tile").write_text(text)
