"""flash_attention in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 2, "N": 128, "D": 64}
CASES = ({"B": 1, "N": 1, "D": 8}, {"B": 1, "N": 63, "D": 40}, {"B": 1, "N": 130, "D": 64})
LAYOUTS = ({"Q": "odd", "O": "odd"}, {"K": "odd", "V": "odd"})
CONSTANTS = ({"causal": 0},)
SCALARS = {"scale": 0.125}
ROUNDINGS = {"O": 2**18}
"""The weights are rounded to bf16 before they are multiplied, each by up to 2^-9 of itself."""


def reference(
    scale: float,
    causal: int,
    Q: np.ndarray,  # noqa: N803
    K: np.ndarray,  # noqa: N803
    V: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return softmax(scale * Q @ K^T) @ V of every head, in f64 and rounded once."""
    q, k, v = (item.astype(np.float64) for item in (Q, K, V))
    scores = scale * (q @ k.swapaxes(1, 2))
    if causal:
        scores = np.where(np.tri(scores.shape[1], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return {"O": (weights @ v / weights.sum(axis=2, keepdims=True)).astype(Q.dtype)}
