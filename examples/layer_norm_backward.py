"""layer_norm_backward in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 4, "N": 4096}
CASES = ({"M": 1, "N": 8}, {"M": 3, "N": 100}, {"M": 5, "N": 72})
LAYOUTS = ({"X": "odd"}, {"DX": "odd", "DB": "odd"})
CONSTANTS = ({"BLOCKS": 2},)
SCALARS = {"eps": 1e-5}
SUMMED = {"DW": "M", "DB": "M"}
ROUNDINGS = {"DX": 2**16, "DW": 64, "DB": 64}
"""Where two sums fall on two sides of a tie, they are rounded 2^-8 apart, 2^16 roundings of f32."""


def inputs(N: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return DW and DB before the kernel: zeros."""
    return {"DW": np.zeros(N, np.float32), "DB": np.zeros(N, np.float32)}


def reference(
    eps: float,
    X: np.ndarray,  # noqa: N803
    W: np.ndarray,  # noqa: N803
    DY: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return DX, DW and DB, in f64 and rounded once."""
    x, w, dy = (item.astype(np.float64) for item in (X, W, DY))
    x = x - x.mean(axis=1, keepdims=True)
    scale = 1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps)
    unit, part = x * scale, dy * w
    slope = (part * unit).mean(axis=1, keepdims=True)
    dx = (part - part.mean(axis=1, keepdims=True) - unit * slope) * scale
    dw, db = (dy * unit).sum(axis=0), dy.sum(axis=0)
    return {"DX": dx.astype(X.dtype), "DW": dw.astype(np.float32), "DB": db.astype(np.float32)}
