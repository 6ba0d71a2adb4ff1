"""Products whose operands threads copy: arguments, and results in NumPy.

Each case names a kernel and returns the arrays by name, the constants, and the expected result.
"""

from functools import partial
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

PATH = Path(__file__).parent.parent / "kernels" / "copied_operands.tile"
BF16 = ml_dtypes.bfloat16
LIMIT = 2.0**-10
"""Error of a sum in f32, relative to the largest one."""


def _normal(seed, *shape, dtype=BF16):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def _rows(seed, count, below, least=0):
    return np.random.default_rng(seed).integers(least, below, count).astype(np.int32)


def _wide(array):
    return array.astype(np.float64)


def gathered_rows(depth, dtype: Any = BF16, sums: Any = np.float32, **constants):
    """Rows of any place, some of which are masked off."""
    if dtype == np.int8:
        x, w = (_rows(seed, 90 * depth, 127, -127).astype(np.int8) for seed in (0, 1))
        x, w = x.reshape(90, depth), w.reshape(90, depth)[:72]
    else:
        x, w = _normal(0, 90, depth, dtype=dtype), _normal(1, 72, depth, dtype=dtype)
    rows = _rows(2, 150, 90, -9)
    given = {"X": x, "R": rows, "W": w, "Y": np.zeros((150, 72), sums)}
    taken = np.where(rows[:, None] >= 0, _wide(x)[np.maximum(rows, 0)], 0)
    return "gathered_rows", given, constants, taken @ _wide(w).T


def one_row(depth, **constants):
    """Rows of an array that has one alone; the caller gives it an odd pitch."""
    _, given, constants, _ = gathered_rows(depth, **constants)
    given["X"] = given["X"][:1]
    taken = np.where(given["R"][:, None] == 0, _wide(given["X"]), 0)
    return "gathered_rows", given, constants, taken @ _wide(given["W"]).T


def gathered_both(depth, first, **constants):
    """Both operands, of rows that begin at a multiple of 2, 4 or 8 elements."""
    x, w = _normal(3, 70, depth), _normal(4, 80, depth)
    rows, others = _rows(5, 100, 75, -3), _rows(6, 130, 80)  # some are outside
    given = {"X": x, "R": rows, "W": w, "S": others, "Y": np.zeros((100, 130), np.float32)}
    inside = (rows >= 0) & (rows < 70)
    taken = np.where(inside[:, None], _wide(x)[np.where(inside, rows, 0)], 0)
    result = taken[:, first:] @ _wide(w)[others, first:].T
    return "gathered_both", given, {"FIRST": first, **constants}, result


def every_second_row(depth, **constants):
    """An operand whose rows are K."""
    x, b = _normal(7, 64, depth), _normal(8, 2 * depth, 136)
    given = {"X": x, "B": b, "Y": np.zeros((64, 136), np.float32)}
    return "every_second_row", given, constants, _wide(x) @ _wide(b)[::2]


def without_tma(depth, **constants):
    """Tiles that TMA could load."""
    a, b = _normal(9, 200, depth), _normal(10, 136, depth)
    given = {"A": a, "B": b, "Y": np.zeros((200, 136), np.float32)}
    return "without_tma", given, constants, _wide(a) @ _wide(b).T


def two_products(depth, **constants):
    """Two products of one copied operand."""
    x, u, v = _normal(11, 90, depth), _normal(12, 72, depth), _normal(13, 72, depth)
    rows = _rows(14, 150, 90)
    given = {"X": x, "R": rows, "U": u, "V": v, "Y": np.zeros((150, 72), np.float32)}
    taken = _wide(x)[rows]
    return "two_products", given, constants, (taken @ _wide(u).T) * (taken @ _wide(v).T)


CASES = {
    **{f"rows of {depth}": partial(gathered_rows, depth) for depth in (8, 128, 328)},
    "rows of f16": partial(gathered_rows, 200, np.float16),
    "rows of i8": partial(gathered_rows, 208, np.int8, np.int32, T0="i8", T1="i32"),
    "rows of f32": partial(gathered_rows, 100, np.float32),
    "rows of a wide tile": partial(gathered_rows, 456, BN=256),
    "rows for one warpgroup": partial(gathered_rows, 200, BM=64),
    **{f"both from {first}": partial(gathered_both, 208, first) for first in (8, 4, 2)},
    "every second row": partial(every_second_row, 104),
    "without TMA": partial(without_tma, 264),
    "two products": partial(two_products, 264),
}
COPIED = {"both from 4": {8}, "both from 2": {4}, "rows of f32": set()}
"""Bytes that a thread copies at a time, where they are not 16; f32 is split in two before."""
