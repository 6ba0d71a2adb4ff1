"""matmul_f64 in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 512, "N": 512, "K": 512}
CASES = (
    {"M": 1, "N": 1, "K": 1},
    {"M": 70, "N": 40, "K": 72},
    {"M": 300, "N": 200, "K": 210},
)
LAYOUTS = ({"A": "col"}, {"B": "col"}, {"C": "col"}, {"A": "odd"})
SUMMED = {"C": "K"}


def reference(A: np.ndarray, B: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return C = A @ B, [M, K] times [K, N]."""
    return {"C": A @ B}
