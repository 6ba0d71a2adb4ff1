"""column_sum in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 512, "N": 128}
CASES = ({"M": 1, "N": 1}, {"M": 64, "N": 64}, {"M": 200, "N": 100})
LAYOUTS = ({"X": "col"}, {"X": "odd"}, {"S": "odd"})
SUMMED = {"S": "M"}


def reference(
    X: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return the sums of the columns, in f64 and rounded once."""
    return {"S": X.astype(np.float64).sum(axis=0).astype(np.float32)}
