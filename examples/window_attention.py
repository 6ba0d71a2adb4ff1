"""window_attention in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 1, "S": 192, "H": 4, "G": 2, "D": 64}
CASES = (
    {"B": 2, "S": 1, "H": 1, "G": 1, "D": 8},
    {"B": 1, "S": 430, "H": 1, "G": 1, "D": 40},
)
LAYOUTS = ({"Q": "odd", "O": "odd"}, {"K": "odd", "V": "odd"})
SCALARS = {"scale": 0.125, "window": 100}
ROUNDINGS = {"O": 2**18}
"""The weights are rounded to bf16 before they are multiplied, each by up to 2^-8 of itself."""


def reference(
    scale: float,
    window: int,
    Q: np.ndarray,  # noqa: N803
    K: np.ndarray,  # noqa: N803
    V: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return attention to the last `window` keys, in f64 and rounded once."""
    q = Q.astype(np.float64)
    k, v = (x.astype(np.float64).repeat(Q.shape[2] // K.shape[2], axis=2) for x in (K, V))
    scores = scale * np.einsum("bihd,bjhd->bhij", q, k)
    distance = np.subtract.outer(np.arange(Q.shape[1]), np.arange(Q.shape[1]))
    scores = np.where((distance >= 0) & (distance < window), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return {"O": np.einsum("bhij,bjhd->bihd", weights, v).astype(Q.dtype)}
