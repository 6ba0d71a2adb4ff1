"""linear in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 512, "N": 512, "K": 512}
CASES = (
    {"M": 1, "N": 1, "K": 1},
    {"M": 128, "N": 128, "K": 16},
    {"M": 100, "N": 72, "K": 200},
    {"M": 129, "N": 257, "K": 130},
)
LAYOUTS = ({"X": "col"}, {"W": "col"}, {"Y": "col"}, {"W": "odd"})
DTYPES = ({"T": "bf16"}, {"T": "f16"})
SUMMED = {"Y": "K"}


def reference(X: np.ndarray, W: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return Y = X @ W.T for X [M, K] and W [N, K]: summed in f64, rounded to the type of X."""
    product = X.astype(np.float64) @ W.astype(np.float64).T
    return {"Y": product.astype(np.float32).astype(X.dtype)}
