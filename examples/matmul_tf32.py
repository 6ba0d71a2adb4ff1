"""matmul_tf32 in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 512, "N": 512, "K": 512}
CASES = (
    {"M": 1, "N": 1, "K": 1},
    {"M": 70, "N": 40, "K": 72},
    {"M": 300, "N": 200, "K": 210},
)
LAYOUTS = ({"A": "col"}, {"B": "col"}, {"C": "col"}, {"A": "odd"})
SUMMED = {"C": "K"}
_TF32_BITS = np.uint32(0xFFFFE000)
"""The bits of an f32 that the tensor cores read: sign, exponent and 10 of the mantissa."""


def reference(A: np.ndarray, B: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return C = A @ B^T, [M, K] times [K, N], in tf32: summed in f64, rounded to f32."""
    a, b = (_as_tf32(matrix).astype(np.float64) for matrix in (A, B))
    return {"C": (a @ b.T).astype(np.float32)}


def _as_tf32(matrix: np.ndarray) -> np.ndarray:
    return (np.ascontiguousarray(matrix).view(np.uint32) & _TF32_BITS).view(np.float32)
