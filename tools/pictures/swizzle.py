"""Rows of a tile in shared memory without a swizzle and with the 128-byte swizzle.

Addresses come from `SharedLayout`, passes from `wavefronts`: the functions that the compiler uses.
"""

from tilec.layout.banks import BANK_BYTES, BANKS, wavefronts
from tilec.layout.shared import CHUNK_BYTES, SharedLayout, Swizzle
from tools.pictures.canvas import COLORS, FAINT, GRID, INK, Canvas

ROWS = 8
"""The swizzle repeats after these rows."""
ELEMENT_BITS = 16
CHUNK_ELEMENTS = CHUNK_BYTES * 8 // ELEMENT_BITS
CHUNKS = Swizzle.B128.value // CHUNK_BYTES
"""Chunks of a row of 128 bytes."""
COLUMN = 2
"""The chunk of every row that the picture highlights."""
_CELL, _HEIGHT, _TOP, _LEFT, _GAP = 44, 26, 96, 64, 80


def layout(swizzle: Swizzle) -> SharedLayout:
    """Return the layout of 8 rows of 128 bytes in one box."""
    shape = (ROWS, CHUNKS * CHUNK_ELEMENTS)
    return SharedLayout(shape, ELEMENT_BITS, shape, swizzle)


def places(swizzle: Swizzle) -> dict[tuple[int, int], tuple[int, int]]:
    """Return (row, chunk) in shared memory for each (row, chunk) of the tile."""
    shared = layout(swizzle)
    found = {}
    for row in range(ROWS):
        for chunk in range(CHUNKS):
            line, byte = divmod(shared.offset((row, chunk * CHUNK_ELEMENTS)), Swizzle.B128.value)
            found[row, chunk] = (line, byte // CHUNK_BYTES)
    return found


def passes(swizzle: Swizzle) -> int:
    """Return the passes of reading chunk `COLUMN` of all rows at once, 16 bytes a lane."""
    shared = layout(swizzle)
    starts = [shared.offset((row, COLUMN * CHUNK_ELEMENTS)) for row in range(ROWS)]
    return wavefronts(starts, CHUNK_BYTES)


def _grid(canvas: Canvas, left: float, swizzle: Swizzle, title: str) -> None:
    width = CHUNKS * _CELL
    canvas.text(left + width / 2, 56, title, anchor="middle", size=14, bold=True)
    for chunk in range(CHUNKS):
        first = chunk * CHUNK_BYTES // BANK_BYTES % BANKS
        last = first + CHUNK_BYTES // BANK_BYTES - 1
        where = left + (chunk + 0.5) * _CELL
        canvas.text(where, _TOP - 14, f"{first}-{last}", anchor="middle", size=11, color=FAINT)
    for (row, chunk), (line, place) in sorted(places(swizzle).items(), key=lambda item: item[1]):
        x, y = left + place * _CELL, _TOP + line * _HEIGHT
        chosen = chunk == COLUMN
        canvas.box(x, y, _CELL, _HEIGHT, COLORS[chunk], GRID)
        if chosen:
            canvas.box(x + 2, y + 2, _CELL - 4, _HEIGHT - 4, "none", INK, thickness=2.5)
        words = f"{row},{chunk}"
        canvas.text(x + _CELL / 2, y + _HEIGHT / 2, words, anchor="middle", size=12, bold=chosen)
    count = passes(swizzle)
    y = _TOP + ROWS * _HEIGHT + 22
    words = f"reading chunk {COLUMN} of all rows: {count} pass{'es' * (count > 1)}"
    canvas.text(left + width / 2, y, words, anchor="middle")


def draw() -> str:
    """Return docs/pictures/swizzle.svg."""
    width = CHUNKS * _CELL
    canvas = Canvas(
        _LEFT + 2 * width + _GAP + 24,
        _TOP + ROWS * _HEIGHT + 72,
        "Where the 16-byte chunks of 8 rows of 128 bytes lie in shared memory",
    )
    head = (
        "8 rows of 128 bytes in shared memory. A cell is a chunk of 16 bytes: row,chunk of the tile"
    )
    canvas.text(canvas.width / 2, 24, head, anchor="middle")
    second = _LEFT + width + _GAP
    _grid(canvas, _LEFT, Swizzle.NONE, "no swizzle")
    _grid(canvas, second, Swizzle.B128, "128-byte swizzle")
    for left in (_LEFT, second):
        canvas.text(left - 8, _TOP - 14, "banks", anchor="end", size=11, color=FAINT)
        for line in range(ROWS):
            y = _TOP + (line + 0.5) * _HEIGHT
            words = f"+{line * Swizzle.B128.value}"
            canvas.text(left - 8, y, words, anchor="end", size=11, color=FAINT)
    rule = "The swizzle stores chunk c of row r in place c XOR (r mod 8)."
    canvas.text(canvas.width / 2, canvas.height - 22, rule, anchor="middle")
    return canvas.svg()
