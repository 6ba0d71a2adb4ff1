"""Launches some of whose arrays have no element, and what the others must hold afterwards."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.support.both_devices import host_array
from tilec.testing.check import Arguments

FILE = Path(__file__).resolve().parents[1] / "kernels" / "empty.tile"
UNTOUCHED = -5.0
"""What results hold before a launch."""
RANDOM = np.random.default_rng(0)


class Case(NamedTuple):
    """A launch.

    Attributes:
        arrays: Values by name; a shape alone is a result.
        expected: What each result holds afterwards.
    """

    arrays: dict[str, np.ndarray | tuple[int, ...]]
    expected: dict[str, np.ndarray | float]

    def arguments(self) -> Arguments:
        """Return the arguments of the launch."""
        made = {
            name: np.full(item, UNTOUCHED, np.float32) if isinstance(item, tuple) else item
            for name, item in self.arrays.items()
        }
        return Arguments({name: host_array(name, item) for name, item in made.items()}, {})

    def check(self, arguments: Arguments) -> None:
        """Compare results, and the memory around all arrays, with what they must hold."""
        for name, values in self.expected.items():
            np.testing.assert_array_equal(arguments.data()[name], values, err_msg=name)
        before = self.arguments()
        for name, array in arguments.arrays.items():
            assert array.stray_writes(before.arrays[name].memory) == 0, name


def _normal(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(dtype)


X = _normal(100)
CASES = {
    "product": Case(
        {
            "A": _normal(70, 0, dtype=np.float16),
            "B": _normal(0, 92, dtype=np.float16),
            "C": (70, 92),
        },
        {"C": 0.0},
    ),
    "row_max": Case({"X": _normal(40, 0), "Y": (40,)}, {"Y": -np.inf}),
    "row_sum": Case({"X": _normal(40, 0), "Y": (40,)}, {"Y": 0.0}),
    "bias": Case({"X": X, "Bias": _normal(0), "Y": (100,)}, {"Y": X * 2}),
    "picked": Case(
        {"I": np.arange(100, dtype=np.int32) - 50, "W": _normal(0), "Y": (100,), "Left": (0,)},
        {"Y": 3.0},
    ),
    "last_segments": Case(
        {"X": X, "Ends": np.empty(0, np.int32), "Y": (1,)},
        {"Y": UNTOUCHED},
    ),
}
"""Launches by kernel. The last one has a grid of -1 blocks: nothing runs."""
