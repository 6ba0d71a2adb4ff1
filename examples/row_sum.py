"""row_sum in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 8, "N": 8192}
CASES = ({"M": 1, "N": 1}, {"M": 5, "N": 2048}, {"M": 9, "N": 2500})
LAYOUTS = ({"X": "col"}, {"X": "odd"}, {"S": "odd"})
SUMMED = {"S": "N"}


def reference(
    X: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return the sums of the rows, in f64 and rounded once."""
    return {"S": X.astype(np.float64).sum(axis=1).astype(np.float32)}
