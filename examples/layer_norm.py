"""layer_norm in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 8, "N": 4096}
CASES = (
    {"M": 1, "N": 8},
    {"M": 3, "N": 100},
    {"M": 1, "N": 4095},
    {"M": 1, "N": 17000},
    {"M": 5, "N": 500},
)
LAYOUTS = ({"X": "col"}, {"Y": "odd"}, {"B": "odd"})
SCALARS = {"eps": 1e-5}
ROUNDINGS = {"Y": 2**16}
"""Where two sums fall on two sides of a tie, they are rounded 2^-8 apart, 2^16 roundings of f32."""


def reference(
    eps: float,
    X: np.ndarray,  # noqa: N803
    W: np.ndarray,  # noqa: N803
    B: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return (X - mean) / sqrt(var + eps) * W + B of every row, in f64 and rounded once."""
    x = X.astype(np.float64)
    x = x - x.mean(axis=1, keepdims=True)
    scale = 1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps)
    return {"Y": (x * scale * W.astype(np.float64) + B.astype(np.float64)).astype(X.dtype)}
