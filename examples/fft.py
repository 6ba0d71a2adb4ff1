"""fft in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 4}
CASES = ({"B": 1}, {"B": 3})
LAYOUTS = ({"XR": "odd"}, {"YR": "odd", "YI": "odd"})
ROUNDINGS = {"YR": 2**11, "YI": 2**11}
"""Products of f32 in three parts have an error of about 2^-20."""


def reference(
    XR: np.ndarray,  # noqa: N803
    XI: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return the transform of every row of 1024 numbers."""
    found = np.fft.fft((XR + 1j * XI.astype(np.float64)).reshape(-1, 1024)).reshape(XR.shape)
    return {"YR": found.real.astype(np.float32), "YI": found.imag.astype(np.float32)}
