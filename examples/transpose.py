"""transpose in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 192, "N": 128}
CASES = ({"M": 1, "N": 1}, {"M": 64, "N": 64}, {"M": 100, "N": 72}, {"M": 65, "N": 130})
LAYOUTS = ({"X": "col"}, {"Y": "col"}, {"X": "odd"}, {"Y": "odd"})


def reference(
    X: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return the transpose."""
    return {"Y": X.T.copy()}
