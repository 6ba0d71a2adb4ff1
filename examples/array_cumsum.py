"""array_cumsum in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"N": 20000, "P": 5}
CASES = ({"N": 1, "P": 1}, {"N": 4096, "P": 1}, {"N": 9000, "P": 7})
LAYOUTS = ({"X": "odd"}, {"Y": "odd"})
SUMMED = {"Y": "N"}
STATE = ("S", "T")


def inputs(N: int, P: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return the state of the tiles and the counter, which begin at zero."""
    del N
    return {"S": np.zeros(P, np.uint64), "T": np.zeros(1, np.int32)}


def reference(
    X: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return the running sums of the array, in f64 and rounded once."""
    return {"Y": X.astype(np.float64).cumsum().astype(np.float32)}
