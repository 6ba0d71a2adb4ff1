"""Benchmark of kernels that memory bounds: softmax, norms, reductions, scans, transpose.

All contenders run in one process, interleaved, on the same normally distributed operands. Each is
checked against an f32 or f64 result before it is timed. The measure is a copy: `out.copy_(x)` that
reads and writes half of the bytes of the case each. A ratio of 1 to it is all that memory gives.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tools.bench.gemm import (
    EXIT_FAILED,
    EXIT_USAGE,
    first_lines,
    new_process,
    new_report,
    positive,
    print_report,
    spelt,
)
from tools.bench.host import HostError, import_torch, open_monitor
from tools.bench.measure import interleave
from tools.bench.progress import Progress
from tools.bench.report import OURS, VARIANT_PREFIX, Report, rows, write_report
from tools.bench.row_cases import SETS, RowCase, parse_row_case
from tools.bench.row_contenders import (
    PEERS,
    Contender,
    Operands,
    check,
    copy,
    make_operands,
    of_torch,
    ours,
)
from tools.bench.variants import Variant, parse_variant

_NEEDS = """
It needs an H100, H200 or GH200, and PyTorch 2.8 or newer with CUDA.
"""


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options; `cases` holds the chosen cases."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.rows",
        description=__doc__,
        epilog=_NEEDS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--set", action="append", choices=sorted(SETS), dest="sets", help="cases to run (all)")
    add(
        "--case",
        action="append",
        type=spelt(parse_row_case),
        default=[],
        help="a case, as softmax:8192x8192 or array_cumsum:1x1000000",
    )
    add(
        "--peers", type=spelt(_peers), default=PEERS[:2], help="of copy,compile,torch (the first 2)"
    )
    add(
        "--variant",
        action="append",
        type=spelt(parse_variant),
        default=[],
        dest="variants",
        help="our kernel once more, with constants and fields of the plan: BN=2048,cluster=1x4",
    )
    add(
        "--file",
        action="append",
        type=Path,
        default=[],
        dest="files",
        help="the kernel once more, from this file instead of the examples",
    )
    add("--rounds", type=positive(int), default=20, help="rounds (20)")
    add("--seconds", type=positive(float), default=0.02, help="GPU time of a round (0.02)")
    add("--budget", type=positive(float), help="stop after about this many seconds")
    add("--seed", type=int, default=0, help="of the operands (0)")
    add("--json", type=Path, help="write the report to this file")
    options = parser.parse_args(words)
    names = options.sets or ([] if options.case else list(SETS))
    chosen = [case for name in names for case in SETS[name]] + options.case
    options.cases = list(dict.fromkeys(chosen))
    return options


def _peers(text: str) -> tuple[str, ...]:
    names = tuple(name for name in text.split(",") if name)
    if not set(names) <= set(PEERS):
        raise ValueError(f"'{text}': expected names of {', '.join(PEERS)}")
    return names


def makers(
    torch: Any, case: RowCase, operands: Operands, options: argparse.Namespace
) -> dict[str, Callable[[], Contender]]:
    """Return what makes each contender, ours first; a maker may raise anything."""
    found: dict[str, Callable[[], Contender]] = {
        OURS: lambda: ours(torch, case, operands, Variant(""))
    }
    for variant in options.variants:
        found[f"{VARIANT_PREFIX}{variant}"] = lambda variant=variant: ours(
            torch, case, operands, variant
        )
    for file in options.files:
        found[f"{VARIANT_PREFIX}{file.stem}"] = lambda file=file: ours(
            torch, case, operands, Variant(""), file
        )
    known: dict[str, Callable[[], Contender]] = {
        "copy": lambda: copy(torch, case, operands),
        "compile": lambda: of_torch(torch, case, operands, compiled=True),
        "torch": lambda: of_torch(torch, case, operands, compiled=False),
    }
    return found | {name: known[name] for name in options.peers}


def run_case(
    torch: Any, case: RowCase, options: argparse.Namespace, read: Any
) -> dict[str, dict[str, Any]]:
    """Check and time one case.

    Args:
        torch: The module.
        case: The case.
        options: Peers, variants, rounds and seconds.
        read: Reads the state of the GPU.

    Returns:
        An entry per contender: its times, or why it failed.
    """
    operands = make_operands(torch, case)
    entries: dict[str, dict[str, Any]] = {}
    calls = {}
    for name, make in makers(torch, case, operands, options).items():
        try:
            made = make()
            made.call(0)
            torch.cuda.synchronize()
            error = check(torch, case, operands, made.result(0)) if made.result else 0.0
        except Exception as failure:  # a peer raises anything; the report says what
            entries[name] = {"failed": first_lines(failure)}
            continue
        entries[name] = {"error": error, "detail": made.detail}
        calls[name] = made.call
    samples = interleave(torch, calls, len(operands.sets), options.rounds, options.seconds, read)
    for name, item in samples.items():
        entries[name] |= {
            "times": item.times,
            "durations": item.durations,
            "readings": item.readings,
        }
    return entries


def measure(options: argparse.Namespace) -> Report:
    """Run the cases in this process; the report so far is on disk after each.

    Raises:
        HostError: The host cannot run them.
    """
    torch = import_torch()
    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_tf32 = False
    monitor = open_monitor(torch)
    process = new_process(monitor)
    report = new_report(torch, monitor, options, process)
    deadline = time.monotonic() + options.budget if options.budget else float("inf")
    progress = Progress(len(options.cases))
    for case in options.cases:
        if time.monotonic() > deadline:
            process["unreached"].append(str(case))
            continue
        progress.start(str(case))
        contenders = run_case(torch, case, options, monitor.read)
        work = {"operations": case.moved_bytes, "unit": "TB/s"}
        process["results"].append({"case": str(case), **work, "contenders": contenders})
        process["gpu_after"] = monitor.read()
        torch.cuda.empty_cache()
        progress.finish()
        if options.json:
            write_report(report, options.json)
    return report


def main(words: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 when one of ours failed, 2 when it cannot run."""
    options = parse_arguments(words)
    try:
        report = measure(options)
    except HostError as failure:
        print(f"rows: {failure}", file=sys.stderr)
        return EXIT_USAGE
    print_report(report)
    failed = any(OURS in row.failures for row in rows(report))
    return EXIT_FAILED if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
