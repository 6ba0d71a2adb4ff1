"""A benchmark in one process: cases one after the other, and a report that is on disk after each.

A contender that fails is left out with the reason, and so is a case. After a fault of the GPU the
process can measure nothing more; the report says what it did not reach.
"""

import argparse
import sys
import textwrap
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tools.bench.gpu_state import GpuMonitor
from tools.bench.host import HostError, describe_host, import_torch, open_monitor
from tools.bench.measure import Samples
from tools.bench.progress import Progress
from tools.bench.report import (
    OURS,
    SCHEMA,
    Report,
    format_table,
    rows,
    shortest_round,
    write_report,
)

EXIT_FAILED, EXIT_USAGE = 1, 2
MAX_REASON = 300
Entries = dict[str, dict[str, Any]]
"""An entry of the report for each contender of a case."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark of one kind of kernel.

    Attributes:
        name: The module, as messages name it.
        run_case: Checks and times a case: torch, case, options, what reads the state of the GPU,
            and entries, which it fills. What is in them when it raises is true as well.
        work: Returns the `operations` and the `unit` of a case, for the report.
        prepare: Sets options of torch.
    """

    name: str
    run_case: Callable[[Any, Any, argparse.Namespace, Any, Entries], None]
    work: Callable[[Any], Mapping[str, Any]]
    prepare: Callable[[Any], None]


def measure(benchmark: Benchmark, options: argparse.Namespace) -> Report:
    """Run the cases of `options` in this process.

    Raises:
        HostError: The host cannot run them.
    """
    torch = import_torch()
    torch.manual_seed(options.seed)
    benchmark.prepare(torch)
    monitor = open_monitor(torch)
    process = _new_process(monitor)
    report = _new_report(torch, monitor, options, process)
    deadline = time.monotonic() + options.budget if options.budget else float("inf")
    progress = Progress(len(options.cases))
    healthy = True
    for case in options.cases:
        if not healthy or time.monotonic() > deadline:
            process["unreached"].append(str(case))
            continue
        progress.start(str(case))
        entries, healthy = survive_case(benchmark, torch, case, options, monitor.read)
        work = benchmark.work(case)
        process["results"].append({"case": str(case), **work, "contenders": entries})
        process["gpu_after"] = monitor.read()
        progress.finish()
        _save(report, options.json)
    _save(report, options.json)
    return report


def survive_case(
    benchmark: Benchmark, torch: Any, case: Any, options: argparse.Namespace, read: Any
) -> tuple[Entries, bool]:
    """Return the entries of a case, and whether the process can go on.

    It cannot after a fault of the GPU, which is seen at the next thing that the GPU is asked.
    """
    entries: Entries = {}
    try:
        benchmark.run_case(torch, case, options, read, entries)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
    except Exception as failure:
        reason = f"the case broke off: {first_lines(failure)}"
        for name in (OURS, *entries):
            entry = entries.setdefault(name, {})
            if "times" not in entry:
                entry.setdefault("failed", reason)
        return entries, False
    return entries, True


def add_samples(entries: Entries, samples: Mapping[str, Samples]) -> None:
    """Add what was measured to the entries of the contenders that have not failed."""
    for name, item in samples.items():
        if "failed" not in entries[name]:
            entries[name] |= {
                "times": item.times,
                "durations": item.durations,
                "readings": item.readings,
            }


def first_lines(failure: Exception) -> str:
    """Return type and beginning of an exception: some messages of peers fill pages."""
    return textwrap.shorten(f"{type(failure).__name__}: {failure}", MAX_REASON)


def run_command(name: str, make: Callable[[], Report], *, quiet: bool = False) -> int:
    """Print the report that `make` returns; return the exit code.

    Returns:
        1 when our kernel failed (a variant may), 2 when the benchmark could not run.
    """
    try:
        report = make()
    except (HostError, ValueError) as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        return EXIT_USAGE
    if not quiet:
        _print_report(report)
    failed = any(OURS in row.failures for row in rows(report) if not row.variant)
    return EXIT_FAILED if failed else 0


def _print_report(report: Report) -> None:
    """Print what a reader must know to judge the numbers, then the tables."""
    host = ", ".join(f"{name} {value}" for name, value in report["host"].items())
    rounds, seconds = report["options"]["rounds"], report["options"]["seconds"]
    shortest = shortest_round(report)
    print(f"{report['date']}: {host}")
    print(
        f"{len(report['processes'])} process(es) of {rounds} rounds of {seconds} s; "
        + (f"shortest round {shortest:.0f} ms" if shortest is not None else "nothing was timed")
    )
    print("TFLOP/s: median. Ratio: median (least..greatest round) [least..greatest process median]")
    print(f"\n{format_table(report)}", flush=True)


def _new_process(monitor: GpuMonitor) -> dict[str, Any]:
    return {
        "started": _now(),
        "gpu_before": monitor.read(),
        "readings_from": monitor.source,
        "results": [],
        "unreached": [],
    }


def _new_report(
    torch: Any, monitor: GpuMonitor, options: argparse.Namespace, process: dict[str, Any]
) -> Report:
    return {
        "schema": SCHEMA,
        "date": _now()[:10],
        "host": describe_host(torch, monitor),
        "options": {"rounds": options.rounds, "seconds": options.seconds},
        "processes": [process],
    }


def _save(report: Report, path: Path | None) -> None:
    if path is not None:
        write_report(report, path)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
