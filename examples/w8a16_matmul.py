"""w8a16_matmul in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 256, "N": 256, "K": 512}
CASES = (
    {"M": 1, "N": 1, "K": 1},
    {"M": 16, "N": 136, "K": 256},
    {"M": 100, "N": 200, "K": 210},
)
LAYOUTS = ({"W": "col"}, {"X": "col"}, {"C": "col"}, {"W": "odd"})
DTYPES = (
    {"T": "bf16", "B": "i8"},
    {"T": "bf16", "B": "f8e4m3"},
    {"T": "f16", "B": "i8"},
    {"T": "bf16", "B": "u8"},
    {"T": "f16", "B": "f8e5m2"},
)
SUMMED = {"C": "K"}


def reference(
    X: np.ndarray,  # noqa: N803
    W: np.ndarray,  # noqa: N803
    S: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return C = X @ W^T: X is [M, K], W has a scale for each of its N rows."""
    weights = (W.astype(np.float32) * S.astype(np.float32)[:, None]).astype(S.dtype)
    product = X.astype(np.float64) @ weights.astype(np.float64).T
    return {"C": product.astype(np.float32).astype(X.dtype)}
