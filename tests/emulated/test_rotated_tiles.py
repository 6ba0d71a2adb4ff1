"""A rotated loop over tiles computes what the loop does, bit for bit: 1 to 15 tiles of a CTA."""

import pytest

from tests.support.rotated_tiles import FILE, KERNELS, ROUNDS, arguments, check_rotated_tiles
from tilec.runtime.jit import load

TILES = range(1, 6)


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("name", KERNELS)
def test_every_number_of_tiles(launch, device, name, rounds):
    kernel = load(FILE)[name]
    for tiles in TILES:
        # two or three tiles along N: one CTA has all of them, or every second or third one
        device.seed, device.multiprocessors = tiles, 1 + tiles % 3
        check_rotated_tiles(launch, kernel, arguments(tiles, rounds))


@pytest.mark.parametrize("name", KERNELS)
def test_the_plan_says_what_runs_later(name):
    given = arguments(1, 1)
    plan = load(FILE)[name].compile(**given.data(), **given.scalars).plan
    (tiles, _) = plan["loops"]
    late = [item["operation"] for item in tiles["operations"] if item["stage"] == 1]
    assert (tiles["over"], tiles["rotated"]) == ("tiles", True)
    assert late[-1] == "nv_tileas.tiled_store"
    assert (len(late) > 1) == (name == "worked") == plan["defer_work"]
    assert [item["why"] for item in tiles["runners_up"]]
