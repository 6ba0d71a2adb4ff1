"""attention_backward in NumPy: the answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 1, "S": 192, "H": 2, "G": 1, "D": 64}
CASES = (
    {"B": 2, "S": 1, "H": 1, "G": 1, "D": 8},
    {"B": 1, "S": 130, "H": 2, "G": 1, "D": 40},
)
LAYOUTS = ({"Q": "odd", "DK": "odd", "DQ": "odd"}, {"K": "odd", "DO": "odd", "R": "odd"})
LAYOUT_CONSTANTS = {"BM": 64, "BN": 64}
CONSTANTS = ({"causal": 0}, {"BM": 64, "BD": 128})
SCALARS = {"scale": 0.125}
ROUNDINGS = {"DK": 2**16, "DV": 2**16, "DQ": 2**17}
"""Weights and their gradients are rounded to bf16, each by up to 2^-8 of itself, and a few rows of
the results are four times as large as their usual element."""


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
    DQ: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return the gradients, in f64 and rounded once; DQ is added to. E and R may be any numbers."""
    groups, shared = K.shape[2], Q.shape[2] // K.shape[2]
    q, do = Q.astype(np.float64), DO.astype(np.float64)
    k, v = (item.astype(np.float64).repeat(shared, axis=2) for item in (K, V))
    power = scale * np.log2(np.e) * np.einsum("bihd,bjhd->bhij", q, k)
    weights = np.exp2(power + E[..., None].astype(np.float64))
    if causal:
        weights *= np.tri(weights.shape[-1])
    slopes = weights * (np.einsum("bihd,bjhd->bhij", do, v) - R[..., None].astype(np.float64))
    dq = np.einsum("bhij,bjhd->bihd", slopes, k)
    dk = scale * np.einsum("bhij,bihd->bjhd", slopes, q)
    dv = np.einsum("bhij,bihd->bjhd", weights, do)
    # The heads of queries that share a head of keys add up.
    dk, dv = (item.reshape(*K.shape[:2], groups, shared, -1).sum(3) for item in (dk, dv))
    return {"DQ": (DQ + dq).astype(DQ.dtype), "DK": dk.astype(K.dtype), "DV": dv.astype(V.dtype)}
