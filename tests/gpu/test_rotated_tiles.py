"""Rotated loops over tiles on the GPU: against the CPU reference, bit for bit."""

from functools import partial

import pytest

from tests.support.gpu_arrays import launch_on_gpu
from tests.support.rotated_tiles import FILE, KERNELS, ROUNDS, arguments, check_rotated_tiles
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

TILES = (1, 70, 290)
"""Along M: one tile of a CTA, one or two, and several."""


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("name", KERNELS)
def test_several_tiles_for_each_cta(torch, name, rounds):
    kernel = load(FILE)[name]
    for tiles in TILES:
        check_rotated_tiles(partial(launch_on_gpu, torch), kernel, arguments(tiles, rounds))
