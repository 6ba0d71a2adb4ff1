"""Compares the kernels that two checkouts of tilec make, in one process and in adjacent pairs.

Each case is compiled by either checkout, in a process of its own and without the GPU. The two
packages then run alternately (old, new, new, old), a few milliseconds each. A ratio is that of the
times of two neighbours, old over new, so it is not of two clock rates or temperatures; the median
over hundreds of pairs tells some 0.2% apart. `null` is the same for neighbours of one checkout: it
should be 1.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tilec.request.gpu import DEFAULT_GPU, GPUS
from tools.bench.ab_subjects import SETS, Case, new_trial, parse_subject, request
from tools.bench.cases import FULL
from tools.bench.host import ROOT, HostError, import_torch
from tools.bench.measure import Graph, quick_time
from tools.bench.options import add_case_choice, chosen_cases, new_parser, positive
from tools.bench.session import EXIT_FAILED, EXIT_USAGE, first_lines

OLD, NEW = "old", "new"
ORDER = (OLD, NEW, NEW, OLD)
BLOCK_ROUNDS = 4
"""Rounds of `ORDER` between two waits of the host."""
UNIT_MILLISECONDS = 4.0
"""How long one side of a pair runs."""
NORMAL_95 = 0.98
"""Half of 1.96: ranks around the median that hold it with 95% certainty (order statistics)."""
_CASE = "a product or attention forward, as 4096x4096x512:bf16:NT or d128:s4096:causal"
_WORKER = Path(__file__).with_name("ab_compile.py")
_EXAMPLES = """
examples:
  git worktree add ../before HEAD~1 && python -m tools.bench.ab ../before --set skinny
  python -m tools.bench.ab ../before --case 4096x4096x4096 --seconds 10
  python -m tools.bench.ab ../before --set d128 --case d64:s4096:full
  python -m tools.bench.ab ../before --packages made --compile-only    # then once more, on the GPU
"""


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options; `cases` holds the chosen cases."""
    parser = new_parser("ab", __doc__, _EXAMPLES)
    add = parser.add_argument
    add("old", type=Path, help="checkout to compare with")
    add("new", type=Path, nargs="?", default=ROOT, help="the other one (this checkout)")
    add_case_choice(parser, SETS, parse_subject, case=_CASE, default="all products")
    add("--seconds", type=positive(float), default=3.0, help="GPU time of a case (3)")
    add("--packages", type=Path, help="keep packages in this folder, and take those that are there")
    add("--compile-only", action="store_true", help="make the packages; needs no GPU")
    add("--gpu", choices=tuple(GPUS), help=f"plan for it (this machine's, else {DEFAULT_GPU})")
    add("--json", type=Path, help="write the results to this file")
    options = parser.parse_args(words)
    options.cases = chosen_cases(options, SETS, FULL)
    return options


@dataclass(frozen=True)
class Comparison:
    """What was measured of one case.

    Attributes:
        ratio: Median of old over new, over all pairs: more than 1 where the new kernel is faster.
        low: Lower end of the interval that holds the median with 95% certainty.
        high: Its upper end.
        pairs: How many pairs there are.
        null: Median over neighbours of one checkout.
        microseconds: Median time of a call of either checkout.
    """

    ratio: float
    low: float
    high: float
    pairs: int
    null: float
    microseconds: Mapping[str, float]


def compare(blocks: Iterable[Sequence[tuple[str, float]]]) -> Comparison:
    """Return what blocks of units say; each unit has its checkout and the time of a call in us.

    The first unit of a block follows a wait of the host, so it is in no pair.
    """
    ratios: list[float] = []
    nulls: list[float] = []
    times: dict[str, list[float]] = {OLD: [], NEW: []}
    for block in blocks:
        for tag, spent in block:
            times[tag].append(spent)
        for (tag, first), (other, second) in pairwise(block[1:]):
            pairs = nulls if tag == other else ratios
            pairs.append(second / first if (tag, other) == (NEW, OLD) else first / second)
    low, high = median_interval(ratios)
    medians = {tag: statistics.median(spent) for tag, spent in times.items()}
    return Comparison(
        statistics.median(ratios), low, high, len(ratios), statistics.median(nulls), medians
    )


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return what the median of the distribution lies between with 95% certainty."""
    ordered, count = sorted(values), len(values)
    reach = NORMAL_95 * count**0.5
    first, last = max(0, int(count / 2 - reach)), min(count - 1, int(count / 2 + reach))
    return ordered[first], ordered[last]


def package_path(folder: Path, tag: str, case: Case) -> Path:
    """Return where the package of a case lies."""
    return folder / f"{tag}-{str(case).replace(':', '-')}.pkg"


def make_packages(options: argparse.Namespace, folder: Path, gpu: str) -> None:
    """Compile what is not there yet, with either checkout in a process of its own at a time.

    Raises:
        HostError: A folder is no checkout of tilec.
    """
    running = []
    for tag, checkout in ((OLD, options.old.resolve()), (NEW, options.new.resolve())):
        if not (checkout / "tilec").is_dir():
            raise HostError(f"{checkout} is no checkout of tilec: it has no folder `tilec`")
        places = {case: package_path(folder, tag, case) for case in options.cases}
        kernels = [request(c, path, checkout) for c, path in places.items() if not path.is_file()]
        order = folder / f"{tag}.json"
        order.write_text(json.dumps({"gpu": gpu, "kernels": kernels}), encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": _search_path(checkout)}
        command = [sys.executable, "-P", str(_WORKER), str(order)]
        running.append(subprocess.Popen(command, cwd=checkout, env=environment))
    for process in running:
        process.wait()


def _search_path(checkout: Path) -> str:
    """Return `PYTHONPATH` with one checkout in the place of this one."""
    kept = [item for item in os.environ.get("PYTHONPATH", "").split(os.pathsep) if item]
    kept = [item for item in kept if Path(item).resolve() not in (ROOT, Path.cwd())]
    return os.pathsep.join([str(checkout), *kept])


def measure_case(torch: Any, case: Case, folder: Path, seconds: float) -> Comparison:
    """Check the two kernels of a case against an f32 result, and time them.

    Raises:
        ContenderError: A result is wrong.
        TileError: A package is missing, or cannot be launched.
    """
    from tilec.runtime.aot import load_package

    trial = new_trial(torch, case)
    calls = {}
    for tag in (OLD, NEW):
        (kernel,) = load_package(package_path(folder, tag, case))
        calls[tag] = trial.call(kernel)
    sets = trial.sets
    del trial
    count = _unit_calls(quick_time(torch, calls[NEW], sets), sets)
    graphs = {tag: Graph(torch, call, sets, count) for tag, call in calls.items()}
    end = time.monotonic() + seconds
    run_block(torch, graphs)  # to the clock of the work
    blocks = [run_block(torch, graphs)]
    while time.monotonic() < end:
        blocks.append(run_block(torch, graphs))
    return compare(blocks)


def _unit_calls(milliseconds: float, sets: int) -> int:
    """Return the calls of a unit: all sets of operands, as often as its time allows."""
    return sets * max(1, round(UNIT_MILLISECONDS / milliseconds / sets))


def run_block(torch: Any, graphs: Mapping[str, Graph]) -> list[tuple[str, float]]:
    """Return checkout and microseconds of a call of each unit; the host waits at the end only."""
    tags = ORDER * BLOCK_ROUNDS
    events = [torch.cuda.Event(enable_timing=True) for _ in range(len(tags) + 1)]
    events[0].record()
    for tag, event in zip(tags, events[1:], strict=True):
        graphs[tag].graph.replay()
        event.record()
    torch.cuda.synchronize()
    return [
        (tag, 1000 * start.elapsed_time(end) / graphs[tag].calls)
        for tag, (start, end) in zip(tags, pairwise(events), strict=True)
    ]


def format_line(case: Case, found: Comparison) -> str:
    """Return the line that the command prints for a case."""
    old, new = (found.microseconds[tag] for tag in (OLD, NEW))
    return (
        f"{case!s:28} old {old:8.2f} us  new {new:8.2f} us  old/new {found.ratio:.4f} "
        f"[{found.low:.4f}..{found.high:.4f}] of {found.pairs} pairs  null {found.null:.4f}"
    )


def run(options: argparse.Namespace, folder: Path) -> int:
    """Compile, measure and print; return the exit code."""
    torch = None if options.compile_only else import_torch()
    make_packages(options, folder, options.gpu or _gpu(torch))
    if torch is None:
        missing = [c for c in options.cases for t in (OLD, NEW) if not _is_there(folder, t, c)]
        return EXIT_FAILED if missing else 0
    torch.manual_seed(0)
    code, results = 0, {}
    for case in options.cases:
        try:
            found = measure_case(torch, case, folder, options.seconds)
        except Exception as failure:  # one case must not cost the others
            print(f"{case!s:28} {first_lines(failure)}", flush=True)
            code = EXIT_FAILED
            continue
        print(format_line(case, found), flush=True)
        results[str(case)] = vars(found)
        torch.cuda.empty_cache()
    if results:
        mean = statistics.geometric_mean(item["ratio"] for item in results.values())
        print(f"geometric mean of old/new over {len(results)} cases: {mean:.4f}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    return code


def _is_there(folder: Path, tag: str, case: Case) -> bool:
    return package_path(folder, tag, case).is_file()


def _gpu(torch: Any) -> str:
    """Return the GPU to plan for."""
    from tilec.runtime.cuda.current import get_driver

    return DEFAULT_GPU if torch is None else get_driver().device(0).gpu


def main(words: Sequence[str] | None = None) -> int:
    """Run the comparison; 1 when a kernel failed, 2 when it cannot run."""
    options = parse_arguments(words)
    try:
        if options.packages:
            options.packages.mkdir(parents=True, exist_ok=True)
            return run(options, options.packages.resolve())
        with tempfile.TemporaryDirectory() as folder:
            return run(options, Path(folder))
    except HostError as failure:
        print(f"ab: {failure}", file=sys.stderr)
        return EXIT_USAGE


if __name__ == "__main__":
    raise SystemExit(main())
