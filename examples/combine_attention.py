"""combine_attention in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 2, "G": 2, "H": 4, "D": 128, "P": 8}
CASES = ({"B": 1, "G": 1, "H": 1, "D": 8, "P": 1}, {"B": 2, "G": 1, "H": 3, "D": 40, "P": 32})
LAYOUTS = ({"O": "odd", "R": "odd"}, {"E": "odd"})
SUMMED = {"R": "P"}


def inputs(B: int, G: int, H: int, P: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return log-sum-exps of which some are those of parts without keys, of a row even all."""
    random = np.random.default_rng(B + G + H + P)
    sums = random.uniform(-2, 9, (P, B, G, H))
    sums[random.uniform(0, 1, sums.shape) < 0.3] = -np.inf
    sums[:, 0, 0, 0] = -np.inf
    return {"E": sums}


def reference(O: np.ndarray, E: np.ndarray, R: np.ndarray) -> dict[str, np.ndarray]:  # noqa: E741, N803
    """Return the mean of the parts with weights exp(E), in f64 and rounded once; 0 without keys."""
    sums = E.astype(np.float64)[..., None]
    top = np.maximum(sums.max(axis=0), -1e30)
    weights = np.exp(sums - top)
    total = weights.sum(axis=0)
    found = (weights * O.astype(np.float64)).sum(axis=0) / np.where(total > 0, total, 1.0)
    return {"R": found.astype(R.dtype)}
