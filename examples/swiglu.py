"""swiglu in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 512, "N": 512, "K": 512}
CASES = (
    {"M": 1, "N": 1, "K": 1},
    {"M": 70, "N": 40, "K": 72},
    {"M": 300, "N": 200, "K": 210},
)
LAYOUTS = ({"X": "col"}, {"G": "col", "U": "col"}, {"Y": "col"}, {"U": "odd"})
DTYPES = ({"T": "bf16"}, {"T": "f16"})
SUMMED = {"Y": "K"}


def reference(X: np.ndarray, G: np.ndarray, U: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return Y = silu(X @ G) * (X @ U), [M, K] times [K, N]: in f64, rounded to the type of X."""
    x, g, u = (array.astype(np.float64) for array in (X, G, U))
    gate = x @ g
    return {"Y": (gate / (1 + np.exp(-gate)) * (x @ u)).astype(np.float32).astype(X.dtype)}
