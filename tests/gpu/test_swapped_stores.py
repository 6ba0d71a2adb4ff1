"""Results that threads store after the lanes of a warp have swapped words, on the GPU."""

from functools import partial

import pytest

from tests.support.gpu_arrays import launch_on_gpu
from tests.support.swapped_stores import LAYOUTS, check_product, check_swapped_stores

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("depth", [128, 256])
@pytest.mark.parametrize("tokens", [1, 72, 777])
def test_lanes_swap_words_before_they_store_them(torch, tokens, depth, causal, layout):
    check_swapped_stores(partial(launch_on_gpu, torch), tokens, depth, causal, layout)


@pytest.mark.parametrize("tile", [(64, 64, 64), (64, 256, 64), (128, 128, 64), (128, 256, 64)])
@pytest.mark.parametrize("extents", [(1, 1, 1), (129, 300, 130), (400, 515, 72)])
@pytest.mark.parametrize("name", ["matmul", "matmul_f32out"])
def test_lanes_swap_words_of_a_product_whose_result_has_an_odd_pitch(torch, tile, extents, name):
    check_product(partial(launch_on_gpu, torch), name, tile, extents)
