"""attention_backward_scale in NumPy: the answer that `tilec run --check` compares with."""

import ml_dtypes
import numpy as np

SIZES = {"B": 1, "S": 192, "H": 2, "D": 64}
CASES = ({"B": 2, "S": 1, "H": 1, "D": 8}, {"B": 1, "S": 130, "H": 2, "D": 40})
LAYOUTS = ({"SUM": "odd"}, {"DQ": "odd"})
SCALARS = {"scale": 0.125}


def reference(scale: float, SUM: np.ndarray) -> dict[str, np.ndarray]:  # noqa: N803
    """Return the gradient, rounded once."""
    return {"DQ": (np.float32(scale) * SUM).astype(ml_dtypes.bfloat16)}
