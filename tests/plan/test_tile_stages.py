"""How many slots the ring of what a tile loads before its loops has."""

from dataclasses import replace

import pytest

from tilec.plan import KernelProblem, MmaTile, plan_kernel
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError

OPENING = 32768


def attention(columns):
    """Return a product of a tile that is loaded once with tiles of a loop, 128 bytes deep."""
    slot = columns * 256
    mma = (MmaTile(128, columns, 128, 2, 4),)
    return KernelProblem(mma, slot, OPENING, 128 * columns, opening_bytes=OPENING)


def plan(problem, **overrides):
    return plan_kernel(problem, get_target("sm_90a"), overrides)


@pytest.mark.parametrize(
    ("columns", "stages", "tile_stages"),
    [
        (256, 3, 1),  # 2 would fit next to two slots
        (192, 3, 2),
        (128, 5, 2),  # 6 would fit next to one slot, and 3 are enough
        (64, 10, 2),
    ],
)
def test_a_second_slot_leaves_enough_stages(columns, stages, tile_stages):
    found = plan(attention(columns))
    assert (found.stages, found.tile_stages) == (stages, tile_stages)
    assert any("tile_stages" in reason for reason in found.reasons)


def test_fewer_stages_make_room_for_slots():
    assert plan(attention(128), tile_stages=1).stages == 6
    assert plan(attention(128), tile_stages=4).stages == 3
    assert plan(attention(128), stages=6).tile_stages == 1
    assert plan(attention(128), stages=2).tile_stages == 2


def test_without_a_loop_over_tiles_there_is_one_slot():
    assert plan(attention(128), persistent=False).tile_stages == 1
    assert plan(attention(128), specialize=False).tile_stages == 1
    found = plan(replace(attention(128), opening_bytes=0))
    assert found.tile_stages == 1
    assert not any("tile_stages" in reason for reason in found.reasons)


@pytest.mark.parametrize(
    ("overrides", "code", "message"),
    [
        ({"tile_stages": 2, "persistent": False}, "T0421", "no producer warp loads the next"),
        ({"tile_stages": 9}, "T0421", "expected 1 to 8"),
        ({"tile_stages": 8}, "T0424", "262144 bytes of shared memory outside"),
        ({"tile_stages": 2, "stages": 6}, "T0424", "at most 5 stages fit"),
    ],
)
def test_impossible_slots(overrides, code, message):
    with pytest.raises(CompileError) as caught:
        plan(attention(128), **overrides)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert message in f"{found.message} {found.hint}"


def test_a_kernel_without_such_loads_has_no_slots_to_fix():
    with pytest.raises(CompileError) as caught:
        plan(replace(attention(128), opening_bytes=0), tile_stages=2)
    assert "no tile is loaded before a loop that loads more" in str(caught.value)
