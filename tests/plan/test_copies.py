"""Who moves a tile where both TMA and threads may."""

import pytest

from tilec.plan.copies import why_threads_copy


def test_threads_move_what_a_block_waits_for_tiles():
    assert why_threads_copy(waits_for_tiles=True, access_bits=128) is not None


def test_narrow_accesses_leave_the_tile_to_tma():
    assert why_threads_copy(waits_for_tiles=True, access_bits=64) is None


@pytest.mark.parametrize(("copy_bytes", "is_slow"), [(None, False), (256, True), (512, False)])
def test_threads_move_what_takes_many_small_copies(copy_bytes, is_slow):
    why = why_threads_copy(waits_for_tiles=False, access_bits=128, copy_bytes=copy_bytes)
    assert (why is not None) == is_slow
    assert why_threads_copy(False, 64, copy_bytes) is None


def test_tma_moves_the_tiles_of_other_kernels():
    assert why_threads_copy(waits_for_tiles=False, access_bits=128) is None
