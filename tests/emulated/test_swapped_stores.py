"""Results that threads store after the lanes of a warp have swapped words, on the emulator."""

import pytest

from tests.support.swapped_stores import LAYOUTS, check_product, check_swapped_stores


@pytest.mark.parametrize(("causal", "layout"), list(enumerate(LAYOUTS)))
def test_lanes_swap_words_before_they_store_them(device, launch, causal, layout):
    check_swapped_stores(launch, 72, 128, causal, layout)


@pytest.mark.parametrize("name", ["matmul", "matmul_f32out"])
def test_lanes_swap_words_of_a_product_whose_result_has_an_odd_pitch(device, launch, name):
    check_product(launch, name, (64, 64, 64), (65, 100, 72))
