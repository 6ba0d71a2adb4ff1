"""varlen_tiles in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"N": 6, "L": 30}
CASES = ({"N": 2, "L": 22}, {"N": 70, "L": 90})
CONSTANTS = ({"causal": 0},)
TOKENS = 2500


def inputs(N: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return where sequences begin, and the end of the last one; some of them are empty."""
    inner = np.sort(np.random.default_rng(N).integers(0, TOKENS // 64 + 1, N - 2)) * 64
    return {"C": np.array([0, *inner, TOKENS], dtype=np.int32)}


def reference(
    causal: int,
    BM: int,  # noqa: N803
    C: np.ndarray,  # noqa: N803
    W: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return the tiles, sorted by how many keys they read, and what is left of the list."""
    lengths = np.diff(C)
    tiles = [(s, m) for s, length in enumerate(lengths) for m in range(-(-length // BM))]
    tiles.sort(key=lambda tile: -(tile[1] + 1) if causal else -lengths[tile[0]])
    left = [(0, C[-1] // BM + 1)] * (len(W) - len(tiles))
    return {"W": np.array([*tiles, *left], dtype=np.int32)}
