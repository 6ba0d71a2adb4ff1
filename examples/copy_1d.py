"""copy_1d in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"D0": 4096}
CASES = (
    {"D0": 1},
    {"D0": 255},
    {"D0": 1001},
)
LAYOUTS = ({"A": "odd"}, {"B": "odd"})


def reference(A: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return B = A for an f32 array of rank 1."""
    return {"B": A.copy()}
