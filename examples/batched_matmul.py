"""batched_matmul in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 4, "M": 256, "N": 256, "K": 256}
CASES = (
    {"B": 1, "M": 1, "N": 1, "K": 1},
    {"B": 2, "M": 128, "N": 128, "K": 16},
    {"B": 5, "M": 100, "N": 72, "K": 200},
    {"B": 3, "M": 65, "N": 129, "K": 70},
)
LAYOUTS = (
    {"X": "swapped"},
    {"Y": "swapped"},
    {"Z": "swapped"},
    {"X": "swapped", "Y": "swapped", "Z": "swapped"},
    {"Y": "broadcast"},
    {"X": "broadcast", "Y": "swapped"},
    {"X": "col", "Y": "odd"},
)
DTYPES = ({"T": "bf16"}, {"T": "f16"})
SUMMED = {"Z": "K"}


def reference(X: np.ndarray, Y: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return Z = X @ Y, [B, M, K] times [B, K, N]: summed in f64, rounded to the type of X."""
    product = X.astype(np.float64) @ Y.astype(np.float64)
    return {"Z": product.astype(np.float32).astype(X.dtype)}
