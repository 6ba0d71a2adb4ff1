"""Benchmark of attention: tilec against FlashAttention-3 and cuDNN (through torch).

Kinds of attention are the forward pass in bf16 and in 8-bit floats, the gradients (backward), and
one new query for each sequence (decode), whose speed is that of memory.

All contenders run in one process, interleaved, on the same normally distributed operands. Each is
checked against an f32 result before it is timed: ours may be no farther from it than a peer, by a
small factor. A case has 16384 tokens and heads of 2048 elements together, in bf16.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tools.bench.attention_cases import FULL, SETS, AttentionCase, parse_attention
from tools.bench.attention_contenders import (
    PEERS,
    Contender,
    Error,
    check_ours,
    find_error,
    poison,
)
from tools.bench.attention_kinds import KINDS, our_makers, peer_makers
from tools.bench.contenders import ContenderError
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
from tools.bench.report import OURS, Report, rows, write_report
from tools.bench.variants import parse_variant

_NEEDS = """
It needs an H100, H200 or GH200, and PyTorch 2.8 or newer with CUDA. FlashAttention-3 (the wheel
fa3-fwd) takes part where it is installed.
"""


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options; `cases` holds the chosen cases."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.attention",
        description=__doc__,
        epilog=_NEEDS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--set",
        action="append",
        choices=sorted(SETS),
        dest="sets",
        help="cases to run (all of the forward pass)",
    )
    add(
        "--case",
        action="append",
        type=spelt(parse_attention),
        default=[],
        help="a case, as d128:s4096:causal or backward:d64:s1024:full:g4 (4 heads share keys)",
    )
    add("--peers", type=spelt(_peers), default=PEERS, help="of fa3,cudnn (both)")
    add(
        "--variant",
        action="append",
        type=spelt(parse_variant),
        default=[],
        dest="variants",
        help="our kernel once more, with constants and fields of the plan: BM=192,stages=2",
    )
    add("--rounds", type=positive(int), default=20, help="rounds (20)")
    add("--seconds", type=positive(float), default=0.2, help="GPU time of a round (0.2)")
    add("--budget", type=positive(float), help="stop after about this many seconds")
    add("--seed", type=int, default=0, help="of the operands (0)")
    add("--json", type=Path, help="write the report to this file")
    options = parser.parse_args(words)
    names = options.sets or ([] if options.case else FULL)
    chosen = [case for name in names for case in SETS[name]] + options.case
    options.cases = list(dict.fromkeys(chosen))
    return options


def _peers(text: str) -> tuple[str, ...]:
    names = tuple(name for name in text.split(",") if name)
    if not set(names) <= set(PEERS):
        raise ValueError(f"'{text}': expected names of {', '.join(PEERS)}")
    return names


class _Entrants:
    """The contenders of one case: those that run, and an entry of the report for each.

    A contender that fails is left out, with the reason.
    """

    def __init__(self, torch: Any, case: AttentionCase, options: argparse.Namespace) -> None:
        """Make and check all of them, the peers first: they say how far off ours may be."""
        self.torch, self.case = torch, case
        self.operands = KINDS[case.kind].operands(torch, case)
        self.entries: dict[str, dict[str, Any]] = {}
        self.running: dict[str, Contender] = {}
        self._errors: list[Error] = []
        self._ours = our_makers(torch, case, self.operands, options.variants)
        peers = peer_makers(torch, case, self.operands, options.peers)
        for name, make in {**peers, **self._ours}.items():
            try:
                contender = make()
                contender.call(0)
                error = self._check(name, contender)
            except Exception as failure:  # a peer raises anything; the report says what
                self.entries[name] = {"failed": first_lines(failure)}
                continue
            if name in peers:
                self._errors.append(error)
            self.entries[name] = {"error": error.whole, "detail": contender.detail}
            self.running[name] = contender

    def _check(self, name: str, contender: Contender) -> Error:
        if name in self._ours:
            return check_ours(self.torch, self.case, self.operands, contender, self._errors)
        return find_error(self.operands, contender)

    def check_graph(self, name: str, run: Callable[[], Any]) -> None:
        """Check what the graph that was timed computes; `run` runs it once."""
        poison(self.running[name])
        run()
        try:
            self._check(name, self.running[name])
        except ContenderError as failure:
            self.entries[name] = {"failed": f"in a graph: {failure}"}


def run_case(
    torch: Any, case: AttentionCase, options: argparse.Namespace, read: Any
) -> dict[str, dict[str, Any]]:
    """Check and time one case.

    Args:
        torch: The module.
        case: The case.
        options: Peers, variants, rounds and seconds.
        read: Reads the state of the GPU.

    Returns:
        An entry per contender.
    """
    entrants = _Entrants(torch, case, options)
    calls = {name: contender.call for name, contender in entrants.running.items()}
    sets, rounds = len(entrants.operands.sets), options.rounds
    check = entrants.check_graph
    samples = interleave(torch, calls, sets, rounds, options.seconds, read, check)
    for name, item in samples.items():
        if "failed" not in entrants.entries[name]:
            entrants.entries[name] |= {
                "times": item.times,
                "durations": item.durations,
                "readings": item.readings,
            }
    return entrants.entries


def measure(options: argparse.Namespace) -> Report:
    """Run the cases in this process; the report so far is on disk after each.

    Raises:
        HostError: The host cannot run them.
    """
    torch = import_torch()
    torch.manual_seed(options.seed)
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
        work = {"operations": case.operations, "unit": case.unit}
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
        print(f"attention: {failure}", file=sys.stderr)
        return EXIT_USAGE
    print_report(report)
    failed = any(OURS in row.failures for row in rows(report))
    return EXIT_FAILED if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
