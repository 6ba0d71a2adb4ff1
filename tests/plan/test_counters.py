"""The copies of the counters of a histogram."""

import pytest

from tilec.plan.counters import COUNTER_BUDGET, COUNTER_BYTES, choose_copies


@pytest.mark.parametrize("bins", [1, 16, 256, 512])
def test_counters_that_stay_for_a_loop_have_a_copy_for_each_lane(bins):
    assert choose_copies(bins, 4096, summed=True) == 32


@pytest.mark.parametrize("bins", [256, 1024, 4096, 65536])
@pytest.mark.parametrize("budget", [COUNTER_BUDGET, COUNTER_BUDGET // 3])
def test_copies_fit_the_budget(bins, budget):
    copies = choose_copies(bins, 8192, summed=True, budget=budget)
    assert copies == 1 or bins * copies * COUNTER_BYTES <= budget


def test_more_bins_have_fewer_copies():
    assert [choose_copies(bins, 8192, summed=True) for bins in (512, 1024, 2048)] == [32, 16, 1]


def test_copies_that_cost_more_than_they_save_are_left_out():
    assert choose_copies(256, 4096, summed=False) == 1
    assert choose_copies(256, 65536, summed=False) == 32
