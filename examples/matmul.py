"""matmul in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 512, "N": 512, "K": 512}
CASES = (
    {"M": 1, "N": 1, "K": 1},
    {"M": 128, "N": 128, "K": 16},
    {"M": 100, "N": 72, "K": 200},
    {"M": 129, "N": 257, "K": 130},
)
LAYOUTS = ({"A": "col"}, {"B": "col"}, {"C": "col"}, {"A": "col", "B": "col"}, {"A": "odd"})
DTYPES = ({"T": "bf16"}, {"T": "f16"})
SUMMED = {"C": "K"}


def reference(A: np.ndarray, B: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return C = A @ B, [M, K] times [K, N]: summed in f64, rounded to the type of A."""
    product = A.astype(np.float64) @ B.astype(np.float64)
    return {"C": product.astype(np.float32).astype(A.dtype)}
