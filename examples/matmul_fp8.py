"""matmul_fp8 in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 512, "N": 512, "K": 512}
CASES = (
    {"M": 1, "N": 1, "K": 1},
    {"M": 70, "N": 40, "K": 72},
    {"M": 300, "N": 200, "K": 210},
)
LAYOUTS = ({"A": "col"}, {"B": "col"}, {"C": "col"}, {"A": "odd"})
DTYPES = ({"T": "f8e4m3"}, {"T": "f8e5m2"})
SCALARS = {"scale": 0.125}
ROUNDINGS = {"C": 2**15}
"""The tensor cores keep about 14 bits of a sum of 8-bit floats: up to 2^-13 is lost in each of the
16 instructions of a sum of 512 products."""


def reference(
    scale: float,
    A: np.ndarray,  # noqa: N803
    B: np.ndarray,  # noqa: N803
    C: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return C = scale * (A @ B^T), [M, K] times [K, N]: summed in f64, rounded to bf16."""
    product = scale * (A.astype(np.float64) @ B.astype(np.float64).T)
    return {"C": product.astype(np.float32).astype(C.dtype)}
