"""tma_load_walkthrough in NumPy: the answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 256, "K": 256}
CASES = ({"M": 1, "K": 1}, {"M": 128, "K": 128}, {"M": 200, "K": 130}, {"M": 129, "K": 300})
LAYOUTS = ({"A": "col"}, {"B": "col"}, {"A": "odd"})


def reference(A: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return B = A for a bf16 matrix."""
    return {"B": A.copy()}
