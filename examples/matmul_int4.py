"""matmul_int4 in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 256, "N": 256, "K": 512, "H": 256, "G": 4}
CASES = (
    {"M": 1, "N": 1, "K": 128, "H": 64, "G": 1},
    {"M": 100, "N": 136, "K": 256, "H": 128, "G": 2},
    {"M": 8, "N": 16, "K": 130, "H": 65, "G": 2},
)
LAYOUTS = ({"X": "col"}, {"C": "col"}, {"C": "odd"})
SUMMED = {"C": "K"}


def reference(
    X: np.ndarray,  # noqa: N803
    W: np.ndarray,  # noqa: N803
    S: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return C = X @ W^T: X is [M, K], W has two elements of a row in a byte, S a scale for 128."""
    nibbles = np.stack([W & 15, (W >> 4) & 15], axis=-1).reshape(W.shape[0], -1).astype(np.int32)
    k = X.shape[1]
    scales = np.repeat(S.astype(np.float32), 128, axis=0)[:k].T
    weights = ((nibbles[:, :k] - 8).astype(np.float32) * scales).astype(S.dtype)
    product = X.astype(np.float64) @ weights.astype(np.float64).T
    return {"C": product.astype(np.float32).astype(X.dtype)}
