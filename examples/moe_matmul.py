"""moe_matmul in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

BLOCK = 128
SIZES = {"M": 512, "N": 512, "K": 256, "B": 4, "EXPERTS": 3}
CASES = (
    {"M": 1, "N": 1, "K": 1, "B": 1, "EXPERTS": 1},
    {"M": 130, "N": 40, "K": 24, "B": 2, "EXPERTS": 5},
    {"M": 300, "N": 200, "K": 210, "B": 3, "EXPERTS": 4},
)
LAYOUTS = ({"X": "col"}, {"W": "odd"}, {"Y": "col"})
DTYPES = ({"T": "bf16"}, {"T": "f16"})
SUMMED = {"Y": "K"}


def inputs(B: int, EXPERTS: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return an expert for each block of tokens."""
    return {"E": np.random.default_rng(B).integers(0, EXPERTS, B, dtype=np.int32)}


def reference(
    X: np.ndarray,  # noqa: N803
    W: np.ndarray,  # noqa: N803
    E: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return Y[t] = X[t] @ W[E[t // BLOCK]]^T: summed in f64, rounded to the type of X."""
    experts = np.repeat(E, BLOCK)[: len(X)]
    product = [
        row @ W[expert].astype(np.float64).T
        for row, expert in zip(X.astype(np.float64), experts, strict=True)
    ]
    return {"Y": np.stack(product).astype(np.float32).astype(X.dtype)}
