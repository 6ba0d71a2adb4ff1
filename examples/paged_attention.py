"""paged_attention in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"PAGE": 64, "S": 2, "H": 2, "G": 4, "D": 64, "P": 9, "C": 3}
CASES = (
    {"S": 1, "H": 1, "G": 1, "D": 16, "P": 2, "C": 1},
    {"PAGE": 32, "S": 3, "H": 1, "G": 7, "D": 40},
)
LAYOUTS = ({"Q": "odd", "T": "odd"}, {"K": "odd"})
SCALARS = {"scale": 0.125}
ROUNDINGS = {"O": 2**18}
"""The weights are rounded to bf16 before they are multiplied, each by up to 2^-9 of itself."""


def inputs(S: int, P: int, C: int, PAGE: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return page tables and lengths: pages in any order, lengths up to all pages of a table."""
    random = np.random.default_rng(S + P + C)
    table = random.integers(0, P, (S, C), dtype=np.int32)
    return {"T": table, "L": random.integers(1, C * PAGE + 1, S, dtype=np.int32)}


def reference(
    scale: float,
    Q: np.ndarray,  # noqa: N803
    K: np.ndarray,  # noqa: N803
    V: np.ndarray,  # noqa: N803
    T: np.ndarray,  # noqa: N803
    L: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return attention to the L[s] tokens of the pages T[s], in f64 and rounded once."""
    result = np.zeros(Q.shape)
    for s, length in enumerate(L):
        keys, values = (
            item[T[s]].astype(np.float64).reshape(-1, *item.shape[2:])[:length] for item in (K, V)
        )
        scores = scale * np.einsum("hgd,thd->hgt", Q[s].astype(np.float64), keys)
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        weights /= weights.sum(axis=2, keepdims=True)
        result[s] = np.einsum("hgt,thd->hgd", weights, values)
    return {"O": result.astype(Q.dtype)}
