"""The kernels of rows that the benchmark measures: shapes, bytes, sets. Pure Python."""

import re
from dataclasses import dataclass

_PATTERN = re.compile(r"(\w+):(\d+)x(\d+)")
_ARRAYS = {
    "softmax": (2, 2, 0),
    "rms_norm": (2, 2, 0),
    "layer_norm": (2, 2, 0),
    "cross_entropy": (1, 2, 8),
    "transpose": (2, 2, 0),
    "array_cumsum": (2, 4, 0),
    "row_argmax": (1, 2, 4),
    "row_cumsum": (2, 4, 0),
    "row_sum": (1, 2, 4),
    "column_sum": (1, 2, 0),
    "embedding": (2, 2, 4),
    "scatter_add": (3, 4, 4),
    "byte_histogram": (1, 1, 0),
}
"""By example: arrays of rows x columns, bytes of an element, further bytes of a row."""
FLAT = ("array_cumsum", "byte_histogram")
"""Those that take one array instead of a matrix."""
NAMES = tuple(_ARRAYS)


@dataclass(frozen=True)
class RowCase:
    """One of the examples on a matrix.

    Attributes:
        name: Of the kernel, which is also that of its file in `examples/`.
        rows: Rows of the matrix.
        columns: Columns of it.
    """

    name: str
    rows: int
    columns: int

    def __str__(self) -> str:
        """Return the spelling that `parse_row_case` reads."""
        return f"{self.name}:{self.rows}x{self.columns}"

    @property
    def moved_bytes(self) -> int:
        """Bytes, as if each matrix were read or written once; vectors of columns are left out."""
        arrays, element, row = _ARRAYS[self.name]
        return self.rows * (arrays * element * self.columns + row)


def parse_row_case(text: str) -> RowCase:
    """Return the case that `text` spells, for example `softmax:8192x8192`.

    Raises:
        ValueError: The text is no case; the message has the syntax.
    """
    found = _PATTERN.fullmatch(text)
    if found is None or found[1] not in NAMES or 0 in (int(found[2]), int(found[3])):
        names = ", ".join(NAMES)
        raise ValueError(f"'{text}' is no case: expected KERNEL:ROWSxCOLUMNS, kernels are {names}")
    case = RowCase(found[1], int(found[2]), int(found[3]))
    if case.name in FLAT and case.rows != 1:
        raise ValueError(f"'{text}': {case.name} takes one row")
    return case


def _cases(name: str, *shapes: tuple[int, int]) -> tuple[RowCase, ...]:
    return tuple(RowCase(name, *shape) for shape in shapes)


_NARROW = ((32768, 4096), (8192, 8192))
_WIDE = ((4096, 16384), (2048, 32768), (2048, 131072))
SETS: dict[str, tuple[RowCase, ...]] = {
    "softmax": _cases("softmax", *_NARROW, *_WIDE, (4096, 65536), (1024, 262144)),
    "norms": (*_cases("rms_norm", *_NARROW, *_WIDE), *_cases("layer_norm", *_NARROW, *_WIDE)),
    "reductions": (
        *_cases("cross_entropy", (8192, 32768), (2048, 131072)),
        *_cases("row_argmax", *_NARROW, (2048, 32768)),
        *_cases("row_sum", (8192, 8192)),
        *_cases("column_sum", (8192, 8192), (65536, 1024)),
    ),
    "indices": (
        *_cases("embedding", (32768, 4096)),
        *_cases("scatter_add", (8192, 4096)),
        *_cases("byte_histogram", (1, 2**28)),
    ),
    "scans": (*_cases("array_cumsum", (1, 2**28)), *_cases("row_cumsum", (8192, 16384))),
    "transpose": _cases("transpose", (8192, 8192)),
}
"""Cases by the name of their set."""
