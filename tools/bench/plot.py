"""Plot of a report: TFLOP/s of every contender, and our ratio to each peer, case by case.

Usage: python -m tools.bench.plot REPORT [-o FILE]

Needs matplotlib, but no GPU: a report that was measured elsewhere will do.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.bench.report import OURS, TITLES, Report, Row, Spread, load_report, rows

_COLORS = {
    OURS: "#1b6ca8",
    "cublas": "#5a8f29",
    "triton": "#d9822b",
    "torch": "#8e5ea2",
    "tilec-plain": "#7fb0d3",
}
_BAR_WIDTH = 0.8
_MARKER_SHIFT = 0.2
_INCHES_PER_CASE = 0.55
_MIN_INCHES = 6.0


class PlotError(Exception):
    """There is nothing to plot, or nothing to plot with."""


def save_plot(report: Report, path: Path) -> None:
    """Write the plot; the suffix of `path` chooses the format.

    Raises:
        PlotError: matplotlib is missing, it cannot write this format, or no case has times.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as failure:
        raise PlotError(
            "matplotlib is not installed (pip install matplotlib); the plot can be made later: "
            "python -m tools.bench.plot REPORT"
        ) from failure
    found = [row for row in rows(report) if row.tflops and not row.variant]
    if not found:
        raise PlotError("no case has times")
    width = max(_MIN_INCHES, 2 + _INCHES_PER_CASE * len(found))
    figure = Figure(figsize=(width, 7.5), layout="constrained")
    FigureCanvasAgg(figure)
    speed, ratio = figure.subplots(2, sharex=True, height_ratios=(3, 2))
    _draw_speed(speed, found)
    _draw_ratio(ratio, found)
    host = report["host"]
    names = ("gpu", "driver", "tilec", "torch", "triton")
    versions = ", ".join(
        host[name] if name == "gpu" else f"{name} {host[name]}" for name in names if name in host
    )
    figure.suptitle(f"{report['date']}: {versions}", fontsize=9)
    # Equal reports make equal files: matplotlib would write the time of the plot.
    metadata = {"Date": None} if path.suffix == ".svg" else None
    try:
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "tilec"}):  # text, not outlines
            figure.savefig(path, metadata=metadata)
    except (OSError, ValueError) as failure:
        raise PlotError(str(failure)) from failure


def _contenders(found: Sequence[Row], part: str) -> list[str]:
    names = dict.fromkeys(name for row in found for name in getattr(row, part))
    return sorted(names, key=[*_COLORS, *names].index)


def _draw_speed(axes: Any, found: Sequence[Row]) -> None:
    """Draw the median TFLOP/s as bars; the error bars span the rounds."""
    names = _contenders(found, "tflops")
    width = _BAR_WIDTH / max(len(row.tflops) for row in found)
    for name in names:
        pairs = _placed(found, "tflops", name, width)
        axes.bar(
            [x for x, _ in pairs],
            [spread.median for _, spread in pairs],
            width,
            yerr=_error_bars([spread for _, spread in pairs]),
            label=TITLES.get(name, name),
            color=_COLORS.get(name),
            error_kw={"elinewidth": 0.7},
        )
    axes.set_ylabel("TFLOP/s")
    axes.margins(x=0.01)
    axes.legend(ncols=len(names), fontsize=8, loc="lower right", bbox_to_anchor=(1, 1))
    axes.grid(axis="y", alpha=0.3)


def _placed(found: Sequence[Row], part: str, name: str, width: float) -> list[tuple[float, Spread]]:
    """Return where each value of a contender stands; those of one case stand side by side."""
    places: list[tuple[float, Spread]] = []
    for number, row in enumerate(found):
        values = getattr(row, part)
        if name in values:
            index = _contenders([row], part).index(name)
            places.append((number + (index - (len(values) - 1) / 2) * width, values[name]))
    return places


def _draw_ratio(axes: Any, found: Sequence[Row]) -> None:
    """Draw how many times faster we are than each peer; 1 is a line."""
    for name in _contenders(found, "ratios"):
        pairs = _placed(found, "ratios", name, _MARKER_SHIFT)
        axes.errorbar(
            [x for x, _ in pairs],
            [spread.median for _, spread in pairs],
            yerr=_error_bars([spread for _, spread in pairs]),
            label=f"to {TITLES.get(name, name)}",
            color=_COLORS.get(name),
            fmt="o",
            markersize=4,
            elinewidth=0.8,
        )
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_ylabel(f"{OURS} / peer")
    axes.set_xticks(range(len(found)), [row.case for row in found], rotation=60, ha="right")
    axes.tick_params(axis="x", labelsize=7)
    axes.grid(axis="y", alpha=0.3)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(ncols=len(_COLORS), fontsize=8, loc="lower right", bbox_to_anchor=(1, 1))


def _error_bars(spreads: Sequence[Spread]) -> list[list[float]]:
    return [
        [spread.median - spread.low for spread in spreads],
        [spread.high - spread.median for spread in spreads],
    ]


def main(words: Sequence[str] | None = None) -> int:
    """Plot a report; 2 when that is not possible."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.plot", description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("-o", "--output", type=Path, help="by default the report's name with .svg")
    options = parser.parse_args(words)
    try:
        save_plot(load_report(options.report), options.output or options.report.with_suffix(".svg"))
    except (PlotError, ValueError) as failure:
        print(f"plot: {failure}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
