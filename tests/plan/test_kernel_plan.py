"""Kernel plans: consumers, roles, registers and stages, and every way a plan can be impossible."""

import itertools
from dataclasses import replace

import pytest

from tilec.plan import KernelProblem, MmaTile, plan_kernel
from tilec.plan import machine as limits
from tilec.plan.epilogue import Slices
from tilec.plan.registers import RoleRegisters, entry_registers, exceeds_pool, role_registers
from tilec.request.target import get_target
from tilec.support.diagnostics import CompileError

TARGET = get_target("sm_90a")


def gemm(m=128, n=128, k=64, fixed_bytes=0):
    slot = (m + n) * k * 2
    return KernelProblem((MmaTile(m, n, k, 2, 4),), slot, fixed_bytes, m * n)


def stored(stores=1, **tile):
    """Return a product whose results of 2 bytes are stored in parts of 8192 bytes."""
    problem = gemm(**tile)
    size = problem.tile_elements * 2
    return replace(problem, part_bytes=8192 * stores, whole_bytes=size * stores)


def tiles(elements=4096, slot=0):
    return KernelProblem((), slot, 0, elements)


def plan(problem, **overrides):
    return plan_kernel(problem, TARGET, overrides)


def failure(problem, **overrides):
    with pytest.raises(CompileError) as caught:
        plan(problem, **overrides)
    diagnostic = caught.value.diagnostics[0]
    return diagnostic.code, diagnostic.message


def test_gemm_128x128():
    result = plan(gemm())
    assert (result.consumers, result.specialize, result.stages) == (2, True, 7)
    assert (result.producer_registers, result.consumer_registers) == (40, 232)
    assert (result.worker_warps, result.block_threads) == (8, 384)
    assert result.cluster == (1, 1)


def test_a_hint_of_latency_makes_the_ring_longer():
    problem = tiles(slot=32768)
    assert plan(problem).stages == 2
    assert plan(replace(problem, latency=5)).stages == 5
    assert plan(replace(problem, latency=10)).stages == 7, "no more fit"


def test_accumulators_that_are_live_together_share_the_registers():
    """Two of 100 registers leave less than 32 of 232; each of them alone would fit."""
    product = MmaTile(128, 200, 64, 2, 4, also_live=((128, 200, 4),))
    problem = replace(gemm(n=200), mma=(product, product))
    assert (problem.accumulators(2), problem.largest_accumulator(2)) == (200, 100)
    assert plan(problem).consumer_registers == 232
    wide = replace(problem, mma=(replace(product, also_live=((128, 208, 4),)),))
    assert plan(wide).consumer_registers == 240
    assert "204 hold accumulators" in plan(wide).reasons[-1]


def test_gemm_128x256_with_a_staging_buffer():
    result = plan(gemm(n=256, fixed_bytes=128 * 256 * 2))
    assert (result.consumers, result.stages) == (2, 3)


def test_gemm_128x256_whose_result_leaves_in_parts():
    """Parts leave room for one more stage than the whole 64 KiB result."""
    result = plan(stored(n=256))
    assert (result.consumers, result.epilogue_slots, result.stages) == (2, 2, 4)
    assert plan(stored(n=256), epilogue_slots=0).stages == 3


@pytest.mark.parametrize(
    ("stores", "consumers", "slots", "expected"),
    [
        (1, 2, 2, 32768),
        (1, 1, 2, 16384),
        (1, 3, 1, 24576),
        (2, 2, 3, 98304),
        (1, 2, 0, 65536),
        (2, 2, 0, 131072),
    ],
)
def test_staging_slots_of_every_warpgroup_and_store_count(stores, consumers, slots, expected):
    problem = replace(stored(stores, n=256), fixed_bytes=100)
    assert problem.bytes_outside_ring(consumers, Slices(0, 0, slots)) == 100 + expected


def test_a_scratch_area_of_each_team_leaves_room_for_fewer_stages():
    problem = replace(gemm(m=64, n=64), scratch_bytes=lambda warps, room: 4096 * warps)
    slot = problem.ring_slot_bytes
    alone, teams = plan(problem), plan(problem, pingpong=True)
    assert plan(gemm(m=64, n=64)).stages == alone.stages + 16384 // slot
    assert alone.stages > teams.stages


def test_stages_follow_from_the_staging_slots():
    problem = stored(n=256)
    for slots, stages in ((0, 3), (1, 4), (2, 4), (3, 3), (5, 3), (6, 2)):
        result = plan(problem, epilogue_slots=slots)
        assert (result.epilogue_slots, result.stages) == (slots, stages)
        outside = problem.bytes_outside_ring(2, Slices(0, 0, slots))
        used = result.stages * problem.ring_slot_bytes + outside
        assert used + limits.SHARED_RESERVE_BYTES <= TARGET.shared_memory_bytes


@pytest.mark.parametrize(("slot", "slots", "stages"), [(100, 1, 2), (110, 2, 1), (88, 2, 2)])
def test_one_staging_slot_is_enough_where_another_one_costs_a_stage(slot, slots, stages):
    """232448 bytes hold 2 slots of 100 KiB next to 16 KiB, but not next to 32 KiB."""
    result = plan(replace(stored(), ring_slot_bytes=slot << 10))
    assert (result.epilogue_slots, result.stages) == (slots, stages)


def test_an_operand_in_registers_takes_the_registers_of_the_producer():
    """128 of the result, 40 of scores and 20 of weights; of deeper tiles nothing is held."""
    scores = MmaTile(128, 80, 256, 2, 4, also_live=((128, 256, 4),))
    result = MmaTile(128, 256, 80, 2, 4, also_live=((128, 80, 4),))
    held = replace(gemm(n=256), mma=(scores, replace(result, holds_a=True)))
    assert (held.operand_registers(2), held.registers_hold_a) == (20, False)
    assert plan(held).consumer_registers == 240
    assert "168 hold accumulators, 20 an operand" in plan(held).reasons[-1]
    assert plan(replace(held, mma=(scores, result))).consumer_registers == 232


def test_reasons_name_the_staging_slots():
    assert "epilogue_slots = 2: one is filled while TMA reads the other" in plan(stored()).reasons
    assert "epilogue_slots = 3: fixed by the user" in plan(stored(), epilogue_slots=3).reasons
    assert "epilogue_slots = 0: fixed by the user" in plan(gemm(), epilogue_slots=0).reasons
    assert plan(gemm()).epilogue_slots == 0
    assert not any("epilogue_slots" in reason for reason in plan(gemm()).reasons)
    assert any("fit next to 32768 other bytes" in reason for reason in plan(stored()).reasons)


def test_staging_slots_beyond_shared_memory():
    code, message = failure(stored(n=256), stages=4, epilogue_slots=3)
    assert code == "T0424"
    assert "4 stages of 49152 bytes, 49152 bytes outside of the ring" in message
    code, message = failure(stored(stores=4, n=256), epilogue_slots=8)
    assert code == "T0424"
    assert "needs 524288 bytes of shared memory outside of loops" in message


def test_one_consumer_for_64_rows():
    result = plan(gemm(m=64))
    assert (result.consumers, result.block_threads) == (1, 256)
    assert (result.producer_registers, result.consumer_registers) == (40, 240)


@pytest.mark.parametrize("n", [64, 80, 192, 200])
def test_three_consumers_for_192_rows(n):
    result = plan(gemm(m=192, n=n))
    assert (result.consumers, result.block_threads) == (3, 512)
    assert (result.producer_registers, result.consumer_registers) == (32, 160)


@pytest.mark.parametrize("n", [208, 256])
def test_two_consumers_share_the_columns_of_wide_192_row_tiles(n):
    """64x208 needs 130 registers, and 512 threads have 128 at entry."""
    result = plan(gemm(m=192, n=n))
    assert (result.consumers, result.block_threads) == (2, 384)
    assert "consumers = 2: 192 rows for all of them, columns shared" in result.reasons


def test_two_consumers_share_the_columns_of_what_is_too_large_for_one():
    assert plan(gemm(m=64, n=256)).consumers == 1
    assert plan(gemm(m=64, n=512)).consumers == 2
    code, message = failure(gemm(m=64, n=512), consumers=1)
    assert code == "T0423"
    assert "takes 256 registers a thread of 1 consumer warpgroup" in message


def test_consumers_that_the_user_fixes_may_share_columns():
    assert plan(gemm(m=64, n=256), consumers=2).consumers == 2
    code, message = failure(gemm(m=64, n=72), consumers=2)
    assert (code, "nor the columns into multiples of 8" in message) == ("T0421", True)


def test_small_slots_get_more_stages():
    assert plan(gemm(m=64, n=16, k=32)).stages == limits.MAX_STAGES == 16


def test_heavy_accumulators_get_more_registers():
    result = plan(gemm(n=416))
    assert (result.producer_registers, result.consumer_registers) == (24, 240)


def test_without_loop_loads_there_is_no_producer():
    result = plan(replace(gemm(), ring_slot_bytes=0, fixed_bytes=32768))
    assert (result.specialize, result.stages, result.consumer_registers) == (False, 1, 0)
    assert result.block_threads == 256


def test_consumers_split_every_mma():
    problem = gemm()
    both = replace(problem, mma=(*problem.mma, MmaTile(64, 64, 64, 2, 4)))
    assert plan(both).consumers == 1


@pytest.mark.parametrize(
    ("elements", "warps"), [(16, 4), (4096, 4), (8192, 4), (8193, 8), (32768, 16), (65536, 16)]
)
def test_worker_warps_hold_at_most_64_elements_a_thread(elements, warps):
    result = plan(tiles(elements))
    assert (result.worker_warps, result.block_threads) == (warps, 32 * warps)
    assert (result.consumers, result.specialize, result.stages) == (0, False, 1)


@pytest.mark.parametrize(("size", "warps"), [(32768, 4), (32769, 8), (131072, 16), (262144, 16)])
def test_worker_warps_hold_at_most_256_bytes_of_sums_a_thread(size, warps):
    assert plan(replace(tiles(), product_bytes=size)).worker_warps == warps


def test_loops_without_mma_get_a_producer_role():
    result = plan(tiles(slot=16384))
    assert (result.specialize, result.producer_registers) == (True, 0)


def test_memory_bound_loops_get_a_short_ring():
    assert plan(tiles(slot=16384)).stages == 4
    # Two CTAs on an SM share the bytes in flight.
    assert plan(tiles(slot=4096)).stages == 8
    assert plan(tiles(slot=4096), blocks_per_sm=1).stages == 16
    assert plan(tiles(slot=32768)).stages == 2
    # Without a producer, threads wait for each load before they ask for the next one.
    assert plan(tiles(slot=16384), specialize=False).stages == 1


def test_reasons_name_every_decision():
    text = "\n".join(plan(gemm()).reasons)
    assert "persistent = true: loads of the next tile overlap the epilogue" in text
    assert "tile_group = 16: rows of tiles" in text
    text = "\n".join(plan(gemm(), specialize=False).reasons)
    assert "persistent = false: no producer warp" in text
    assert "tile_group = 0: row-major order" in text
    text = "\n".join(plan(gemm(), persistent=False, tile_group=4).reasons)
    assert "persistent = false: fixed by the user" in text
    assert "tile_group = 4: fixed by the user" in text


def test_reasons_count_elements():
    assert "worker_warps = 4: 1 element of the largest tile a thread" in plan(tiles(128)).reasons
    assert "worker_warps = 4: 2 elements of the largest tile a thread" in plan(tiles(256)).reasons
    assert not any("tile_group" in reason for reason in plan(tiles()).reasons)


def test_overrides_win():
    result = plan(
        gemm(), stages=2, cluster=(2, 1), consumers=1, producer_registers=24, consumer_registers=248
    )
    assert (result.stages, result.cluster, result.consumers) == (2, (2, 1), 1)
    assert (result.producer_registers, result.consumer_registers) == (24, 248)
    assert sum("fixed by the user" in reason for reason in result.reasons) == 3
    assert plan(gemm(), specialize=False).block_threads == 256
    assert plan(gemm(m=192), consumers=3).block_threads == 512
    assert plan(gemm(), cluster=2).cluster == (2, 1)
    assert plan(gemm(), cluster=(2,)).cluster == (2, 1)
    assert plan(tiles(), worker_warps=12).worker_warps == 12


def test_the_cluster_that_was_planned_with_the_tiles():
    problem = replace(gemm(), cluster=(1, 2))
    result = plan(problem)
    assert result.cluster == (1, 2)
    reason = "cluster = 1 x 2: its CTAs share tiles, each of which is read from L2 once"
    assert reason in result.reasons
    assert plan(problem, specialize=False).cluster == (1, 1)
    result = plan(problem, cluster=(1, 1))
    assert result.cluster == (1, 1)
    assert "cluster = 1 x 1: fixed by the user" in result.reasons
    assert not any("cluster" in item for item in plan(gemm()).reasons)


@pytest.mark.parametrize(
    ("override", "code", "message"),
    [
        ({"stage": 4}, "T0420", "no field 'stage'"),
        ({"stages": 0}, "T0421", "stages = 0: expected 1 to 32"),
        ({"stages": "9"}, "T0421", "stages = '9': expected 1 to 32"),
        ({"cluster": 1.5}, "T0421", "cluster = 1.5: expected two extents"),
        ({"cluster": None}, "T0421", "cluster = None: expected two extents"),
        ({"stages": True}, "T0421", "stages = True"),
        ({"stages": (4,)}, "T0421", "expected 1 to 32"),
        ({"cluster": (4, 4)}, "T0421", "product is at most 8"),
        ({"cluster": (0, 1)}, "T0421", "two extents"),
        ({"cluster": (1, 1, 1)}, "T0421", "two extents"),
        ({"specialize": 2}, "T0421", "true or false"),
        ({"consumers": 4}, "T0421", "1 to 3"),
        ({"consumers": 3}, "T0421", "128 rows do not split into 3 parts"),
        ({"producer_registers": 30}, "T0421", "24 to 256 in steps of 8"),
        ({"worker_warps": 4}, "T0421", "does not apply to a kernel with mma"),
        ({"stream_tail": True}, "T0421", "stream_tail does not apply to a kernel with mma"),
        ({"epilogue_slots": 9}, "T0421", "epilogue_slots = 9: expected 0 to 8"),
        ({"epilogue_slots": True}, "T0421", "epilogue_slots = True"),
        ({"epilogue_slots": 2}, "T0421", "no store of the kernel can be cut into parts"),
        ({"specialize": False, "consumer_registers": 240}, "T0421", "need specialize = true"),
        ({"stages": 8}, "T0424", "8 stages of 32768 bytes, 0 bytes outside"),
        (
            {"consumer_registers": 160},
            "T0425",
            "consumer_registers = 160: a consumer has 168 or more",
        ),
        (
            {"producer_registers": 80, "consumer_registers": 224},
            "T0425",
            "80 + 2 x 224 = 528 exceed the 504 that 384 threads have at entry (168 each)",
        ),
    ],
)
def test_impossible_overrides(override, code, message):
    found = failure(gemm(), **override)
    assert found[0] == code
    assert message in found[1]


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ({"consumers": 2}, "does not apply to a kernel without mma"),
        ({"specialize": True}, "no loads in a loop for a producer warp"),
        ({"stages": 3}, "no loads in a loop"),
        ({"worker_warps": 6}, "multiple of 4"),
        ({"epilogue_slots": 1}, "epilogue_slots = 1: no store of the kernel can be cut into parts"),
        ({"pingpong": True}, "pingpong = true: the kernel has no mma"),
    ],
)
def test_overrides_that_a_kernel_without_mma_does_not_have(override, message):
    problem = replace(tiles(), why_not_pingpong="the kernel has no mma")
    code, text = failure(problem, **override)
    assert code == "T0421"
    assert message in text


@pytest.mark.parametrize(
    ("problem", "code", "message"),
    [
        (gemm(m=32), "T0422", "mma of 32 x 128 x 64 is not made of wgmma"),
        (gemm(n=20), "T0422", "N of 8"),
        (gemm(k=8), "T0422", "K of 16"),
        (gemm(n=448), "T0423", "takes 224 registers a thread of 2 consumer warpgroups"),
        (gemm(fixed_bytes=300_000), "T0424", "needs 300000 bytes of shared memory outside"),
        (gemm(k=1024), "T0424", "1 stage of 524288 bytes"),
        (replace(gemm(), fixed_bytes=230_000), "T0424", "232448 are available"),
    ],
)
def test_what_does_not_fit(problem, code, message):
    found = failure(problem)
    assert found[0] == code
    assert message in found[1]


def test_a_producer_needs_loads_in_a_loop():
    problem = replace(gemm(), ring_slot_bytes=0)
    assert failure(problem, specialize=True)[0] == "T0421"


def test_wide_instructions_do_not_fit_512_threads():
    code, message = failure(gemm(m=192, n=208), consumers=3)
    assert code == "T0423"
    assert "needs 130 registers, but each of 512 threads has 128 at kernel entry" in message


@pytest.mark.parametrize(("threads", "expected"), [(256, 255), (384, 168), (512, 128), (128, 255)])
def test_entry_registers(threads, expected):
    assert entry_registers(threads, TARGET) == expected


@pytest.mark.parametrize(
    ("consumers", "accumulators"), list(itertools.product((1, 2, 3), (0, 208)))
)
def test_planned_registers_obey_the_sum_rule(consumers, accumulators):
    roles = role_registers(consumers, accumulators, TARGET)
    assert exceeds_pool(roles, consumers, TARGET) is None
    for count in (roles.producer, roles.consumer):
        assert limits.MIN_REGISTERS <= count <= limits.MAX_REGISTERS
        assert count % limits.REGISTER_STEP == 0


def test_the_reported_deadlock_is_found():
    """224 + 224 + 80 on 384 threads waits forever."""
    assert exceeds_pool(RoleRegisters(80, 224), 2, TARGET) is not None


@pytest.mark.parametrize("m", [64, 128, 192, 256])
@pytest.mark.parametrize("n", [16, 64, 128])
def test_every_plan_fits_shared_memory(m, n):
    problem = gemm(m=m, n=n, fixed_bytes=16384)
    result = plan(problem)
    used = result.stages * problem.ring_slot_bytes + problem.fixed_bytes
    assert used + limits.SHARED_RESERVE_BYTES <= TARGET.shared_memory_bytes
    assert result.stages >= 3
