"""vector_add in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"N": 4096}
CASES = ({"N": 1}, {"N": 1000}, {"N": 1024}, {"N": 5003})
LAYOUTS = ({"A": "odd"}, {"B": "odd", "C": "odd"})


def reference(A: np.ndarray, B: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return C = A + B for two f32 vectors of one length."""
    return {"C": A + B}
