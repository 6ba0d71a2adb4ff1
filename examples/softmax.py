"""softmax in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 8, "N": 4096}
CASES = (
    {"M": 1, "N": 1},
    {"M": 3, "N": 100},
    {"M": 1, "N": 4095},
    {"M": 1, "N": 17000},
    {"M": 5, "N": 500},
)
LAYOUTS = ({"X": "col"}, {"Y": "col"}, {"X": "odd"}, {"Y": "odd"})
ROUNDINGS = {"Y": 2**16}
"""Where two sums fall on two sides of a tie, they are rounded 2^-8 apart, 2^16 roundings of f32."""


def reference(X: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return exp(X - max) / sum(exp(X - max)) of every row, in f64 and rounded once."""
    x = X.astype(np.float64)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return {"Y": (e / e.sum(axis=1, keepdims=True)).astype(X.dtype)}
