"""copy_3d in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"D0": 8, "D1": 16, "D2": 128}
CASES = (
    {"D0": 1, "D1": 1, "D2": 1},
    {"D0": 5, "D1": 9, "D2": 33},
    {"D0": 3, "D1": 17, "D2": 50},
)
LAYOUTS = ({"A": "col"}, {"B": "odd"})


def reference(A: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return B = A for an f32 array of rank 3."""
    return {"B": A.copy()}
