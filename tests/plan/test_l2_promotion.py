"""How many bytes TMA brings into L2 at a time: planned with the tiles, or for the kernel."""

from dataclasses import replace

import pytest

from tests.plan.test_tile_choice import gemm_uses
from tests.support.plain_product import plan, problem
from tilec.plan import plan_tiles
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError


@pytest.mark.parametrize(
    ("sizes", "contiguous", "expected"),
    [
        ((16, 4096, 4096), {}, 256),  # one row of tiles: B is read once
        ((16, 4096, 4096), {"n_contiguous": True}, 128),  # the next bytes are the next CTA's
        ((4096, 16, 4096), {}, 256),  # A is
        ((4096, 16, 4096), {"m_contiguous": True}, 128),
        ((256, 28672, 4096), {}, 256),  # two rows of tiles, in clusters of 2x1
        ((128, 128, 65536), {}, 128),
        ((4096, 4096, 4096), {}, 128),
    ],
)
def test_what_is_planned_with_the_tiles(sizes, contiguous, expected):
    known = Specialization(sizes=dict(zip("MNK", sizes, strict=True)), gpu="H100")
    assert plan_tiles(gemm_uses(swappable=True, **contiguous), known).l2_promotion == expected


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((16, 4096, 4096), 128),  # memory bounds it: 1.3% less time than with 256 bytes
        ((1, 28672, 4096), 128),  # 6% less
        ((200, 3584, 18944), 256),  # computing takes longer: 2.6% less than with 128
    ],
)
def test_what_memory_bounds_on_an_h200(sizes, expected):
    known = Specialization(sizes=dict(zip("MNK", sizes, strict=True)), gpu="H200")
    assert plan_tiles(gemm_uses(swappable=True), known).l2_promotion == expected


def test_unknown_sizes_are_read_by_many():
    assert plan_tiles(gemm_uses(), Specialization()).l2_promotion == 128


def test_the_plan_of_the_kernel():
    assert plan(problem()).l2_promotion == 128
    planned = plan(problem(l2_promotion=256))
    assert planned.l2_promotion == 256
    reason = "l2_promotion = 256: an operand is read once, and the next k-tile follows in memory"
    assert reason in planned.reasons
    fixed = plan(problem(l2_promotion=256), l2_promotion=128)
    assert fixed.l2_promotion == 128
    assert "l2_promotion = 128: fixed by the user" in fixed.reasons
    with pytest.raises(CompileError, match="l2_promotion = 192: expected 128 to 256"):
        plan(problem(), l2_promotion=192)


@pytest.mark.parametrize(("row_bytes", "expected"), [(0, 128), (128, 128), (256, 256)])
def test_rows_in_several_boxes_without_products(row_bytes, expected):
    planned = plan(replace(problem(row_bytes=row_bytes), mma=()))
    assert planned.l2_promotion == expected
    why = "l2_promotion = 256: a row of a tile takes several boxes"
    assert (why in planned.reasons) == (expected == 256)
    assert plan(problem(row_bytes=row_bytes)).l2_promotion == 128  # operands
