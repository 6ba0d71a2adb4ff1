"""attention_backward_queries in NumPy: the answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 1, "S": 192, "H": 2, "G": 1, "D": 64}
CASES = (
    {"B": 2, "S": 1, "H": 1, "G": 1, "D": 8},
    {"B": 1, "S": 130, "H": 2, "G": 1, "D": 40},
)
LAYOUTS = ({"Q": "odd", "DQ": "odd"}, {"K": "odd", "DO": "odd", "E": "odd"})
CONSTANTS = ({"causal": 0},)
SCALARS = {"scale": 0.125}
ROUNDINGS = {"DQ": 2**17}
"""Gradients of scores are rounded to bf16, each by up to 2^-8 of itself, and a few
rows of a result are four times as large as its usual element."""


def inputs(B: int, S: int, H: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return what divides about S weights by their sum, in base 2: the negative log-sum-exp."""
    return {"E": -np.log2(S) - np.random.default_rng(B + S + H).uniform(0, 1.5, (B, H, S))}


def reference(
    scale: float,
    causal: int,
    Q: np.ndarray,  # noqa: N803
    K: np.ndarray,  # noqa: N803
    V: np.ndarray,  # noqa: N803
    DO: np.ndarray,  # noqa: N803
    E: np.ndarray,  # noqa: N803
    R: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return the gradient of the queries, in f64 and rounded once. E and R may be any numbers."""
    shared = Q.shape[2] // K.shape[2]
    q, do = Q.astype(np.float64), DO.astype(np.float64)
    k, v = (item.astype(np.float64).repeat(shared, axis=2) for item in (K, V))
    power = scale * np.log2(np.e) * np.einsum("bihd,bjhd->bhij", q, k)
    weights = np.exp2(power + E[..., None].astype(np.float64))
    if causal:
        weights *= np.tri(weights.shape[-1])
    slopes = weights * (np.einsum("bihd,bjhd->bhij", do, v) - R[..., None].astype(np.float64))
    return {"DQ": (scale * np.einsum("bhij,bjhd->bihd", slopes, k)).astype(Q.dtype)}
