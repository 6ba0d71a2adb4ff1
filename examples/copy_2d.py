"""copy_2d in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"D0": 256, "D1": 512}
CASES = (
    {"D0": 1, "D1": 1},
    {"D0": 33, "D1": 65},
    {"D0": 100, "D1": 203},
)
LAYOUTS = ({"A": "col"}, {"B": "col"}, {"A": "odd", "B": "odd"})


def reference(A: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return B = A for an f32 array of rank 2."""
    return {"B": A.copy()}
