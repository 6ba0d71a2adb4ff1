"""nv-tileas-verify-async-protocol: faults of an epilogue that loads its residual in slices.

Ring 0 is that of the k-tiles, ring 1 has the bias, ring 2 the slices: four of 64 columns go through
two slots, which a producer warp of their own fills.
"""

import pytest

from tests.support.seeded_faults import (
    before_the_check,
    changed,
    check_fault,
    moved,
    verify,
    without,
)

SLICES = 4


@pytest.fixture(scope="module")
def fused() -> str:
    return before_the_check(
        example="matmul_bias_gelu",
        slice_columns=64,
        epilogue_stages=2,
        epilogue_slots=2,
        defer_stores=0,
    )


@pytest.fixture(scope="module")
def deferred() -> str:
    """Slices that are computed in steps, overlapped with the products of the next tile."""
    return before_the_check(
        example="matmul_bias_gelu",
        slice_columns=64,
        epilogue_stages=2,
        epilogue_slots=1,
        defer_work=1,
    )


@pytest.fixture(scope="module")
def pair() -> str:
    return before_the_check((2, 1), example="matmul_bias_gelu")


ACQUIRE, WAIT, RELEASE = "ring_acquire", "ring_wait", "ring_release"
OVERWRITTEN = "may be overwritten while"
FAULTS = {
    # Acquires: 0 of the k-tiles, 1 of the bias, then those of the slices; waits and releases alike.
    "a slice is not released": (without(RELEASE, 3), "deadlock"),
    "the last slice is not released": (without(RELEASE, 2 + SLICES - 1), "deadlock"),
    "no slice is released": (without(RELEASE, *range(2, 2 + SLICES)), "deadlock"),
    "a slot is reused early": (without(ACQUIRE, 4), OVERWRITTEN),
    "a slot is reused early in the next tile": (without(ACQUIRE, 2), OVERWRITTEN),
    "a slice is read early": (without(WAIT, 3), "a tile is read before the write"),
    "a slice is released before it is read": (
        moved(RELEASE, 2, "load_shared", 1),
        OVERWRITTEN,
    ),
    # Fences: 0 after the read of the bias, then two for each slice. The bias needs none of its
    # own: the producer waits for slots of slices before it loads the next one.
    "no fence after the read of a slice": (
        without("fence_proxy", 3),
        "no proxy fence between what",
    ),
    "no fence after the write of a slice": (
        without("fence_proxy", 4),
        "no proxy fence between the write",
    ),
    "a slice is not loaded": (without("async_tiled_tma_load", 8), "deadlock"),
    "a slice announces more": (
        changed("mbarrier_arrive_expect_tx", 3, "tx_count = 16384", "tx_count = 16400"),
        "deadlock",
    ),
    "a staging slot is written while its slice is copied": (
        changed("bulk_wait", 2, "pending = 1", "pending = 2"),
        OVERWRITTEN,
    ),
    "a slice is not stored": (
        without("bulk_commit", 1),
        OVERWRITTEN,
    ),
}


DEFERRED_FAULTS = {
    # Four slices alone, after the last tile; the wait and the release of the k-tiles; four slices
    # of as many steps. Only the first step of a slice waits, and only the last one gives back.
    "a slot is not given back": (without(RELEASE, 4), "deadlock"),
    "a slot is not given back after the last tile": (without(RELEASE, 0), "deadlock"),
    "a step is computed early": (without(WAIT, 6), "a tile is read before the write"),
    "a step is written while the slice before is copied": (without("bulk_wait", 5), OVERWRITTEN),
    "no fence after the last step": (without("fence_proxy", 5), "no proxy fence between"),
    "the first step is not written": (without("store_shared", 8), "with parts missing"),
    "another step is not written": (without("store_shared", 10), "with parts missing"),
    "another step is written twice": (
        changed("store_shared", 10, "array<i64: 0, 32>", "array<i64: 0, 16>"),
        "is written twice",
    ),
    "the first step is written twice": (
        changed("store_shared", 9, "array<i64: 0, 16>", "array<i64: 0, 0>"),
        "overwritten before anything reads it",
    ),
    "work for a tile that there is not": (
        lambda text: text.replace("arith.constant false", "arith.constant true"),
        "deadlock",
    ),
}


def test_the_kernel_without_a_fault(fused):
    verify(fused)


def test_deferred_work_without_a_fault(deferred):
    verify(deferred)


@pytest.mark.parametrize("name", DEFERRED_FAULTS)
def test_seeded_faults_of_deferred_work(deferred, name):
    check_fault(deferred, DEFERRED_FAULTS[name])


def test_a_cluster_without_a_fault(pair):
    verify(pair)


def test_consumers_that_ping_pong():
    tile = {"BM": 64, "BN": 256, "BK": 64}
    verify(before_the_check(size=tile, example="matmul_bias_gelu", pingpong=1))


@pytest.mark.parametrize("name", FAULTS)
def test_seeded_faults(fused, name):
    check_fault(fused, FAULTS[name])
