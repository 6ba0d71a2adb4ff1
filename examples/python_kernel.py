"""A kernel in a Python file, with the NumPy function that `tilec run --check` compares with."""

# A kernel is Python by its syntax only: its annotations are shapes.
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

from typing import TypeVar

import numpy as np

import tilec
from tilec.language import cdiv, const, f32, grid, load, maximum, store

N = TypeVar("N")
SIZES = {"N": 1000}
SLOPE = 0.125


@tilec.kernel
def leaky_relu(X: f32[N], Y: f32[N], BLOCK: const = 256):  # noqa: ANN201, N803
    """Y = X where X is positive, SLOPE * X elsewhere."""
    i = grid(cdiv(N, BLOCK))
    x = load(X, (i,), (BLOCK,))
    store(Y, (i,), maximum(x, SLOPE * x))


def reference(X: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return what the kernel must give; the factor is a power of two, so nothing is rounded."""
    return {"Y": np.maximum(X, np.float32(SLOPE) * X)}
