"""varlen_attention in NumPy: the independent answer that `tilec run --check` compares with."""

from itertools import pairwise

import numpy as np

SIZES = {"T": 150, "N": 4, "H": 2, "G": 1, "D": 64}
CASES = (
    {"T": 2, "N": 3, "H": 1, "G": 1, "D": 8},
    {"T": 149, "N": 4, "H": 1, "G": 1, "D": 40},
)
LAYOUTS = ({"Q": "odd", "O": "odd"}, {"K": "odd", "V": "odd"})
CONSTANTS = ({"causal": 0},)
SCALARS = {"scale": 0.125, "longest": 150}
ROUNDINGS = {"O": 2**18}
"""The weights are rounded to bf16 before they are multiplied, each by up to 2^-8 of itself."""


def inputs(T: int, N: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return where sequences begin, and the end of the last one; some of them are empty."""
    inner = np.sort(np.random.default_rng(T + N).integers(0, T + 1, N - 2))
    return {"C": np.array([0, *inner, T], dtype=np.int32)}


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
