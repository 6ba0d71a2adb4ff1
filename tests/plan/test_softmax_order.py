"""The measured order of a softmax."""

import pytest

from tilec.plan.softmax_order import (
    columns_before_wait,
    combines_in_chains,
    finds_tops_in_chains,
)


def test_three_warpgroups_combine_in_chains():
    assert [combines_in_chains(count) for count in (1, 2, 3)] == [False, False, True]


def test_long_rows_find_their_largest_score_in_a_chain():
    assert [finds_tops_in_chains(columns) for columns in (64, 128, 136)] == [False, False, True]


@pytest.mark.parametrize(("columns", "first"), [(80, 80), (128, 128), (136, 96), (192, 96)])
def test_a_part_of_a_long_row_comes_before_the_wait(columns, first):
    assert columns_before_wait(columns) == first
