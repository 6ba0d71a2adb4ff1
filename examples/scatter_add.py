"""scatter_add in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"V": 50, "M": 8, "D": 4096}
CASES = ({"V": 1, "M": 1, "D": 1}, {"V": 4, "M": 3, "D": 100}, {"V": 9, "M": 5, "D": 2049})
LAYOUTS = ({"W": "col"}, {"W": "odd"}, {"G": "odd"})
DTYPES = ({"T": "f32"}, {"T": "bf16"}, {"T": "f16"})


def inputs(V: int, M: int, D: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return indices that differ from each other as far as there are rows."""
    return {"I": (np.arange(M, dtype=np.int32) * 7 + 3) % V}


def reference(
    W: np.ndarray,  # noqa: N803
    I: np.ndarray,  # noqa: E741, N803
    G: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return W with the rows of G added to those that I names, row after row."""
    result = W.copy()
    for row, index in enumerate(I):
        result[index] = result[index] + G[row]
    return {"W": result}
