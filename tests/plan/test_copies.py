"""Who moves a tile where both TMA and threads may."""

from tilec.plan.copies import why_threads_copy


def test_threads_move_what_a_block_waits_for_tiles():
    assert why_threads_copy(waits_for_tiles=True, access_bits=128) is not None


def test_narrow_accesses_leave_the_tile_to_tma():
    assert why_threads_copy(waits_for_tiles=True, access_bits=64) is None


def test_tma_moves_the_tiles_of_other_kernels():
    assert why_threads_copy(waits_for_tiles=False, access_bits=128) is None
