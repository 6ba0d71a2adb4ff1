"""flex_attention in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 1, "S": 192, "H": 4, "G": 2, "D": 64}
CASES = (
    {"B": 2, "S": 1, "H": 1, "G": 1, "D": 8},
    {"B": 1, "S": 130, "H": 3, "G": 1, "D": 40},
)
LAYOUTS = ({"Q": "odd", "O": "odd"}, {"K": "odd", "V": "odd"})
SCALARS = {"scale": 0.125, "cap": 2.0}
ROUNDINGS = {"O": 2**19}
"""The weights are rounded to bf16, each by up to 2^-8 of itself, and tanh is off by up to 2^-11, so
that scores are off by up to 2^-10, and weights by as much of themselves."""


def inputs(H: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return the slopes of the ALiBi paper: a geometric sequence that ends with 2^-8."""
    return {"A": np.exp2(-8 * np.arange(1, H + 1) / H).astype(np.float32)}


def reference(
    scale: float,
    cap: float,
    Q: np.ndarray,  # noqa: N803
    K: np.ndarray,  # noqa: N803
    V: np.ndarray,  # noqa: N803
    A: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return causal attention with ALiBi and a soft cap, in f64 and rounded once."""
    q = Q.astype(np.float64)
    k, v = (x.astype(np.float64).repeat(Q.shape[2] // K.shape[2], axis=2) for x in (K, V))
    distance = np.subtract.outer(np.arange(Q.shape[1]), np.arange(Q.shape[1]))
    scores = scale * np.einsum("bihd,bjhd->bhij", q, k)
    scores = cap * np.tanh((scores - A[:, None, None] * distance) / cap)
    scores = np.where(distance >= 0, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return {"O": np.einsum("bhij,bjhd->bihd", weights, v).astype(Q.dtype)}
