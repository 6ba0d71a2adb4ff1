"""state_space in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"N": 2, "T": 200, "H": 4, "G": 2, "P": 64, "K": 64}
CASES = (
    {"N": 1, "T": 1, "H": 1, "G": 1, "P": 32, "K": 64},
    {"N": 3, "T": 129, "H": 2, "G": 1, "P": 64, "K": 32},
)
LAYOUTS = ({"X": "odd", "Y": "odd"}, {"B": "odd", "D": "odd"})
ROUNDINGS = {"Y": 2**18, "S": 2**17}
"""Weights, state and steps are rounded to bf16 before they are multiplied, each by up to 2^-8."""


def inputs(N: int, T: int, H: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return steps between 0.01 and 0.1, and rates between -2 and -0.5."""
    rng = np.random.default_rng(N + T + H)
    steps, rates = rng.uniform(0.01, 0.1, (N, T, H)), rng.uniform(-2.0, -0.5, H)
    return {"D": steps.astype(np.float32), "A": rates.astype(np.float32)}


def reference(
    X: np.ndarray,  # noqa: N803
    D: np.ndarray,  # noqa: N803
    A: np.ndarray,  # noqa: N803
    B: np.ndarray,  # noqa: N803
    C: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return the outputs and the last state, token by token in f64."""
    x, steps, rates = (array.astype(np.float64) for array in (X, D, A))
    b, c = (array.astype(np.float64).repeat(X.shape[2] // B.shape[2], axis=2) for array in (B, C))
    state = np.zeros((*x[:, 0].shape, b.shape[-1]))
    result = np.empty(x.shape)
    for t in range(x.shape[1]):
        added = np.einsum("nhp,nhk->nhpk", x[:, t] * steps[:, t, :, None], b[:, t])
        state = state * np.exp(steps[:, t] * rates)[..., None, None] + added
        result[:, t] = np.einsum("nhpk,nhk->nhp", state, c[:, t])
    return {"Y": result.astype(X.dtype), "S": state.astype(np.float32)}
