"""embedding in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"V": 50, "M": 8, "D": 2048}
CASES = ({"V": 1, "M": 1, "D": 1}, {"V": 4, "M": 3, "D": 100}, {"V": 9, "M": 5, "D": 1025})
LAYOUTS = ({"W": "col"}, {"W": "odd"}, {"Y": "odd"})
DTYPES = ({"T": "bf16"}, {"T": "f32"})


def inputs(V: int, M: int, D: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return indices, of which every fifth is beyond the table."""
    del D
    indices = np.arange(M, dtype=np.int32)
    return {"I": np.where(indices % 5 == 4, V, (indices * 7 + 3) % V).astype(np.int32)}


def reference(
    W: np.ndarray,  # noqa: N803
    I: np.ndarray,  # noqa: E741, N803
) -> dict[str, np.ndarray]:
    """Return the rows of W that I names, zeros where there is none."""
    inside = np.isin(I, np.arange(len(W)))
    return {"Y": np.where(inside[:, None], W[np.where(inside, I, 0)], 0).astype(W.dtype)}
