"""varlen_attention in NumPy: the independent answer that `tilec run --check` compares with."""

from itertools import pairwise

import numpy as np

SIZES = {"T": 150, "N": 4, "H": 2, "G": 1, "D": 64, "L": 5}
CASES = (
    {"T": 2, "N": 3, "H": 1, "G": 1, "D": 8, "L": 3},
    {"T": 149, "N": 4, "H": 3, "G": 1, "D": 40, "L": 5},
)
LAYOUTS = ({"Q": "odd", "O": "odd"}, {"K": "odd", "V": "odd"})
CONSTANTS = ({"causal": 0},)
SCALARS = {"scale": 0.125, "together": 2}
ROUNDINGS = {"O": 2**18}
"""The weights are rounded to bf16 before they are multiplied, each by up to 2^-8 of itself."""


def inputs(T: int, N: int, L: int, BM: int = 128) -> dict[str, np.ndarray]:  # noqa: N803
    """Return where sequences begin, the end of the last one, and their tiles, the longest first.

    Some sequences are empty. What is left of the list of tiles lies after all sequences.
    """
    inner = np.sort(np.random.default_rng(T + N).integers(0, T + 1, N - 2))
    bounds = np.array([0, *inner, T], dtype=np.int32)
    tiles = [(s, m) for s, length in enumerate(np.diff(bounds)) for m in range(-(-length // BM))]
    tiles.sort(key=lambda tile: -tile[1])
    left = [(0, T // BM + 1)] * (L - len(tiles))
    return {"C": bounds, "W": np.array([*tiles, *left], dtype=np.int32)}


def reference(
    scale: float,
    causal: int,
    Q: np.ndarray,  # noqa: N803
    K: np.ndarray,  # noqa: N803
    V: np.ndarray,  # noqa: N803
    C: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return attention inside of each sequence, in f64 and rounded once."""
    result = np.zeros(Q.shape)
    for start, end in pairwise(C):
        q = Q[start:end].astype(np.float64)
        k, v = (
            x[start:end].astype(np.float64).repeat(Q.shape[1] // K.shape[1], axis=1) for x in (K, V)
        )
        scores = scale * np.einsum("ihd,jhd->hij", q, k)
        if causal:
            scores = np.where(np.tri(end - start, dtype=bool), scores, -np.inf)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
        weights /= weights.sum(axis=-1, keepdims=True)
        result[start:end] = np.einsum("hij,jhd->ihd", weights, v)
    return {"O": result.astype(Q.dtype)}
