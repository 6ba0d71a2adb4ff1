"""How many blocks and clusters a launch has, on a fake driver."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernel_metadata import kernel_metadata
from tests.support.runtime_fakes import FakeDriver
from tilec.runtime.launch.launch_shape import launch_shape, persistent_blocks, whole_clusters
from tilec.support.diagnostics import LaunchError

SMS = 132
"""Multiprocessors of the fake device; it holds 128 CTAs in clusters at a time."""


@pytest.mark.parametrize(
    ("extents", "cluster", "expected"),
    [
        ((5, 7), (1, 1), (5, 7)),
        ((5, 7), (2, 1), (6, 7)),
        ((5, 7), (1, 2), (5, 8)),
        ((5, 7), (2, 4), (6, 8)),
        ((1, 1), (4, 2), (4, 2)),
        ((4, 8), (4, 2), (4, 8)),
        ((3, 5, 7), (2, 2), (3, 6, 8)),
        ((0, 7), (2, 1), (0, 7)),
    ],
)
def test_whole_clusters(extents, cluster, expected):
    assert whole_clusters(extents, cluster) == expected


@given(st.integers(1, 10**6), st.integers(1, 200))
def test_persistent_blocks_take_no_more_rounds_than_all_slots(tiles, slots):
    blocks = persistent_blocks(tiles, slots)
    rounds = -(-tiles // slots)
    assert 1 <= blocks <= min(tiles, slots)
    assert -(-tiles // blocks) == rounds
    assert blocks == 1 or -(-tiles // (blocks - 1)) > rounds


def shape_of(blocks, **changes):
    driver = FakeDriver()
    loaded = driver.load(0, "mm", b"", "", 0)
    return launch_shape(driver, loaded, kernel_metadata(**changes), blocks)


def test_a_kernel_that_does_not_persist_gets_a_block_for_each_tile():
    shape = shape_of(3000)
    assert (shape.blocks, shape.threads, shape.cluster) == (3000, 384, (1, 1, 1))
    assert shape.shared_bytes == 65536
    shape = shape_of(3000, cluster=[4, 1, 1])
    assert (shape.blocks, shape.cluster) == (3000, (4, 1, 1))


def test_a_persistent_kernel_fills_the_device():
    assert shape_of(3000, persistent=True).blocks == persistent_blocks(3000, SMS)
    assert shape_of(100, persistent=True).blocks == 100
    shared = shape_of(3000, persistent=True, plan={"blocks_per_sm": 2})
    assert shared.blocks == persistent_blocks(3000, 2 * SMS)
    assert shape_of(2048, persistent=True).blocks == 128
    for filling in ({"balance_tiles": -1}, {"order_tiles": True}, {"fill_gpu": True}):
        assert shape_of(2048, persistent=True, plan=filling).blocks == SMS
        assert shape_of(100, persistent=True, plan=filling).blocks == 100


def test_a_persistent_kernel_in_clusters_fills_what_the_driver_says():
    """SMs that whole clusters leave over do not count: 64 pairs run at a time, not 66."""
    shape = shape_of(3000, persistent=True, cluster=[2, 1, 1])
    assert shape.blocks == 2 * persistent_blocks(1500, 64)
    assert shape.cluster == (2, 1, 1)
    assert shape_of(2, persistent=True, cluster=[2, 1, 1]).blocks == 2
    assert shape_of(128, persistent=True, cluster=[8, 1, 1]).blocks == 128


@given(st.integers(1, 10**5), st.sampled_from([1, 2, 4, 8]))
def test_clusters_are_launched_whole(clusters, extent):
    shape = shape_of(clusters * extent, persistent=True, cluster=[extent, 1, 1])
    assert shape.blocks % extent == 0
    assert 0 < shape.blocks <= clusters * extent


def test_tiles_that_do_not_fill_clusters_are_refused():
    with pytest.raises(LaunchError) as caught:
        shape_of(5, cluster=[2, 1, 1])
    assert caught.value.diagnostics[0].code == "T0707"
    assert "mm: 5 blocks do not fill clusters of 2" in str(caught.value)


def test_the_metadata_says_whether_a_launch_may_overlap_the_one_before():
    assert shape_of(4, dependent_launch=True).dependent
    assert not shape_of(4).dependent
    assert shape_of(4, dependent_launch=True, persistent=True, cluster=[2, 1, 1]).dependent


@pytest.mark.parametrize(
    ("blocks", "changes"),
    [
        (2**31, {}),
        (2**31, {"cluster": [2, 1, 1]}),
        (2**31 - SMS, {"persistent": True}),
        (2**31 - 128, {"persistent": True, "cluster": [2, 1, 1]}),
    ],
)
def test_tiles_that_have_no_number_are_refused(blocks, changes):
    with pytest.raises(LaunchError, match=f"{blocks} tiles .* are too many") as caught:
        shape_of(blocks, **changes)
    assert caught.value.diagnostics[0].code == "T0707"
    assert shape_of(blocks - 8, **changes).blocks
