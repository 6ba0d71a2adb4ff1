"""matmul_bias_gelu in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"M": 512, "N": 512, "K": 512}
CASES = (
    {"M": 1, "N": 1, "K": 1},
    {"M": 128, "N": 128, "K": 16},
    {"M": 100, "N": 72, "K": 200},
    {"M": 129, "N": 257, "K": 130},
)
LAYOUTS = ({"A": "col"}, {"B": "col"}, {"R": "col"}, {"C": "col"}, {"R": "odd"}, {"bias": "odd"})
DTYPES = ({"T": "bf16"}, {"T": "f16"})
SUMMED = {"C": "K"}
ROUNDINGS = {"C": 2**16}
"""Where two sums fall on two sides of a tie, they are rounded 2^-8 apart, 2^16 roundings of f32.
`tanh` with rounding 'approx' is wrong by up to 2^-11."""


def reference(
    A: np.ndarray,  # noqa: N803
    B: np.ndarray,  # noqa: N803
    bias: np.ndarray,
    R: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return C = gelu(A @ B + bias) + R, each operation in f64 and rounded to the type of A.

    gelu(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))), its tanh form (Hendrycks and
    Gimpel, "Gaussian Error Linear Units", 2016).
    """

    def rounded(values: np.ndarray) -> np.ndarray:
        return values.astype(np.float32).astype(A.dtype).astype(np.float64)

    x = rounded(A.astype(np.float64) @ B.astype(np.float64) + bias.astype(np.float64))
    gelu = rounded(x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))
    return {"C": rounded(gelu + R.astype(np.float64)).astype(A.dtype)}
