"""A ring over time: what its slots hold, and the phases of their barriers.

The times are those of a small model: a load is issued in one unit of time and arrives three units
later, and a consumer uses a tile for two. The order of events follows from the waits alone.
"""

from itertools import pairwise
from typing import NamedTuple

from tilec.passes.analysis.protocol.counts import empty_arrivals, full_arrivals
from tools.pictures.canvas import COLORS, FAINT, GRID, INK, PAPER, Canvas

STAGES = 3
TILES = 6
CONSUMER_WARPS = 8
ISSUE, LATENCY, USE = 1, 3, 2
"""Units of time: to issue a load, from then until it has arrived, to use a tile."""
_UNIT, _LEFT, _TOP, _BAR, _STRIP = 46, 128, 84, 26, 18
_SLOT_HEIGHT = _BAR + 2 * _STRIP + 22


class Span(NamedTuple):
    """Something that lasts from `start` to `end`, in units of time."""

    start: int
    end: int
    words: str
    color: str


class Timeline:
    """The events of a ring: what both roles do, and what slots and barriers go through.

    Attributes:
        producer: The loads and waits of the producer.
        consumer: The uses and waits of the consumer.
        slots: For each slot, what it holds.
        full: For each slot, the times at which a phase of its full barrier completes.
        empty: The same for the empty barriers.
    """

    def __init__(self, stages: int = STAGES, tiles: int = TILES) -> None:
        """Run the ring."""
        self.producer: list[Span] = []
        self.consumer: list[Span] = []
        self.slots: list[list[Span]] = [[] for _ in range(stages)]
        self.full: list[list[int]] = [[] for _ in range(stages)]
        self.empty: list[list[int]] = [[] for _ in range(stages)]
        issued = used = 0
        for tile in range(tiles):
            slot, lap = tile % stages, tile // stages
            free = self.empty[slot][lap - 1] if lap else 0
            issued = self._load(tile, slot, issued, free)
            used = self._use(tile, slot, used, self.full[slot][lap])
        self.end = used

    def _load(self, tile: int, slot: int, now: int, free: int) -> int:
        """Issue the load of a tile once its slot is free; return when the producer goes on."""
        if free > now:
            self.producer.append(Span(now, free, "waits", PAPER))
        start = max(now, free)
        self.producer.append(Span(start, start + ISSUE, f"load {tile}", COLORS[1]))
        arrival = start + ISSUE + LATENCY
        self.slots[slot].append(Span(start, arrival, f"tile {tile} arrives", COLORS[1]))
        self.full[slot].append(arrival)
        return start + ISSUE

    def _use(self, tile: int, slot: int, now: int, full: int) -> int:
        """Use a tile once it has arrived; return when the consumer goes on."""
        if full > now:
            self.consumer.append(Span(now, full, "waits", PAPER))
        start = max(now, full)
        if start > full:
            self.slots[slot].append(Span(full, start, "full", COLORS[2]))
        self.slots[slot].append(Span(start, start + USE, f"tile {tile} used", COLORS[0]))
        self.consumer.append(Span(start, start + USE, f"use {tile}", COLORS[0]))
        self.empty[slot].append(start + USE)
        return start + USE

    def phases(self, completed: list[int]) -> list[Span]:
        """Return the phases of a barrier whose phases complete at the times `completed`."""
        found = []
        borders = [0, *completed, self.end]
        for index, (start, end) in enumerate(pairwise(borders)):
            if end > start:
                color = COLORS[7] if index % 2 else PAPER
                found.append(Span(start, end, f"phase {index % 2}", color))
        return found


def _row(canvas: Canvas, y: float, height: float, spans: list[Span], size: float) -> None:
    for span in spans:
        x, width = _LEFT + span.start * _UNIT, (span.end - span.start) * _UNIT
        canvas.box(x, y, width, height, span.color, GRID)
        faint = span.words == "waits"
        canvas.text(
            x + width / 2,
            y + height / 2,
            span.words,
            size=size,
            anchor="middle",
            color=FAINT if faint else INK,
        )


def draw() -> str:
    """Return docs/pictures/ring.svg."""
    line = Timeline()
    bottom = _TOP + _BAR + 20 + STAGES * _SLOT_HEIGHT
    title = f"A ring of {STAGES} slots over time"
    canvas = Canvas(_LEFT + line.end * _UNIT + 28, bottom + _BAR + 124, title)
    canvas.text(canvas.width / 2, 24, title, anchor="middle", size=14, bold=True)
    canvas.text(_LEFT, 54, "time →", size=12, color=FAINT)
    canvas.text(_LEFT - 10, _TOP + _BAR / 2, "producer", anchor="end", bold=True)
    _row(canvas, _TOP, _BAR, line.producer, 11)
    for slot in range(STAGES):
        y = _TOP + _BAR + 20 + slot * _SLOT_HEIGHT
        canvas.text(_LEFT - 10, y + _BAR / 2, f"slot {slot}", anchor="end", bold=True)
        _row(canvas, y, _BAR, line.slots[slot], 11)
        for offset, name, times in ((0, "full", line.full), (1, "empty", line.empty)):
            top = y + _BAR + offset * _STRIP
            words = f"{name} barrier"
            canvas.text(_LEFT - 10, top + _STRIP / 2, words, anchor="end", size=11, color=FAINT)
            _row(canvas, top, _STRIP, line.phases(times[slot]), 10.5)
    canvas.text(_LEFT - 10, bottom + _BAR / 2, "consumer", anchor="end", bold=True)
    _row(canvas, bottom, _BAR, line.consumer, 11)
    notes = (
        f"Tile i uses slot i mod {STAGES} in phase p = (i div {STAGES}) mod 2.",
        f"full: {full_arrivals()} arrival and all bytes complete a phase. The consumer waits until"
        " phase p has completed.",
        "empty: one arrival per consumer warp completes a phase"
        f" ({empty_arrivals(CONSUMER_WARPS)} for two warpgroups).",
        "The producer waits until phase 1 - p of empty has completed; on a new barrier this is true"
        " at once.",
    )
    for index, words in enumerate(notes):
        canvas.text(24, bottom + _BAR + 28 + 23 * index, words, size=12)
    return canvas.svg()
