"""Benchmark of matrix products: tilec against cuBLAS (through torch) and Triton.

All contenders run in one process, interleaved, on the same normally distributed operands. Each is
checked against an f32 product before it is timed. The default is the full protocol: 20 rounds of at
least 0.2 s for each contender and case, in three processes one after the other.
"""

import argparse
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tools.bench.cases import FULL, SETS, Case, parse_case
from tools.bench.gpu_state import GpuMonitor
from tools.bench.host import HostError, describe_host, import_torch, open_monitor
from tools.bench.measure import interleave
from tools.bench.progress import Progress
from tools.bench.report import (
    OURS,
    SCHEMA,
    Report,
    format_table,
    load_report,
    merge,
    rows,
    shortest_round,
    write_report,
)
from tools.bench.variants import parse_variant

PEERS = ("cublas", "triton")
_NEEDS = """
It needs an H100, H200 or GH200, and PyTorch 2.8 or newer with CUDA. Triton, nvidia-ml-py (cycles
and power while a contender runs; nvidia-smi otherwise) and matplotlib (--plot) are used where they
are installed. The full protocol takes about half an hour. The sets, with their cases:
"""
_HANG = " " * 11
MAX_REASON = 300
EXIT_FAILED, EXIT_USAGE = 1, 2
EXIT_HANG = 124
"""As of timeout(1)."""
HANG_FACTOR, HANG_SLACK_SECONDS = 1.5, 120.0
"""A process is taken to hang after its budget times the one plus the other: it begins a last case
within the budget."""


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options; `cases` holds the chosen cases."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.gemm",
        description=__doc__,
        epilog=_NEEDS + _list_sets(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--set", action="append", choices=sorted(SETS), dest="sets", help="cases to run (all)")
    add(
        "--case",
        action="append",
        type=spelt(parse_case),
        default=[],
        help="a case, as 4096x4096x512:bf16:NT",
    )
    add("--peers", type=_peers, default=PEERS, help="of cublas,triton (both)")
    add(
        "--variant",
        action="append",
        type=spelt(parse_variant),
        default=[],
        dest="variants",
        help="our kernel once more, with constants and fields of the plan: BM=128,stages=3",
    )
    add("--rounds", type=positive(int), default=20, help="rounds of a process (20)")
    add("--seconds", type=positive(float), default=0.2, help="GPU time of a round (0.2)")
    add("--processes", type=positive(int), default=3, help="processes, one after the other (3)")
    add("--budget", type=positive(float), help="stop after about this many seconds")
    add("--seed", type=int, default=0, help="of the operands; each process adds its number (0)")
    add("--json", type=Path, help="write the report to this file")
    add("--plot", type=Path, help="write a plot (SVG, PNG or PDF by the suffix)")
    add("--quiet", action="store_true", help="print no table")
    add("--merge", type=Path, nargs="+", metavar="REPORT", help="only merge reports: no GPU")
    options = parser.parse_args(words)
    names = options.sets or ([] if options.case else FULL)
    chosen = [case for name in names for case in SETS[name]] + options.case
    options.cases = list(dict.fromkeys(chosen))
    return options


def _list_sets() -> str:
    """Return the sets and their cases, as the help shows them."""
    return "\n".join(
        textwrap.fill(
            ", ".join(map(str, SETS[name])),
            96,
            initial_indent=f"  {name:<9}",
            subsequent_indent=_HANG,
        )
        for name in SETS
    )


def spelt(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return `parse` with its ValueError as one that argparse prints."""

    def convert(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as failure:
            raise argparse.ArgumentTypeError(str(failure)) from failure

    return convert


def _peers(text: str) -> tuple[str, ...]:
    names = tuple(name for name in text.split(",") if name)
    if not set(names) <= set(PEERS):
        raise argparse.ArgumentTypeError(f"'{text}': expected names of {', '.join(PEERS)}")
    return names


def positive(kind: type[int] | type[float]) -> Any:
    """Return what reads a positive number for argparse."""

    def convert(text: str) -> int | float:
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"{text} is not positive")
        return value

    convert.__name__ = kind.__name__  # argparse names it in its message
    return convert


def run_case(
    torch: Any, case: Case, options: argparse.Namespace, read: Any, found: dict[str, dict[str, Any]]
) -> None:
    """Check and time one case; a contender that fails is left out, with the reason.

    Args:
        torch: The module.
        case: The case.
        options: Peers, rounds and seconds.
        read: Reads the state of the GPU.
        found: Gets an entry per contender; what is in it when this raises is true as well.
    """
    from tools.bench.contenders import check, make_operands, makers, reference

    operands = make_operands(torch, case)
    expected = reference(torch, operands, 0)
    calls = {}
    entrants = makers(torch, case, operands, options.peers, options.variants)
    for name, make in entrants.items():
        try:
            contender = make()
            error = check(torch, contender, operands, expected)
        except Exception as failure:  # a peer raises anything; the report says what
            found[name] = {"failed": first_lines(failure)}
            continue
        found[name] = {"error": error, "detail": contender.detail}
        calls[name] = contender.call
    del expected
    if not calls:
        return
    samples = interleave(
        torch, calls, len(operands.products), options.rounds, options.seconds, read
    )
    for name, item in samples.items():
        found[name] |= {
            "times": item.times,
            "durations": item.durations,
            "readings": item.readings,
        }


def survive_case(
    torch: Any, case: Case, options: argparse.Namespace, read: Any
) -> tuple[dict[str, Any], bool]:
    """Return the result of a case, and whether the process can go on.

    It cannot after a fault of the GPU, which is seen at the next thing that the GPU is asked.
    """
    found: dict[str, dict[str, Any]] = {}
    try:
        run_case(torch, case, options, read, found)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
    except Exception as failure:
        reason = f"the case broke off: {first_lines(failure)}"
        for name in (OURS, *found):
            entry = found.setdefault(name, {})
            if "times" not in entry:
                entry.setdefault("failed", reason)
        return {"case": str(case), "contenders": found}, False
    return {"case": str(case), "contenders": found}, True


def first_lines(failure: Exception) -> str:
    """Return type and beginning of an exception: some messages of peers fill pages."""
    return textwrap.shorten(f"{type(failure).__name__}: {failure}", MAX_REASON)


def new_process(monitor: GpuMonitor) -> dict[str, Any]:
    """Return the entry of a process that begins, in a report."""
    return {
        "started": _now(),
        "gpu_before": monitor.read(),
        "readings_from": monitor.source,
        "results": [],
        "unreached": [],
    }


def new_report(
    torch: Any, monitor: GpuMonitor, options: argparse.Namespace, process: dict[str, Any]
) -> Report:
    """Return a report of one process: host, options, and what it will measure."""
    return {
        "schema": SCHEMA,
        "date": _now()[:10],
        "host": describe_host(torch, monitor),
        "options": {"rounds": options.rounds, "seconds": options.seconds},
        "processes": [process],
    }


def measure_here(options: argparse.Namespace) -> Report:
    """Run the cases in this process; the report so far is on disk after each.

    Raises:
        HostError: The host cannot run them.
    """
    torch = import_torch()
    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = True  # torch's default
    monitor = open_monitor(torch)
    process = new_process(monitor)
    report = new_report(torch, monitor, options, process)
    deadline = time.monotonic() + options.budget if options.budget else float("inf")
    progress = Progress(len(options.cases))
    healthy = True
    for case in options.cases:
        if not healthy or time.monotonic() > deadline:
            process["unreached"].append(str(case))
            continue
        progress.start(str(case))
        result, healthy = survive_case(torch, case, options, monitor.read)
        process["results"].append(result)
        process["gpu_after"] = monitor.read()
        progress.finish()
        _save(report, options.json)
    _save(report, options.json)
    return report


def _save(report: Report, path: Path | None) -> None:
    if path is not None:
        write_report(report, path)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def measure_in_processes(options: argparse.Namespace) -> Report:
    """Run the cases in several processes, one after the other, and merge their reports.

    A process that dies (a peer can take it down) keeps what it had measured.

    Raises:
        HostError: No process measured anything.
    """
    reports: list[Report] = []
    parts: list[Path] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.processes):
            part = Path(folder) / f"{number}.json"
            if options.json:
                part = options.json.with_name(f"{options.json.stem}.part{number + 1}.json")
            part.unlink(missing_ok=True)
            parts.append(part)
            print(f"process {number + 1} of {options.processes}", file=sys.stderr, flush=True)
            command = child_command(options, number, part)
            code = run_child(command, options)
            if code == EXIT_USAGE:
                raise HostError(f"process {number + 1} could not run; it said why")
            if part.is_file():
                reports.append(load_report(part))
            if code not in (0, EXIT_FAILED):
                print(f"process {number + 1} ended with code {code}", file=sys.stderr)
    if not reports:
        raise HostError("no process measured anything")
    merged = merge(reports)
    if options.json:
        write_report(merged, options.json)
        for part in parts:
            part.unlink(missing_ok=True)
    return merged


def run_child(command: Sequence[str], options: argparse.Namespace) -> int:
    """Run a process and return its exit code; one that hangs is killed when there is a budget."""
    timeout = None
    if options.budget:
        timeout = HANG_FACTOR * options.budget / options.processes + HANG_SLACK_SECONDS
    try:
        return subprocess.run(command, check=False, timeout=timeout).returncode
    except subprocess.TimeoutExpired:
        return EXIT_HANG


def child_command(options: argparse.Namespace, number: int, part: Path) -> list[str]:
    """Return the command of process `number` (from 0), which writes `part`."""
    words: list[Any] = [sys.executable, "-m", "tools.bench.gemm", "--processes", 1]
    for case in options.cases:
        words += ["--case", case]
    for variant in options.variants:
        words += ["--variant", variant]
    words += ["--peers", ",".join(options.peers), "--rounds", options.rounds]
    words += ["--seconds", options.seconds, "--seed", options.seed + number, "--json", part]
    if options.budget:
        words += ["--budget", options.budget / options.processes]
    return [*map(str, words), "--quiet"]


def print_report(report: Report) -> None:
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


def main(words: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 when one of ours failed, 2 when it cannot run."""
    options = parse_arguments(words)
    try:
        if options.merge:
            report = merge([load_report(path) for path in options.merge])
            if options.json:
                write_report(report, options.json)
        elif options.processes > 1:
            report = measure_in_processes(options)
        else:
            report = measure_here(options)
    except (HostError, ValueError) as failure:
        print(f"gemm: {failure}", file=sys.stderr)
        return EXIT_USAGE
    if not options.quiet:
        print_report(report)
    if options.plot:
        _plot(report, options.plot)
    failed = any(OURS in row.failures for row in rows(report) if not row.variant)
    return EXIT_FAILED if failed else 0


def _plot(report: Report, path: Path) -> None:
    """Write the plot, or say what is missing: the numbers are worth more than the picture."""
    from tools.bench.plot import PlotError, save_plot

    try:
        save_plot(report, path)
    except PlotError as failure:
        print(f"gemm: no plot: {failure}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
