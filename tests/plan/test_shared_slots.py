"""Staging slots that all results of a kernel share."""

import pytest

from tests.plan.test_kernel_plan import TARGET, failure, plan, stored
from tests.support.seeded_faults import ROOT
from tilec.compiler.driver import compile_source
from tilec.plan.epilogue import SlicedTile, Slices
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.fast_dataclasses import replace
from tilec.support.sources import read_source_file

THREE = replace(stored(3), shared_part_bytes=8192)
"""Three results; two warpgroups with two slots for each of them take 96 KiB."""


def test_shared_slots_are_counted_once():
    assert THREE.bytes_outside_ring(2, Slices(0, 0, 2)) == 98304
    assert THREE.bytes_outside_ring(2, Slices(0, 0, 2, shared=True)) == 32768


@pytest.mark.parametrize(
    ("kibibytes", "slots", "shared", "stages"), [(60, 2, False, 2), (70, 2, True, 2)]
)
def test_results_share_slots_where_their_own_would_leave_one_stage(
    kibibytes, slots, shared, stages
):
    result = plan(replace(THREE, ring_slot_bytes=kibibytes << 10))
    assert (result.epilogue_slots, result.share_slots, result.stages) == (slots, shared, stages)
    reason = "share_slots = true: stages = 1 with more of them for each result, 2 so"
    assert (reason in result.reasons) == shared


def test_results_with_parts_of_several_sizes_take_one_slot_each():
    result = plan(replace(THREE, shared_part_bytes=0, ring_slot_bytes=70 << 10))
    assert (result.epilogue_slots, result.share_slots) == (1, False)


def test_users_choose():
    assert plan(THREE, share_slots=True).share_slots
    fixed = plan(THREE, share_slots=True, epilogue_slots=3)
    assert (fixed.epilogue_slots, fixed.share_slots) == (3, True)
    assert "share_slots = true: fixed by the user" in fixed.reasons
    alone = plan(replace(THREE, ring_slot_bytes=70 << 10), share_slots=False)
    assert (alone.epilogue_slots, alone.share_slots, alone.stages) == (1, False, 2)


def test_results_that_share_slots_are_not_sliced():
    tile = SlicedTile(128, 128, 2, 0, is_costly=True)
    assert plan(replace(THREE, sliced=(tile,))).slice_columns
    fixed = plan(replace(THREE, sliced=(tile,)), share_slots=True)
    assert (fixed.slice_columns, fixed.share_slots) == (0, True)


def test_one_result_has_nothing_to_share():
    code, message = failure(stored(), share_slots=True)
    assert code == "T0421"
    assert "share_slots = true: the kernel has no two stores with parts of one size" in message


@pytest.mark.parametrize(("depth", "rows"), [(128, 64), (64, 128)])
def test_gradients_of_attention_share_slots_and_so_have_two(depth, rows):
    """The sums of a round are added to DQ from both slots; one would wait for TMA in each round."""
    source = read_source_file(ROOT / "examples" / "attention_backward.tile")
    asked = Specialization(constants={"BD": depth, "BM": rows, "causal": 0})
    made = compile_source(source, None, asked, CompileOptions(emit="ptx", run_ptxas=False))
    metadata = made.artifact.kernels[0].metadata
    found = metadata["plan"]
    assert (found["epilogue_slots"], found["share_slots"]) == (2, True)
    assert found["stages"] == 2, "what warpgroups exchange has two slots"
    assert metadata["shared_bytes"] <= TARGET.shared_memory_bytes
