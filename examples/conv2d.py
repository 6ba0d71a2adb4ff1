"""conv2d in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 1, "H": 8, "W": 16, "C": 64, "R": 3, "S": 3, "K": 64}
CASES = (
    {"B": 2, "H": 1, "W": 1, "C": 8, "R": 1, "S": 1, "K": 8},
    {"B": 2, "H": 9, "W": 17, "C": 3, "R": 3, "S": 3, "K": 5},
    {"B": 1, "H": 13, "W": 7, "C": 72, "R": 5, "S": 3, "K": 40},
)
CONSTANTS = ({"BB": 2, "BH": 8, "BW": 8},)
LAYOUTS = ({"X": "odd"}, {"F": "odd", "Y": "odd"})
SUMMED = {"Y": "C"}
ROUNDINGS = {"Y": 2000}
"""R * S sums over C; 2000 roundings of f32 are less than one of bf16."""


def reference(
    X: np.ndarray,  # noqa: N803
    F: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return the convolution: a sum of one product for each position of the filters."""
    (_, height, width, _), (rows, columns) = X.shape, F.shape[:2]
    result = np.zeros((*X.shape[:3], F.shape[3]))
    before = (rows // 2, columns // 2)
    padding = [(0, 0), *((count, rows + columns) for count in before), (0, 0)]
    x = np.pad(X.astype(np.float64), padding)
    for r in range(rows):
        for s in range(columns):
            result += x[:, r : r + height, s : s + width] @ F[r, s].astype(np.float64)
    return {"Y": result.astype(X.dtype)}
