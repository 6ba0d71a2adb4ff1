"""The planner against an exhaustive search over tiles, clusters and stages, on 30 shapes.

Every plan that the compiler accepts is compiled first, on all cores, without the GPU; shapes that
are divisible alike share them. Then, shape by shape, each is checked and looked at once, those that
are slower than 1.5 times the best are dropped, the rest is timed longer, and the best few run in
turn with the planner's own choice. Every other of these rounds says which plan is the best, the
rest how fast it is: the fastest of equal plans is the luckiest one. The planner scores best time /
its time: 1 is perfect.
"""

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tilec.support.file_io import write_atomic
from tools.bench.host import ROOT, HostError, describe_host, import_torch, open_monitor
from tools.bench.progress import Progress
from tools.bench.report import markdown_table, speed_text, tile_name
from tools.bench.search.candidates import (
    SHAPES,
    Candidate,
    Shape,
    candidates,
    divisibility_classes,
    survivors,
)
from tools.bench.search.compiling import Built, Variant, build_all, variants_folder
from tools.bench.search.messages import FinalRequest, LookRequest, ShapeRequest
from tools.bench.search.rivals import EVERYONE, Rivals, read_rivals
from tools.bench.search.worker import Answers, GpuProcess, VariantError

PRUNE = 1.5
"""A variant slower than this times the best is dropped after the first look."""
FINALISTS = 6
FINAL_ROUNDS, FINAL_SECONDS = 16, 0.03
COMPILE_SHARE = 0.6
"""Part of the budget that compiling may take."""
SHAPE_SHARE = 2.0
"""A shape may take this many times its even share of the time that is left."""
EXIT_FAILED, EXIT_USAGE = 1, 2


@dataclass
class ShapeResult:
    """What the search found for one shape.

    Attributes:
        shape: Its extents, `MxNxK`.
        group: The group of shapes that it belongs to.
        planner: Constants, plan, and median milliseconds of the planner's choice.
        best: The same of the fastest.
        ratio: Best time / the planner's time, of the medians of one interleaved run.
        searched: Number of variants that were looked at.
        complete: Whether time sufficed for all of them.
        looks: Milliseconds of each variant at the longest look that it got, by name.
        failures: What went wrong, by variant: a wrong result, a hang, a fault, a refused launch.
    """

    shape: str
    group: str
    planner: dict[str, Any] | None = None
    best: dict[str, Any] | None = None
    ratio: float | None = None
    searched: int = 0
    complete: bool = True
    looks: dict[str, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def search_shape(
    process: Answers, shape: Shape, choice: Built, variants: Sequence[Variant], deadline: float
) -> ShapeResult:
    """Search the variants for one shape.

    Raises:
        HostError: The GPU process cannot be started.
    """
    result = ShapeResult(str(shape), shape.group)
    if not choice.variants:
        result.failures["planner"] = choice.crash or f"{choice.refusal}: {choice.message}"
        return result
    planned = choice.variants[0]
    try:
        process.ask(ShapeRequest(shape))
    except VariantError as failure:
        result.failures["operands"] = str(failure)
        return result
    everyone = {item.path: item for item in (planned, *variants)}
    first = _look(process, list(everyone), everyone, result, long=False, deadline=deadline)
    result.searched = len(first)
    result.complete = len(first) + len(result.failures) == len(everyone)
    kept = survivors(first, PRUNE)
    second = _look(process, kept, everyone, result, long=True, deadline=deadline)
    result.looks = {everyone[path].name: time for path, time in {**first, **second}.items()}
    finalists = survivors(second, PRUNE)[:FINALISTS]
    if planned.path in first and planned.path not in finalists:
        finalists.append(planned.path)
    if finalists:
        _final(process, finalists, everyone, planned, result)
    return result


def _final(
    process: Answers,
    finalists: Sequence[str],
    everyone: Mapping[str, Variant],
    planned: Variant,
    result: ShapeResult,
) -> None:
    """Time the finalists interleaved, and note the best, the planner's choice and their ratio."""
    try:
        times = process.ask(FinalRequest(tuple(finalists), FINAL_ROUNDS, FINAL_SECONDS))
    except VariantError as failure:
        result.failures["final"] = str(failure)
        return
    choosing = {path: statistics.median(values[::2]) for path, values in times.items()}
    fastest = min(choosing, key=choosing.__getitem__)
    medians = {path: statistics.median(values[1::2]) for path, values in times.items()}
    result.best = _described(everyone[fastest], medians[fastest])
    if planned.path in medians:
        result.planner = _described(planned, medians[planned.path])
        result.ratio = medians[fastest] / medians[planned.path]


def _described(variant: Variant, milliseconds: float) -> dict[str, Any]:
    return {"constants": variant.constants, "plan": variant.plan, "milliseconds": milliseconds}


def _look(
    process: Answers,
    paths: Sequence[str],
    everyone: Mapping[str, Variant],
    result: ShapeResult,
    *,
    long: bool,
    deadline: float,
) -> dict[str, float]:
    """Return the times of the variants that work; note the failures; stop at the deadline."""
    times: dict[str, float] = {}
    for path in paths:
        if time.monotonic() > deadline and times:
            break
        try:
            times[path] = process.ask(LookRequest(path, long))
        except VariantError as failure:
            result.failures[everyone[path].name] = str(failure)
    return times


def refusals(built: Mapping[Candidate, Built]) -> dict[str, int]:
    """Return how many candidates the compiler refused, by code."""
    counts = Counter(item.refusal for item in built.values() if item.refusal)
    return dict(sorted(counts.items()))


def score(results: Sequence[ShapeResult]) -> dict[str, float]:
    """Return geometric mean and worst of the ratios; nothing when there are none."""
    ratios = [item.ratio for item in results if item.ratio is not None]
    if not ratios:
        return {}
    return {"geomean": statistics.geometric_mean(ratios), "worst": min(ratios)}


def format_results(results: Sequence[ShapeResult]) -> str:
    """Return a Markdown table, one row per shape."""
    lines = [["shape", "group", "planner", "TFLOP/s", "best", "TFLOP/s", "best/planner time"]]
    for item in results:
        m, n, k = map(int, item.shape.split("x"))

        def speed(found: dict[str, Any] | None, work: int = 2 * m * n * k) -> str:
            return speed_text(1e-9 * work / found["milliseconds"]) if found else ""

        names = [tile_name(found) if found else "" for found in (item.planner, item.best)]
        ratio = f"{item.ratio:.3f}" if item.ratio is not None else "failed"
        partly = "" if item.complete else f" (of {item.searched} plans)"
        lines.append(
            [
                *(item.shape, item.group, names[0], speed(item.planner)),
                *(names[1], speed(item.best), ratio + partly),
            ]
        )
    return markdown_table(lines)


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options; `shapes` holds the chosen shapes."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.planner", description=__doc__)
    groups = list(dict.fromkeys(shape.group for shape in SHAPES))
    add = parser.add_argument
    add("--budget", type=float, default=540, help="seconds after which to stop (540)")
    add("--group", action="append", choices=groups, dest="groups", help="shapes to search (all)")
    add("--shape", action="append", default=[], help="one of the shapes, as 4096x4096x4096")
    add("--compile-only", action="store_true", help="compile and count refusals; needs no GPU")
    add("--variants", type=Path, default=ROOT / "build" / "bench", help="keeps compiled plans")
    add(
        "--against",
        type=Path,
        metavar="REPORT",
        help="no search: only the fastest plans of an earlier one",
    )
    add("--json", type=Path, help="write the report to this file")
    options = parser.parse_args(words)
    unknown = set(options.shape) - {str(shape) for shape in SHAPES}
    if unknown:
        parser.error(f"not in the table of shapes: {', '.join(sorted(unknown))}")
    groups = options.groups or ([] if options.shape else groups)
    options.shapes = [
        shape for shape in SHAPES if shape.group in groups or str(shape) in options.shape
    ]
    options.rivals = EVERYONE
    if options.against:
        try:
            options.rivals = read_rivals(options.against, options.shapes)
        except ValueError as failure:
            parser.error(str(failure))
    return options


def compile_plans(
    shapes: Sequence[Shape], rivals: Rivals, folder: Path, deadline: float
) -> tuple[dict[Shape, Built], dict[Candidate, Built]]:
    """Compile the planner's choices and all candidates for the shapes that count."""
    everyone = (item for kind in divisibility_classes(shapes) for item in candidates(kind))
    wanted = [item for item in everyone if rivals.has(item)]
    progress = Progress(len(shapes) + len(wanted))
    every = max(1, progress.total // 40)

    def report(name: str) -> None:
        progress.finish()
        if progress.done % every == 0:
            progress.start(f"compiled {name}")

    built = build_all([*shapes, *wanted], folder, deadline, report)
    return (
        {item: found for item, found in built.items() if isinstance(item, Shape)},
        {item: found for item, found in built.items() if isinstance(item, Candidate)},
    )


def search(
    shapes: Sequence[Shape],
    choices: Mapping[Shape, Built],
    built: Mapping[Candidate, Built],
    rivals: Rivals,
    deadline: float,
    results: list[ShapeResult],
) -> None:
    """Search shape by shape into `results`; what the time does not reach is left out.

    Raises:
        HostError: The GPU process cannot be started.
    """
    process = GpuProcess()
    progress = Progress(len(shapes))
    try:
        for number, shape in enumerate(shapes):
            now = time.monotonic()
            if now > deadline:
                return
            progress.start(str(shape))
            share = SHAPE_SHARE * (deadline - now) / (len(shapes) - number)
            variants = [
                variant
                for candidate, item in built.items()
                if candidate.divisible == shape.divisible
                for variant in item.variants
                if rivals.has_variant(shape, variant.name)
            ]
            choice = choices.get(shape, Built(crash="not compiled within the budget"))
            results.append(
                search_shape(process, shape, choice, variants, min(deadline, now + share))
            )
            progress.finish()
    finally:
        process.close()


def make_report(
    options: argparse.Namespace, built: Mapping[Candidate, Built], results: Sequence[ShapeResult]
) -> dict[str, Any]:
    """Return what goes into the JSON."""
    crashes = {item.key: found.crash for item, found in built.items() if found.crash}
    reached = {item.shape for item in results}
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "candidates": len(built),
        "variants": sum(len(item.variants) for item in built.values()),
        "refusals": refusals(built),
        "compiler_crashes": crashes,
        "score": score(results),
        "unreached": [str(shape) for shape in options.shapes if str(shape) not in reached],
        "results": [asdict(item) for item in results],
    }


def print_report(report: Mapping[str, Any], results: Sequence[ShapeResult]) -> None:
    """Print the table, the score, and everything that failed."""
    if results:
        print(format_results(results))
    refused = ", ".join(f"{code} {count}" for code, count in report["refusals"].items())
    print(f"\n{report['candidates']} candidates, {report['variants']} plans compiled")
    print(f"candidates that the compiler refused, by code: {refused or 'none'}")
    if report["score"]:
        values = report["score"]
        print(f"best time / planner's time: geomean {values['geomean']:.3f}, ", end="")
        print(f"worst {values['worst']:.3f}, over {len(results)} shapes")
    if report["unreached"] and results:
        print(f"not reached within the budget: {', '.join(report['unreached'])}")
    for name, crash in report["compiler_crashes"].items():
        print(f"FAILED {name}: compiler: {crash}")
    for item in results:
        for name, failure in item.failures.items():
            print(f"FAILED {item.shape} {name}: {failure}")


def main(words: Sequence[str] | None = None) -> int:
    """Run the search; 1 when a plan gave a wrong result, hung or crashed the compiler."""
    options = parse_arguments(words)
    started = time.monotonic()
    results: list[ShapeResult] = []
    host: dict[str, str] = {}
    if not options.compile_only:
        try:
            torch = import_torch()
        except HostError as failure:
            print(f"planner: {failure}", file=sys.stderr)
            return EXIT_USAGE
        host = describe_host(torch, open_monitor(torch))
    share = 1.0 if options.compile_only else COMPILE_SHARE
    folder = variants_folder(options.variants)
    compiled_by = started + share * options.budget
    choices, built = compile_plans(options.shapes, options.rivals, folder, compiled_by)
    lost = ""
    if not options.compile_only:
        try:
            deadline = started + options.budget
            search(options.shapes, choices, built, options.rivals, deadline, results)
        except HostError as failure:  # what was measured before counts
            lost = f"the search ended early: {failure}"
            print(f"planner: {lost}", file=sys.stderr)
    report = {"host": host, "lost": lost, **make_report(options, built, results)}
    if options.json:
        write_atomic(options.json, json.dumps(report, indent=1) + "\n")
    print_report(report, results)
    failed = lost or report["compiler_crashes"] or any(item.failures for item in results)
    return EXIT_FAILED if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
