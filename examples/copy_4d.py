"""copy_4d in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"D0": 4, "D1": 8, "D2": 16, "D3": 64}
CASES = (
    {"D0": 1, "D1": 1, "D2": 1, "D3": 1},
    {"D0": 3, "D1": 5, "D2": 9, "D3": 17},
    {"D0": 2, "D1": 6, "D2": 11, "D3": 30},
)
LAYOUTS = ({"A": "col"}, {"A": "odd"})


def reference(A: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return B = A for an f32 array of rank 4."""
    return {"B": A.copy()}
