"""Masked products: kernels whose mask has a scalar test, and what NumPy says.

`T[i]` is the sum over the key tiles of row i of `scores`, in which the case hides some elements.
All numbers are small integers, so every sum is exact. The expressions of a case are those of the
language and of NumPy alike.
"""

from typing import NamedTuple

import ml_dtypes
import numpy as np

BM, BN, DEPTH = 128, 64, 32
SIZES = ((130, 257), (1, 1), (65, 130), (128, 64), (200, 63), (63, 65), (257, 256))
"""Queries and keys."""
LEAST, LARGEST = -(2**31), 2**31 - 1


class Case(NamedTuple):
    """One kernel.

    Attributes:
        mask: Which elements are seen, of `rows`, `columns`, `M`, `N` and the scalar `W`.
        result: What is added, of `seen` and `scores`.
        windows: Values of `W`.
    """

    mask: str
    result: str = "where(seen, scores, -3.0)"
    windows: tuple[int, ...] = (0,)


_EDGES = (0, 1, 64, 100, LARGEST, LEAST, LARGEST - 63)
CASES = {
    "ragged": Case("columns < N"),
    "causal": Case("(columns < N) & (columns <= rows)"),
    "strictly_causal": Case("rows > columns"),
    "aligned_at_the_end": Case("columns + (M - N) <= rows"),
    "window": Case("(columns <= rows) & (columns > rows - W)", windows=_EDGES),
    "shifted": Case("columns + W < N", windows=_EDGES),
    "scaled": Case("2 * columns - 3 * rows <= W", windows=(-40, 40)),
    "hidden": Case("(columns >= N) | (columns > rows)", "where(seen, -3.0, scores)"),
    "inverted": Case("~(columns <= rows)", "where(seen, -3.0, scores)"),
    "block": Case("(columns < 40) | ((columns >= 64) & (rows >= 64))"),
    "diagonal": Case("columns != rows"),
    "equal": Case("(columns == rows) | (columns < W)", windows=(0, 150)),
    "two_fillers": Case("columns <= rows", "scores + where(seen, 0.0, -3.0)"),
    "shared": Case(
        "columns <= rows", "where(seen, scores, -3.0) + 2.0 * where(seen, scores + 1.0, 5.0)"
    ),
    "chained": Case(
        "columns <= rows", "where(seen, scores * where(seen, scores, 2.0) - 1.0, -3.0)"
    ),
}


def source(case: Case) -> str:
    """Return the kernel of a case."""
    return f"""
@kernel
def masked[M, N](
    Q: bf16[M, {DEPTH}], K: bf16[N, {DEPTH}], T: f32[M], W: i32, rounds: i32,
):
    m = grid(cdiv(M, {BM}))
    q = load(Q, (m, 0), ({BM}, {DEPTH}))
    rows = m * {BM} + arange({BM})[:, None]
    total = zeros(({BM},), f32)
    for n in range(min(rounds, cdiv(N, {BN}))):
        scores = q @ load(K, (n, 0), ({BN}, {DEPTH})).T
        columns = n * {BN} + arange({BN})[None, :]
        seen = {case.mask}
        total = total + sum({case.result}, axis=1)
    store(T, m, total)
"""


def arrays(rows: int, columns: int) -> dict[str, np.ndarray]:
    """Return the arrays of a problem with `rows` queries and `columns` keys."""
    rng = np.random.default_rng(rows * 1000 + columns)
    made = {
        name: rng.integers(-3, 4, (extent, DEPTH)).astype(ml_dtypes.bfloat16)
        for name, extent in (("Q", rows), ("K", columns))
    }
    return {**made, "T": np.zeros(rows, np.float32)}


def expected(case: Case, given: dict[str, np.ndarray], window: int, rounds: int) -> np.ndarray:
    """Return `T` as NumPy computes it; keys beyond the last one are zeros."""
    q, k = (given[name].astype(np.float32) for name in ("Q", "K"))
    count = BN * min(rounds, -(-len(k) // BN))
    padded = np.zeros((max(count, len(k)), DEPTH), np.float32)
    padded[: len(k)] = k
    names = {
        "M": np.int32(len(q)),
        "N": np.int32(len(k)),
        "W": np.int32(window),
        "rows": np.arange(len(q), dtype=np.int32)[:, None],
        "columns": np.arange(count, dtype=np.int32)[None, :],
        "scores": q @ padded[:count].T,
        "where": np.where,
    }
    names["seen"] = eval(case.mask, names)
    return np.broadcast_to(eval(case.result, names), (len(q), count)).sum(axis=1, dtype=np.float32)


def runs(*, complete: bool = True):
    """Yield (case, queries and keys, W, rounds); the first two sizes only unless `complete`.

    Each value of `W` comes at least once, and each case without a round, too.
    """
    for name, case in CASES.items():
        sizes = SIZES if complete else SIZES[:2]
        for number in range(max(len(sizes), len(case.windows))):
            window = case.windows[number % len(case.windows)]
            yield name, sizes[number % len(sizes)], window, 99
        yield name, SIZES[3], case.windows[0], 0
