"""Loops over tiles that the compiler rotates: kernels, and arrays for which all sums are exact."""

from pathlib import Path

import ml_dtypes
import numpy as np

from tests.support.both_devices import host_array
from tilec.testing.check import Arguments

FILE = Path(__file__).resolve().parents[1] / "kernels" / "rotated_tiles.tile"
KERNELS = ("stored", "worked", "two_sums")
ROWS, COLUMNS, DEPTH = 64, 160, 64 * 5
"""Rows of a tile; columns of the arrays, so that the last tile is cut; most k-tiles are five."""
ROUNDS = (0, 1, 2, 5)
"""Fewer k-tiles than pieces of stage 1, as many, and more; none, too."""


def arguments(tiles: int, rounds: int) -> Arguments:
    """Return small integers, for an array with so many tiles along M, and two or three along N."""
    rng = np.random.default_rng(8 * tiles + rounds)
    rows = tiles * ROWS - 9
    shapes = {"A": (rows, DEPTH), "B": (DEPTH, COLUMNS), "R": (rows, COLUMNS)}
    arrays = {name: rng.choice([-1, 0, 0, 1], shape) for name, shape in shapes.items()}
    arrays["C"] = np.full((rows, COLUMNS), np.nan)
    made = {
        name: host_array(name, values.astype(ml_dtypes.bfloat16)) for name, values in arrays.items()
    }
    return Arguments(made, {"rounds": rounds})


def check_rotated_tiles(launch, kernel, given):
    """Run a kernel and compare its result with the CPU reference, bit for bit.

    Args:
        launch: Runs a kernel on copies of `Arguments`, and copies the results back.
        kernel: The kernel.
        given: What to call it with.
    """
    expected, found = given.copy(), given.copy()
    kernel(**expected.data(), **expected.scalars)
    launch(kernel, found)
    np.testing.assert_array_equal(found.data()["C"], expected.data()["C"])
    for name, array in found.arrays.items():
        assert array.stray_writes(given.arrays[name].memory) == 0, name
