"""matmul_fp8_blocks in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

BLOCK = 128
SIZES = {"M": 512, "N": 384, "K": 640, "KB": 5, "NB": 3}
CASES = (
    {"M": 1, "N": 1, "K": 1, "KB": 1, "NB": 1},
    {"M": 70, "N": 40, "K": 72, "KB": 1, "NB": 1},
    {"M": 300, "N": 200, "K": 210, "KB": 2, "NB": 2},
)
LAYOUTS = ({"A": "col"}, {"B": "col"}, {"C": "col"}, {"SA": "col"}, {"SB": "col"}, {"A": "odd"})
ROUNDINGS = {"C": 2**15}
"""The tensor cores keep about 14 bits of a sum of 8-bit floats: up to 2^-13 is lost in each of the
4 instructions of a sum of 128 products."""


def reference(
    A: np.ndarray,  # noqa: N803
    SA: np.ndarray,  # noqa: N803
    B: np.ndarray,  # noqa: N803
    SB: np.ndarray,  # noqa: N803
    C: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return C = A @ B^T of scaled numbers, [M, K] times [K, N]: summed in f64, rounded to bf16."""
    (rows, depth), columns = A.shape, B.shape[0]
    of_a = SA.astype(np.float64).T.repeat(BLOCK, 1)[:rows, :depth]
    of_b = SB.astype(np.float64).repeat(BLOCK, 0).repeat(BLOCK, 1)[:columns, :depth]
    product = (A.astype(np.float64) * of_a) @ (B.astype(np.float64) * of_b).T
    return {"C": product.astype(np.float32).astype(C.dtype)}
