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
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.bench.cases import FULL, SETS, Case, parse_case
from tools.bench.host import HostError
from tools.bench.measure import interleave
from tools.bench.options import (
    add_case_options,
    add_peers,
    add_run_options,
    chosen_cases,
    new_parser,
    positive,
)
from tools.bench.report import Report, load_report, merge, write_report
from tools.bench.session import (
    EXIT_FAILED,
    EXIT_USAGE,
    Benchmark,
    Entries,
    add_samples,
    first_lines,
    measure,
    run_command,
)

PEERS = ("cublas", "triton")
_NEEDS = """
It needs an H100, H200 or GH200, and PyTorch 2.8 or newer with CUDA. Triton, nvidia-ml-py (cycles
and power while a contender runs; nvidia-smi otherwise) and matplotlib (--plot) are used where they
are installed. The full protocol takes about half an hour. The sets, with their cases:
"""
_HANG = " " * 11
EXIT_HANG = 124
"""As of timeout(1)."""
HANG_FACTOR, HANG_SLACK_SECONDS = 1.5, 120.0
"""A process is taken to hang after its budget times the one plus the other: it begins a last case
within the budget."""


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options; `cases` holds the chosen cases."""
    parser = new_parser("gemm", __doc__, _NEEDS + _list_sets())
    case = "a case, as 4096x4096x512:bf16:NT"
    add_case_options(parser, SETS, parse_case, case=case, variant="BM=128,stages=3")
    add_peers(parser, PEERS, PEERS, "both")
    add_run_options(parser, seconds=0.2)
    add = parser.add_argument
    add("--processes", type=positive(int), default=3, help="processes, one after the other (3)")
    add("--plot", type=Path, help="write a plot (SVG, PNG or PDF by the suffix)")
    add("--quiet", action="store_true", help="print no table")
    add("--merge", type=Path, nargs="+", metavar="REPORT", help="only merge reports: no GPU")
    options = parser.parse_args(words)
    options.cases = chosen_cases(options, SETS, FULL)
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


def run_case(
    torch: Any, case: Case, options: argparse.Namespace, read: Any, entries: Entries
) -> None:
    """Check and time one case: see `Benchmark.run_case`."""
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
            entries[name] = {"failed": first_lines(failure)}
            continue
        entries[name] = {"error": error, "detail": contender.detail}
        calls[name] = contender.call
    del expected
    if calls:
        sets, rounds = len(operands.products), options.rounds
        add_samples(entries, interleave(torch, calls, sets, rounds, options.seconds, read))


def _prepare(torch: Any) -> None:
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = True  # torch's default


BENCHMARK = Benchmark("gemm", run_case, work=lambda case: {}, prepare=_prepare)


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


def make_report(options: argparse.Namespace) -> Report:
    """Merge the reports of `--merge`, or measure in one process or in several; draw `--plot`.

    Raises:
        HostError: Nothing could be measured.
        ValueError: A file holds no report.
    """
    if options.merge:
        report = merge([load_report(path) for path in options.merge])
        if options.json:
            write_report(report, options.json)
    elif options.processes > 1:
        report = measure_in_processes(options)
    else:
        report = measure(BENCHMARK, options)
    if options.plot:
        _plot(report, options.plot)
    return report


def main(words: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 when one of ours failed, 2 when it cannot run."""
    options = parse_arguments(words)
    return run_command(BENCHMARK.name, lambda: make_report(options), quiet=options.quiet)


def _plot(report: Report, path: Path) -> None:
    """Write the plot, or say what is missing: the numbers are worth more than the picture."""
    from tools.bench.plot import PlotError, save_plot

    try:
        save_plot(report, path)
    except PlotError as failure:
        print(f"gemm: no plot: {failure}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
