"""saxpy in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"N": 10007}
CASES = ({"N": 1}, {"N": 1023}, {"N": 1024}, {"N": 2049})
LAYOUTS = ({"X": "odd"}, {"Y": "odd"})
SCALARS = {"alpha": 2.5}


def reference(
    alpha: float,
    X: np.ndarray,  # noqa: N803
    Y: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return Y = alpha * X + Y for two f32 vectors of one length, rounded to f32 once.

    Multiplying and adding may be one fused operation or two. In f64 the product is exact and the
    sum is nearly so, which is within one f32 rounding of either.
    """
    total = np.float64(alpha) * X.astype(np.float64) + Y.astype(np.float64)
    return {"Y": total.astype(np.float32)}
