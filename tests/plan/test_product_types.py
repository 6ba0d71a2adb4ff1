"""What the element types of a product change in its plan."""

import pytest

from tilec.plan.gemm.candidates import GemmProblem, rank_tiles
from tilec.plan.gemm.model import gemm_cost
from tilec.plan.gemm.tile import GemmTile, misfit
from tilec.request.target import TARGETS
from tilec.support.mma_atoms import ProductTypes

TARGET = TARGETS["sm_90a"]
LARGE = (4096, 4096, 4096)
BF16 = ProductTypes("bf16", "bf16", "f32")
HALF_SUMS = ProductTypes("f16", "f16", "f16")
F8 = ProductTypes("f8E4M3FN", "f8E5M2", "f32")
BYTES = ProductTypes("u8", "i8", "i32")
TF32 = ProductTypes("tf32", "tf32", "f32")
SINGLES = ProductTypes("f32", "f32", "f32")
DOUBLES = ProductTypes("f64", "f64", "f64")


def cost(types):
    return gemm_cost(GemmTile(128, 256, 64, types.operand_bytes, 2, product=types), LARGE, TARGET)


@pytest.mark.parametrize(
    ("types", "share"),
    [(F8, 0.5), (BYTES, 0.5), (HALF_SUMS, 1), (TF32, 2), (SINGLES, 16), (DOUBLES, 16)],
)
def test_tensor_cores_multiply_at_the_rate_of_the_types(types, share):
    assert cost(types).tensor == share * cost(BF16).tensor


def test_sums_of_f16_take_half_of_the_registers():
    wide = (256, 256, 64, 2, 2)
    assert GemmTile(*wide, product=HALF_SUMS).accumulators(2) == 128
    assert GemmTile(*wide, product=BF16).accumulators(2) == 256
    assert misfit(GemmTile(*wide, product=BF16), TARGET) is not None
    assert "registers" not in (misfit(GemmTile(*wide, product=HALF_SUMS), TARGET) or "")


@pytest.mark.parametrize(
    ("types", "is_split"),
    [
        *((types, True) for types in (BF16, F8, BYTES, TF32)),
        *((types, False) for types in (HALF_SUMS, SINGLES, DOUBLES)),
    ],
)
def test_sums_of_32_bits_on_wgmma_may_be_split(types, is_split):
    problem = GemmProblem(
        (512, 512, 16384), (128, 128, None), types.operand_bytes, product=types, schedules=(False,)
    )
    assert any(item.tile.split_k > 1 for item in rank_tiles(problem, TARGET)) is is_split


@pytest.mark.parametrize(("types", "stepped"), [(F8, True), (TF32, True), (SINGLES, False)])
def test_tiles_of_wgmma_have_any_columns(types, stepped):
    problem = GemmProblem(LARGE, (128, None, None), types.operand_bytes, product=types)
    columns = {item.tile.n for item in rank_tiles(problem, TARGET)}
    assert (208 in columns) is stepped


@pytest.mark.parametrize("rows", [16, 32])
def test_few_rows_are_left_to_single_warps(rows):
    problem = GemmProblem((rows, 4096, 4096), (rows, None, None), product=BF16)
    tiles = [item.tile for item in rank_tiles(problem, TARGET)]
    assert tiles
    assert all(tile.by_warps and tile.cluster == (1, 1) and tile.split_k == 1 for tile in tiles)
    assert not any(tile.pingpong or tile.can_defer(TARGET) for tile in tiles)


def test_single_warps_have_room_for_fragments():
    assert misfit(GemmTile(32, 256, 64, 2, 2, product=BF16), TARGET) is None
    reason = misfit(GemmTile(48, 256, 64, 2, 2, product=BF16), TARGET)
    assert reason is not None
    assert "96 registers" in reason


def test_rows_that_no_instruction_has_do_not_fit():
    reason = misfit(GemmTile(40, 64, 64, 2, 2, product=BF16), TARGET)
    assert reason is not None
    assert "multiples of 64 x 8 x 16" in reason
