"""Which thread holds which element of a wgmma accumulator, from the layout of the compiler."""

from typing import NamedTuple

from tilec.layout.constructors import WGMMA_COLUMNS, WGMMA_ROWS, wgmma_accumulator
from tilec.layout.modes import WARP_LANES, WARPGROUP_WARPS
from tools.pictures.canvas import COLORS, FAINT, GRID, INK, PAPER, Canvas

COLUMNS = 2 * WGMMA_COLUMNS
"""Columns that the picture shows; further ones repeat the pattern."""
LANES = (0, 5)
"""The lanes whose elements the picture highlights."""
_CELL, _HEIGHT, _TOP, _LEFT, _BAND = 46, 24, 84, 250, 96


class Holder(NamedTuple):
    """Who holds an element: warp, lane and register of the lane."""

    warp: int
    lane: int
    register: int


def holders(columns: int = COLUMNS) -> dict[tuple[int, int], Holder]:
    """Return who holds each (row, column) of a 64 x `columns` accumulator in one warpgroup."""
    layout = wgmma_accumulator(WGMMA_ROWS, columns, 1)
    found: dict[tuple[int, int], Holder] = {}
    for thread in range(layout.num_threads):
        for register in range(layout.num_registers):
            row, column = layout.coordinates(register, thread)
            found[row, column] = Holder(thread // WARP_LANES, thread % WARP_LANES, register)
    return found


def warp_rows(held: dict[tuple[int, int], Holder], warp: int) -> tuple[int, int]:
    """Return the first and the last row of a warp."""
    rows = [row for (row, _), holder in held.items() if holder.warp == warp]
    return min(rows), max(rows)


def _bands(canvas: Canvas, held: dict[tuple[int, int], Holder]) -> None:
    """Draw the whole tile, one band per warp."""
    x, width = 28, 118
    canvas.text(x + width / 2, _TOP - 36, "the tile", anchor="middle", size=14, bold=True)
    canvas.text(x + width / 2, _TOP - 14, "N columns", anchor="middle", size=11, color=FAINT)
    for warp in range(WARPGROUP_WARPS):
        y = _TOP + warp * _BAND
        first, last = warp_rows(held, warp)
        canvas.box(x, y, width, _BAND, COLORS[7] if warp % 2 else PAPER, INK)
        canvas.text(x + width / 2, y + _BAND / 2 - 10, f"warp {warp}", anchor="middle", bold=True)
        words = f"rows {first} to {last}"
        canvas.text(x + width / 2, y + _BAND / 2 + 10, words, anchor="middle", size=12)


def _cells(canvas: Canvas, held: dict[tuple[int, int], Holder]) -> None:
    """Draw the elements of warp 0."""
    first, last = warp_rows(held, 0)
    middle = _LEFT + COLUMNS * _CELL / 2
    canvas.text(middle, _TOP - 36, "warp 0: lane and register", anchor="middle", size=14, bold=True)
    for column in range(COLUMNS):
        where = _LEFT + (column + 0.5) * _CELL
        canvas.text(where, _TOP - 14, str(column), anchor="middle", size=11, color=FAINT)
    for row in range(first, last + 1):
        y = _TOP + (row - first) * _HEIGHT
        canvas.text(_LEFT - 8, y + _HEIGHT / 2, str(row), anchor="end", size=11, color=FAINT)
        for column in range(COLUMNS):
            holder = held[row, column]
            x = _LEFT + column * _CELL
            chosen = holder.lane in LANES
            fill = COLORS[1 + LANES.index(holder.lane)] if chosen else PAPER
            canvas.box(x, y, _CELL, _HEIGHT, fill, GRID)
            words = f"{holder.lane} r{holder.register}"
            center = x + _CELL / 2
            canvas.text(center, y + _HEIGHT / 2, words, anchor="middle", size=11, bold=chosen)
    height = (last - first + 1) * _HEIGHT
    for column in range(0, COLUMNS + 1, WGMMA_COLUMNS):
        x = _LEFT + column * _CELL
        canvas.line(x, _TOP, x, _TOP + height, color=INK, thickness=2)
    for row in range(0, last - first + 2, 8):
        y = _TOP + row * _HEIGHT
        canvas.line(_LEFT, y, _LEFT + COLUMNS * _CELL, y, color=INK, thickness=2)


def draw() -> str:
    """Return docs/pictures/accumulator.svg."""
    held = holders()
    height = _TOP + WARPGROUP_WARPS * _BAND + 60
    title = "Which lane and register hold which element of a 64xN wgmma accumulator"
    canvas = Canvas(_LEFT + COLUMNS * _CELL + 24, height, title)
    canvas.text(canvas.width / 2, 22, title, anchor="middle")
    _bands(canvas, held)
    _cells(canvas, held)
    per_block = len({item.register for item in held.values()}) * WGMMA_COLUMNS // COLUMNS
    words = (
        f"Every {WGMMA_COLUMNS} columns repeat the pattern with the next {per_block} registers; "
        f"colours mark lanes {LANES[0]} and {LANES[1]}."
    )
    canvas.text(canvas.width / 2, height - 28, words, anchor="middle")
    return canvas.svg()
