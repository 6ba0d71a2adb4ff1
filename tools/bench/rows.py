"""Benchmark of kernels that memory bounds: softmax, norms, reductions, scans, transpose.

All contenders run in one process, interleaved, on the same normally distributed operands. Each is
checked against an f32 or f64 result before it is timed. The measure is a copy: `out.copy_(x)` that
reads and writes half of the bytes of the case each. A ratio of 1 to it is all that memory gives.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tools.bench.measure import interleave
from tools.bench.options import (
    add_case_options,
    add_peers,
    add_run_options,
    chosen_cases,
    new_parser,
)
from tools.bench.report import OURS, VARIANT_PREFIX
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
from tools.bench.session import Benchmark, Entries, add_samples, first_lines, measure, run_command
from tools.bench.variants import Variant

_NEEDS = """
It needs an H100, H200 or GH200, and PyTorch 2.8 or newer with CUDA.
"""


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options; `cases` holds the chosen cases."""
    parser = new_parser("rows", __doc__, _NEEDS)
    case = "a case, as softmax:8192x8192 or array_cumsum:1x1000000"
    add_case_options(parser, SETS, parse_row_case, case=case, variant="BN=2048,cluster=1x4")
    add_peers(parser, PEERS, PEERS[:2], "the first 2")
    parser.add_argument(
        "--file",
        action="append",
        type=Path,
        default=[],
        dest="files",
        help="the kernel once more, from this file instead of the examples",
    )
    add_run_options(parser, seconds=0.02)
    options = parser.parse_args(words)
    options.cases = chosen_cases(options, SETS, list(SETS))
    return options


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
    torch: Any, case: RowCase, options: argparse.Namespace, read: Any, entries: Entries
) -> None:
    """Check and time one case: see `Benchmark.run_case`."""
    operands = make_operands(torch, case)
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
    sets, rounds = len(operands.sets), options.rounds
    add_samples(entries, interleave(torch, calls, sets, rounds, options.seconds, read))


def _prepare(torch: Any) -> None:
    torch.backends.cuda.matmul.allow_tf32 = False


def _work(case: RowCase) -> dict[str, Any]:
    return {"operations": case.moved_bytes, "unit": "TB/s"}


BENCHMARK = Benchmark("rows", run_case, _work, _prepare)


def main(words: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 when one of ours failed, 2 when it cannot run."""
    options = parse_arguments(words)
    return run_command(BENCHMARK.name, lambda: measure(BENCHMARK, options))


if __name__ == "__main__":
    raise SystemExit(main())
