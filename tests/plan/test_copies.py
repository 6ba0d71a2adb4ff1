"""Who moves a tile where both TMA and threads may."""

import pytest

from tilec.plan.copies import why_threads_copy, why_threads_load, why_threads_store


def test_threads_move_what_a_block_waits_for():
    assert why_threads_copy(waits_for_tiles=True, access_bits=128, copy_bytes=8192) is not None


def test_narrow_accesses_leave_the_tile_to_tma():
    assert why_threads_copy(waits_for_tiles=True, access_bits=64, copy_bytes=8192) is None


@pytest.mark.parametrize(("copy_bytes", "is_slow"), [(4096, False), (512, True)])
def test_tma_moves_rows_that_warps_reduce_alone_if_its_copies_are_large(copy_bytes, is_slow):
    why = why_threads_copy(True, 128, copy_bytes, 4, warps_meet=False)
    assert (why is not None) == is_slow


@pytest.mark.parametrize(
    ("copy_bytes", "copies", "is_slow"), [(256, 1, False), (256, 8, True), (512, 8, False)]
)
def test_threads_move_what_takes_many_small_copies(copy_bytes, copies, is_slow):
    why = why_threads_copy(False, 128, copy_bytes, copies)
    assert (why is not None) == is_slow
    assert why_threads_copy(False, 64, copy_bytes, copies) is None


@pytest.mark.parametrize(
    ("has_products", "tile_bytes", "by_threads"),
    [(True, 512, True), (True, 2048, False), (False, 512, False)],
)
def test_threads_store_small_results_of_kernels_with_products(has_products, tile_bytes, by_threads):
    assert (why_threads_store(has_products, tile_bytes) is not None) == by_threads


def test_threads_load_what_they_load_most_of():
    assert why_threads_load(128, by_threads=18, tiles=27) is not None
    assert why_threads_load(128, by_threads=2, tiles=5) is None
    assert why_threads_load(64, by_threads=18, tiles=27) is None
