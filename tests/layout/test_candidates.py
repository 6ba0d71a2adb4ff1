"""Layouts that are tried for a tile that is transposed between load and store."""

import pytest

from tilec.layout import (
    LayoutError,
    SharedLayout,
    Swizzle,
    access_cost,
    matrix_access_cost,
    matrix_accesses,
)
from tilec.layout.banks import sectors
from tilec.layout.candidates import candidate_layouts, matrices


@pytest.mark.parametrize("warps", [1, 4, 8])
@pytest.mark.parametrize("shape", [(64, 64), (128, 32), (1, 32, 128), (8, 2, 256), (24, 96)])
def test_every_candidate_holds_each_element_in_all_threads(shape, warps):
    found = list(candidate_layouts(shape, 16, warps))
    assert len(found) >= 2
    for _, layout in found:
        assert layout.shape == shape
        assert layout.num_warps == warps
        assert layout.is_injective
        assert layout.is_surjective


def test_a_line_has_no_candidates():
    assert not list(candidate_layouts((1, 128), 16, 4))


def test_tiles_that_are_not_made_of_matrices():
    with pytest.raises(LayoutError, match="not made of 8x8 matrices"):
        matrices((12, 64), 1, pair=1, row=0, first=0)
    with pytest.raises(LayoutError, match="fewer 8x8 matrices than 4 warps"):
        matrices((8, 16), 4, pair=1, row=0, first=0)


def test_matrices_are_read_and_stored_transposed_without_conflicts():
    layout = matrices((64, 64), 4, pair=1, row=0, first=0)
    shared = SharedLayout((64, 64), 16, (64, 64), Swizzle.B128)
    loads = access_cost(layout, shared, axis=1, width=2)
    stores = matrix_accesses(layout.permute((1, 0)), shared)
    assert stores is not None
    assert stores.transposed
    assert loads.conflicts == matrix_access_cost(stores, shared).conflicts == 0
    assert access_cost(layout, shared, 1, 2, warps=1).wavefronts == loads.wavefronts // 4


def test_sectors_of_rows_and_columns():
    """16 lanes hold a row of 256 bytes, and two rows make up an access."""
    _, rows = next(candidate_layouts((32, 64), 32, 1))
    assert sectors(rows, 1, 4, 4) == [16] * 16
    columns = rows.permute((1, 0))
    assert sectors(columns, 1, 1, 4) == [16] * 64
