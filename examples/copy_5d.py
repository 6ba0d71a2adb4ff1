"""copy_5d in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"D0": 4, "D1": 4, "D2": 8, "D3": 8, "D4": 32}
CASES = (
    {"D0": 1, "D1": 1, "D2": 1, "D3": 1, "D4": 1},
    {"D0": 3, "D1": 3, "D2": 5, "D3": 5, "D4": 17},
    {"D0": 2, "D1": 5, "D2": 3, "D3": 7, "D4": 20},
)
LAYOUTS = ({"B": "col"}, {"A": "odd"})


def reference(A: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return B = A for an f32 array of rank 5."""
    return {"B": A.copy()}
