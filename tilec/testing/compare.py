"""Comparing the outputs of a kernel with what was expected. Pure NumPy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

F32_ROUNDOFF = 2.0**-24
"""Unit roundoff of f32."""


@dataclass(frozen=True)
class Comparison:
    """How one output differs from what was expected.

    Attributes:
        name: Output.
        elements: Number of elements.
        mismatches: Elements beyond the tolerance.
        max_abs: Largest absolute difference; infinite where one side is a NaN.
        max_rel: Largest difference relative to the expected element, or to the RMS of the output
            where the element is smaller than that.
        first: Index of the first mismatch, with what was got and what was expected.
    """

    name: str
    elements: int
    mismatches: int
    max_abs: float
    max_rel: float
    first: tuple[tuple[int, ...], float, float] | None = None

    @property
    def ok(self) -> bool:
        """Whether every element is within the tolerance."""
        return self.mismatches == 0

    def __str__(self) -> str:
        """Return one line for the user."""
        errors = f"max abs error {self.max_abs:.3g}, max rel error {self.max_rel:.3g}"
        if self.first is None:
            return f"{self.name}: {errors}: ok"
        index, got, want = self.first
        return (
            f"{self.name}: {self.mismatches} of {self.elements} elements differ, {errors}; "
            f"first {self.name}{list(index)} = {got:.8g}, expected {want:.8g}"
        )


@dataclass(frozen=True)
class CheckResult:
    """What a check found, output by output."""

    outputs: tuple[Comparison, ...]

    @property
    def ok(self) -> bool:
        """Whether every output is as expected."""
        return all(output.ok for output in self.outputs)

    @property
    def max_abs(self) -> float:
        """Largest absolute error of all outputs."""
        return max((output.max_abs for output in self.outputs), default=0.0)

    @property
    def max_rel(self) -> float:
        """Largest relative error of all outputs."""
        return max((output.max_rel for output in self.outputs), default=0.0)

    def __str__(self) -> str:
        """Return one line per output."""
        return "\n".join(str(output) for output in self.outputs)


def tolerance(dtype: np.dtype[Any], terms: int = 1) -> tuple[float, float]:
    """Return the allowed relative error, and the allowed error relative to the output's RMS.

    The first is one unit in the last place of the output type: two values that round differently
    are neighbours. The second is four times the bound n*u of a sum of n products in precision u
    (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 3.1), with u of
    f32, in which every float type but f64 is summed. Applied to the RMS of the output instead of
    the sum of absolute products it is tighter for long sums of random data, and still far below
    the change that one lost product makes.

    Args:
        dtype: NumPy type of the output.
        terms: Number of products summed into one element.
    """
    if dtype.kind in "iub":
        return 0.0, 0.0
    unit = float(ml_dtypes.finfo(dtype).eps)
    return unit, 4.0 * max(terms, 1) * (unit / 2 if dtype == np.float64 else F32_ROUNDOFF)


def compare_array(
    name: str, actual: np.ndarray, expected: np.ndarray, terms: int = 1
) -> Comparison:
    """Compare one output with what was expected.

    Args:
        name: Output.
        actual: What the kernel wrote; its type decides the tolerance.
        expected: Array of the same shape.
        terms: Number of products summed into one element.
    """
    relative, absolute = tolerance(actual.dtype, terms)
    wide = np.int64 if actual.dtype.kind in "iub" else np.float64
    got, want = actual.astype(wide), np.asarray(expected).astype(wide)
    with np.errstate(all="ignore"):
        same = (got == want) | ((got != got) & (want != want))
        difference = np.where(same, 0.0, np.abs(got.astype(np.float64) - want))
        difference = np.where(np.isnan(difference), np.inf, difference)
        size = np.abs(want).astype(np.float64)
        finite = np.where(np.isfinite(size), size, 0.0)
        rms = float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0
        bad = ~same & ~(difference <= relative * finite + absolute * rms)
        scale = np.maximum(finite, rms)
        ratio = np.where(same, 0.0, difference / np.where(scale == 0, 1.0, scale))
    first = None
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        first = (index, float(got[index]), float(want[index]))
    return Comparison(
        name,
        actual.size,
        int(np.count_nonzero(bad)),
        float(difference.max(initial=0.0)),
        float(ratio.max(initial=0.0)),
        first,
    )


def compare(
    actual: Mapping[str, np.ndarray],
    expected: Mapping[str, np.ndarray],
    terms: Mapping[str, int] | None = None,
) -> CheckResult:
    """Compare every output in `expected` with what the kernel wrote.

    Args:
        actual: Arrays by name after the run.
        expected: Outputs by name.
        terms: Number of products summed into one element, by output.
    """
    counts = terms or {}
    return CheckResult(
        tuple(
            compare_array(name, actual[name], want, counts.get(name, 1))
            for name, want in expected.items()
        )
    )
