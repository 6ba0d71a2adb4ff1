"""stencil in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 64, "N": 128}
CASES = ({"M": 1, "N": 1}, {"M": 33, "N": 70}, {"M": 100, "N": 65})
LAYOUTS = ({"X": "odd"}, {"X": "col"}, {"Y": "odd"})
SCALARS = {"a": 0.25}
ROUNDINGS = {"Y": 8}
"""Sums of six numbers, in any order."""


def reference(a: float, X: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return one step of the heat equation, in f64 and rounded once."""
    x = np.pad(X.astype(np.float64), 1)
    near = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
    return {"Y": (x[1:-1, 1:-1] + a * (near - 4 * x[1:-1, 1:-1])).astype(X.dtype)}
