"""matvec in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 64, "K": 4096}
CASES = ({"M": 1, "K": 1}, {"M": 13, "K": 1000}, {"M": 8, "K": 1024}, {"M": 37, "K": 2047})
LAYOUTS = ({"A": "col"}, {"A": "odd"}, {"X": "odd"}, {"Y": "odd"})
DTYPES = ({"T": "bf16"}, {"T": "f16"})
SUMMED = {"Y": "K"}


def reference(A: np.ndarray, X: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return Y = A @ X, [M, K] times [K]: summed in f64, rounded to the type of A."""
    product = A.astype(np.float64) @ X.astype(np.float64)
    return {"Y": product.astype(np.float32).astype(A.dtype)}
