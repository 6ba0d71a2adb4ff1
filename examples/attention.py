"""attention in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 1, "S": 192, "H": 4, "G": 2, "D": 64, "DV": 64}
CASES = (
    {"B": 2, "S": 1, "H": 1, "G": 1, "D": 8, "DV": 8},
    {"B": 1, "S": 130, "H": 3, "G": 1, "D": 40, "DV": 56},
)
LAYOUTS = ({"Q": "odd", "O": "odd"}, {"K": "odd", "V": "odd", "E": "odd"})
DTYPES = ({"T": "bf16"}, {"T": "f16"})
CONSTANTS = ({"causal": 0}, {"BD": 96, "BV": 64})
SCALARS = {"scale": 0.125}
SUMMED = {"E": "D"}
"""A score is a sum of D products. The derivatives of a log-sum-exp by the scores add up to 1, so
its error is at most the largest error of a score."""
ROUNDINGS = {"O": 2**18}
"""The weights are rounded to bf16 before they are multiplied, each by up to 2^-8 of itself."""


def reference(
    scale: float,
    causal: int,
    Q: np.ndarray,  # noqa: N803
    K: np.ndarray,  # noqa: N803
    V: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return attention of every head and its log-sum-exp, in f64 and rounded once."""
    shared = Q.shape[2] // K.shape[2]
    q = Q.astype(np.float64)
    k, v = (item.astype(np.float64).repeat(shared, axis=2) for item in (K, V))
    scores = scale * np.einsum("bihd,bjhd->bhij", q, k)
    if causal:
        scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(axis=-1, keepdims=True)
    out = np.einsum("bhij,bjhd->bihd", weights / total, v)
    return {"O": out.astype(Q.dtype), "E": (top + np.log(total))[..., 0].astype(np.float32)}
