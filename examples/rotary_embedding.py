"""rotary_embedding in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"T": 32, "H": 2, "E": 64}
CASES = ({"T": 1, "H": 1, "E": 1}, {"T": 17, "H": 3, "E": 20})
LAYOUTS = ({"X": "odd"}, {"Y": "odd", "C": "odd"}, {"S": "col"})


def inputs(T: int, E: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return cosines and sines of the angles of every token."""
    angles = np.arange(T)[:, None] * 10000.0 ** (-np.arange(E) / E)
    return {"C": np.cos(angles).astype(np.float32), "S": np.sin(angles).astype(np.float32)}


def reference(
    X: np.ndarray,  # noqa: N803
    C: np.ndarray,  # noqa: N803
    S: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return both halves turned, in f64 and rounded once."""
    first, second = X[:, :, 0].astype(np.float64), X[:, :, 1].astype(np.float64)
    cosines, sines = C[:, None].astype(np.float64), S[:, None].astype(np.float64)
    turned = (first * cosines - second * sines, second * cosines + first * sines)
    return {"Y": np.stack(turned, axis=2).astype(X.dtype)}
