"""A rotated loop over tiles computes what the loop computes, bit for bit: 1 to 15 tiles of a CTA.

With fewer k-tiles than pieces of stage 1, as many, and more; without any, too.
"""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import host_array
from tilec.runtime.jit import load
from tilec.testing.check import Arguments

FILE = Path(__file__).resolve().parents[1] / "kernels" / "rotated_tiles.tile"
ROWS, COLUMNS, DEPTH = 64, 160, 64 * 5
"""Rows of a tile; columns of the arrays, so that the last tile is cut; most k-tiles are five."""
ROUNDS = (0, 1, 2, 5)
TILES = range(1, 6)


def arguments(tiles: int, rounds: int) -> Arguments:
    """Return small integers, for an array with so many tiles along M; a CTA has twice as many."""
    rng = np.random.default_rng(8 * tiles + rounds)
    rows = tiles * ROWS - 9
    shapes = {"A": (rows, DEPTH), "B": (DEPTH, COLUMNS), "R": (rows, COLUMNS)}
    arrays = {name: rng.choice([-1, 0, 0, 1], shape) for name, shape in shapes.items()}
    arrays["C"] = np.full((rows, COLUMNS), np.nan)
    made = {
        name: host_array(name, values.astype(ml_dtypes.bfloat16)) for name, values in arrays.items()
    }
    return Arguments(made, {"rounds": rounds})


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("name", ["stored", "worked", "two_sums"])
def test_every_number_of_tiles(launch, device, name, rounds):
    kernel = getattr(load(FILE), name)
    for tiles in TILES:
        given = arguments(tiles, rounds)
        expected, found = given.copy(), given.copy()
        kernel(**expected.data(), **expected.scalars)
        # two or three tiles along N: one CTA has all of them, or every second or third one
        device.seed, device.multiprocessors = tiles, 1 + tiles % 3
        launch(kernel, found)
        np.testing.assert_array_equal(found.data()["C"], expected.data()["C"])
        for array in found.arrays:
            before = given.arrays[array].memory
            assert found.arrays[array].stray_writes(before) == 0, array


@pytest.mark.parametrize("name", ["stored", "worked", "two_sums"])
def test_the_plan_says_what_runs_later(name):
    given = arguments(1, 1)
    plan = getattr(load(FILE), name).compile(**given.data(), **given.scalars).plan
    (tiles, _) = plan["loops"]
    late = [item["operation"] for item in tiles["operations"] if item["stage"] == 1]
    assert (tiles["over"], tiles["rotated"]) == ("tiles", True)
    assert late[-1] == "nv_tileas.tiled_store"
    assert (len(late) > 1) == (name == "worked") == plan["defer_work"]
    assert [item["why"] for item in tiles["runners_up"]]
