"""attention_backward_delta in NumPy: the answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 1, "S": 192, "H": 2, "D": 64}
CASES = ({"B": 2, "S": 1, "H": 1, "D": 8}, {"B": 1, "S": 130, "H": 1, "D": 40})
LAYOUTS = ({"O": "odd", "R": "odd"}, {"DO": "odd", "L": "odd"})
SUMMED = {"R": "D"}


def reference(
    O: np.ndarray,  # noqa: E741, N803
    DO: np.ndarray,  # noqa: N803
    L: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return the sum of O * DO along each row of each head, in f64 and rounded once, and E."""
    total = np.einsum("bshd,bshd->bhs", O.astype(np.float64), DO.astype(np.float64))
    power = -np.log2(np.e) * L.astype(np.float64)
    return {"R": total.astype(np.float32), "E": power.astype(np.float32)}
