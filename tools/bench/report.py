"""Reports of the benchmarks: merging processes, statistics, the table. Pure Python.

A report is JSON: `host` and `options`, and in `processes` what each process measured. Everything
else (medians, ratios, spreads) is computed from the times of its rounds, here. A result that is no
product has its `operations`, and says in which `unit` 1e12 of them in a second are.
"""

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilec.support.file_io import write_atomic
from tools.bench.cases import parse_case
from tools.bench.measure import summarise

SCHEMA = 1
TFLOPS = "TFLOP/s"
SMALL_TFLOPS = 100
"""Below it a table has one digit after the point."""
OURS = "tilec"
VARIANT_PREFIX = f"{OURS} "
"""Before the spelling of a variant in the name of a contender."""
TITLES = {
    "cublas": "cuBLAS",
    "triton": "Triton",
    "torch": "torch",
    "tilec-plain": "tilec, plain",
    "fa3": "FA3",
    "cudnn": "cuDNN",
    "fa4": "FA4",
    "compile": "torch.compile",
}
Report = dict[str, Any]


@dataclass(frozen=True)
class Spread:
    """A statistic of all rounds of all processes, and what single processes say.

    Attributes:
        low: Smallest value of a round.
        median: Median over the rounds of all processes.
        high: Largest value of a round.
        processes: Median of each process.
    """

    low: float
    median: float
    high: float
    processes: tuple[float, ...]

    def __str__(self) -> str:
        """Return `median (low..high) [least..greatest process median]`."""
        text = f"{self.median:.3f} ({self.low:.3f}..{self.high:.3f})"
        if len(self.processes) > 1:
            text += f" [{min(self.processes):.3f}..{max(self.processes):.3f}]"
        return text


@dataclass
class Row:
    """What all processes say about one case.

    Attributes:
        case: Its spelling.
        variant: What is fixed in our kernel; empty where the planner chose.
        unit: What `tflops` holds, if not TFLOP/s.
        tflops: TFLOP/s by contender.
        ratios: How many times faster we are, by peer; from times of one round each.
        cycles: Median SM clock in MHz while a contender ran, where it was read.
        details: Constants and plan, or configuration, by contender; of the first process.
        failures: Why a contender has no numbers, by contender.
    """

    case: str
    variant: str = ""
    unit: str = TFLOPS
    tflops: dict[str, Spread] = field(default_factory=dict)
    ratios: dict[str, Spread] = field(default_factory=dict)
    cycles: dict[str, float] = field(default_factory=dict)
    details: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The case, and what is fixed."""
        return f"{self.case} {self.variant}".rstrip()


def load_report(path: Path) -> Report:
    """Read a report.

    Raises:
        ValueError: The file cannot be read or is no report of this schema.
    """
    try:
        report = json.loads(path.read_text())
    except (OSError, ValueError) as failure:
        raise ValueError(f"{path}: {failure}") from failure
    if not isinstance(report, dict) or report.get("schema") != SCHEMA or "processes" not in report:
        raise ValueError(f"{path}: not a report of tools.bench, schema {SCHEMA}")
    return report


def write_report(report: Report, path: Path) -> None:
    """Write a report: all of it, or the file stays as it was."""
    write_atomic(path, json.dumps(report, indent=1) + "\n")


def merge(reports: Sequence[Report]) -> Report:
    """Return one report with the processes of all.

    Raises:
        ValueError: There is none, or they come from different hosts or versions.
    """
    if not reports:
        raise ValueError("no report to merge")
    first = reports[0]
    for other in reports[1:]:
        different = [
            name
            for name in sorted({*first["host"], *other["host"]})
            if first["host"].get(name) != other["host"].get(name)
        ]
        if different:
            raise ValueError(f"reports do not compare: other {', '.join(different)}")
    return {**first, "processes": [item for report in reports for item in report["processes"]]}


def rows(report: Report) -> list[Row]:
    """Return one row per case and variant of ours, in the order of their first appearance."""
    results: dict[str, list[Mapping[str, Any]]] = {}
    work: dict[str, int] = {}
    units: dict[str, str] = {}
    for process in report["processes"]:
        for result in process["results"]:
            name = result["case"]
            results.setdefault(name, []).append(result["contenders"])
            work[name] = result.get("operations") or parse_case(name).operations
            units[name] = result.get("unit", TFLOPS)
    found = []
    for case, items in results.items():
        names = dict.fromkeys(name for item in items for name in item)
        variants = [name for name in names if name.startswith(VARIANT_PREFIX)]
        for ours in (OURS, *variants):
            entries = [_entrants(item, ours) for item in items]
            row = Row(case, ours[len(VARIANT_PREFIX) :], units[case])
            found.append(_row(row, work[case], entries))
    return found


def _entrants(process: Mapping[str, Any], ours: str) -> dict[str, Any]:
    """Return the contenders of one row: one of ours, as `tilec`, and the peers."""
    peers = {
        name: entry
        for name, entry in process.items()
        if name != OURS and not name.startswith(VARIANT_PREFIX)
    }
    return {OURS: process[ours], **peers} if ours in process else peers


def _row(row: Row, operations: int, processes: Sequence[Mapping[str, Any]]) -> Row:
    """Fill a row with what the processes say."""
    work = 1e-9 * operations
    names = list(dict.fromkeys(name for process in processes for name in process))
    for name in names:
        entries = [process[name] for process in processes if name in process]
        failed = [entry["failed"] for entry in entries if "failed" in entry]
        if failed and (name == OURS or not row.variant):
            row.failures[name] = failed[0]
        times = [entry["times"] for entry in entries if "times" in entry]
        if not times:
            continue
        row.tflops[name] = _spread([[work / time for time in item] for item in times])
        row.details[name] = next(entry["detail"] for entry in entries if "times" in entry)
        cycles = [
            reading["sm_mhz"]
            for entry in entries
            for reading in entry.get("readings", ())
            if "sm_mhz" in reading
        ]
        if cycles:
            row.cycles[name] = statistics.median(cycles)
    for name in names:
        ratios = [_ratios(process, name) for process in processes]
        ratios = [item for item in ratios if item]
        if name != OURS and ratios:
            row.ratios[name] = _spread(ratios)
    return row


def _ratios(process: Mapping[str, Any], peer: str) -> list[float]:
    """Return how many times faster we were, round by round; nothing when one has no times."""
    own = process.get(OURS, {}).get("times")
    theirs = process.get(peer, {}).get("times")
    if not own or not theirs:
        return []
    return [other / ours for ours, other in zip(own, theirs, strict=True)]


def _spread(processes: Sequence[Sequence[float]]) -> Spread:
    pooled = summarise([value for process in processes for value in process])
    medians = tuple(statistics.median(process) for process in processes)
    return Spread(pooled["min"], pooled["median"], pooled["max"], medians)


def tile_name(detail: Mapping[str, Any]) -> str:
    """Return tile and plan of ours in a few words: `128x256x64, 4 stages, cluster 2x1`.

    Without a ring, the warps of a CTA say more: `1x2048, 8 warps, spread 4`.
    """
    constants, plan = detail.get("constants", {}), detail.get("plan", {})
    tile = "x".join(str(constants[name]) for name in ("BM", "BN", "BK") if name in constants)
    words = [tile] * bool(tile)
    if plan.get("stages", 0) > 1:
        words.append(f"{plan['stages']} stages")
    elif "consumer_warps" in plan:
        words.append(f"{plan['consumer_warps']} warps")
    if plan.get("spread", 1) > 1:
        words.append(f"spread {plan['spread']}")
    cluster = plan.get("cluster", ())
    if any(extent != 1 for extent in cluster):
        words.append(f"cluster {cluster[0]}x{cluster[1]}")
    return ", ".join(words)


def format_table(report: Report) -> str:
    """Return Markdown tables: one for each choice of contenders, then what failed."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    found = rows(report)
    for row in found:
        if row.tflops:
            groups.setdefault(tuple(sorted(row.tflops, key=_column)), []).append(row)
    parts = [_table(names, members) for names, members in groups.items()]
    failures = [
        f"{row.name}: {name}: {reason}" for row in found for name, reason in row.failures.items()
    ]
    if failures:
        parts.append("\n".join(["failed:", *failures]))
    unreached = sorted({name for item in report["processes"] for name in item.get("unreached", ())})
    if unreached:
        parts.append("not reached within the budget: " + ", ".join(unreached))
    return "\n\n".join(parts)


def speed_text(value: float, unit: str = TFLOPS) -> str:
    """Return a speed as a table shows it: TFLOP/s without their unit."""
    if unit != TFLOPS:
        return f"{value:.2f} {unit}"
    return f"{value:.0f}" if value >= SMALL_TFLOPS else f"{value:.1f}"


def _column(name: str) -> tuple[int, str]:
    order = (OURS, *TITLES)
    return (order.index(name) if name in order else len(order), name)


def _table(names: tuple[str, ...], members: Sequence[Row]) -> str:
    peers = [name for name in names if name != OURS]
    title = [TITLES.get(name, name) for name in peers]
    ours = [OURS] if OURS in names else []
    header = ["case", "tile, plan", *ours, *title]
    header += [f"ratio to {item}" for item in title] if ours else []
    header.append("SM MHz")
    lines = [header]
    for row in members:
        cells = [row.name, tile_name(row.details.get(OURS, {}))]
        cells += [speed_text(row.tflops[name].median, row.unit) for name in names]
        cells += [str(row.ratios[name]) if name in row.ratios else "" for name in peers if ours]
        clock = row.cycles.get(OURS)
        lines.append([*cells, f"{clock:.0f}" if clock is not None else ""])
    return markdown_table(lines)


def markdown_table(lines: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table with columns of even width; the first line is the header."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = ["| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([rows[0], rule, *rows[1:]])


def shortest_round(report: Report) -> float | None:
    """Return the shortest GPU time of a round in milliseconds; None without any."""
    durations = [
        duration
        for process in report["processes"]
        for result in process["results"]
        for entry in result["contenders"].values()
        for duration in entry.get("durations", ())
    ]
    return min(durations, default=None)
