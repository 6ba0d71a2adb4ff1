"""attention_fp8 in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 1, "S": 192, "H": 2, "G": 1, "D": 64}
CASES = (
    {"B": 2, "S": 1, "H": 1, "G": 1, "D": 16},
    {"B": 1, "S": 130, "H": 2, "G": 1, "D": 48},
)
LAYOUTS = ({"Q": "odd", "O": "odd"}, {"V": "odd"})
CONSTANTS = ({"causal": 0},)
SCALARS = {"scale": 0.125}
ROUNDINGS = {"O": 2**20}
"""The weights are rounded to 8 bits before they are multiplied, each by up to 2^-4 of itself."""


def inputs(B: int, G: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return scales, which are positive."""
    scales = np.random.default_rng(B + G).uniform(0.25, 1.5, (3, B, G))
    return dict(zip(("SQ", "SK", "SV"), scales, strict=True))


def reference(
    scale: float,
    causal: int,
    Q: np.ndarray,  # noqa: N803
    K: np.ndarray,  # noqa: N803
    V: np.ndarray,  # noqa: N803
    SQ: np.ndarray,  # noqa: N803
    SK: np.ndarray,  # noqa: N803
    SV: np.ndarray,  # noqa: N803
    O: np.ndarray,  # noqa: E741, N803
) -> dict[str, np.ndarray]:
    """Return attention of every head of the scaled arrays, in f64 and rounded once."""
    shared = Q.shape[2] // K.shape[2]
    query, key, value = (item.astype(np.float64).repeat(shared, axis=1) for item in (SQ, SK, SV))
    q = Q.astype(np.float64)
    k, v = (item.astype(np.float64) for item in (K, V))
    k, v = k.repeat(shared, axis=2), v.repeat(shared, axis=1)
    scores = scale * np.einsum("bihd,bjhd->bhij", q, k) * (query * key)[..., None, None]
    if causal:
        scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    out = np.einsum("bhij,bhdj->bhid", weights, v) * value[..., None, None]
    return {"O": out.swapaxes(1, 2).astype(O.dtype)}
