"""The room for scratch areas next to a ring, and what a slot less costs."""

import pytest

from tilec.plan import KernelProblem, MmaTile, machine, plan_kernel
from tilec.plan.model import ScratchRoom
from tilec.plan.scratch_room import scratch_room
from tilec.request.target import get_target

TARGET = get_target("sm_90a")
AVAILABLE = TARGET.shared_memory_bytes - machine.SHARED_RESERVE_BYTES
KIB = 1024


def product(m, n, k, scratch=lambda warps, room: 0):
    slot = (m + n) * k * 2
    return KernelProblem((MmaTile(m, n, k, 2, 4),), slot, 0, m * n, scratch_bytes=scratch)


def room_of(problem, outside, stages, teams=1):
    """Return the room next to a ring that has one."""
    room = scratch_room(problem, outside, stages, teams, TARGET)
    assert room is not None
    return room


def test_what_no_slot_takes_costs_nothing():
    problem = product(128, 256, 64)
    room = room_of(problem, 1000, 4)
    assert room.slot == problem.ring_slot_bytes == 48 * KIB
    assert room.free == AVAILABLE - 1000 - 4 * room.slot
    assert room.cycles(room.free) == 0
    assert room.cycles(room.free + 1) == room.cycles(room.free + room.slot) == room.slot_cycles
    assert room.cycles(room.free + room.slot + 1) == 2 * room.slot_cycles


def test_fewer_slots_than_fit_leave_more_room():
    problem = product(128, 256, 64)
    rooms = [room_of(problem, 0, stages) for stages in (2, 3, 4)]
    assert [room.free for room in rooms] == [AVAILABLE - stages * 48 * KIB for stages in (2, 3, 4)]


def test_each_team_has_an_area():
    problem = product(128, 256, 64)
    alone, shared = (room_of(problem, 0, 4, teams) for teams in (1, 2))
    assert (shared.free, shared.slot) == (alone.free // 2, alone.slot // 2)
    assert shared.slot_cycles == alone.slot_cycles


def test_of_the_last_slots_each_is_worth_more():
    """3 instead of 4 were measured; with one, every round waits until a tile has been copied."""
    cycles = [room_of(product(128, 256, 64), 0, stages).slot_cycles for stages in (4, 3, 2, 1)]
    assert cycles[0] == 550
    assert cycles == sorted(cycles)
    assert cycles[2] > machine.LOOP_ROUNDS * machine.COPY_CYCLES


def test_two_slots_hide_a_copy_behind_products_that_take_longer():
    long, short = (
        room_of(product(*tile), 0, 3).slot_cycles for tile in ((128, 256, 128), (128, 256, 64))
    )
    assert long == machine.RING_CYCLES / 2 - machine.RING_CYCLES / 3
    assert short > long


def test_only_a_ring_of_operands_has_a_price():
    assert scratch_room(KernelProblem((), 32768, 0, 4096), 0, 2, 1, TARGET) is None
    assert (
        scratch_room(KernelProblem((MmaTile(64, 64, 64, 2, 4),), 0, 0, 4096), 0, 1, 1, TARGET)
        is None
    )


def test_the_plan_says_what_is_left():
    asked = []

    def scratch(warps, room):
        asked.append(room)
        return 64 * KIB

    plan = plan_kernel(product(128, 256, 64, scratch), TARGET, {})
    (room,) = asked
    assert room.free == AVAILABLE - 4 * 48 * KIB
    assert plan.stages == 3
    assert plan.scratch_room is not None
    assert plan.scratch_room.free == AVAILABLE - 3 * 48 * KIB >= 64 * KIB
    assert plan.scratch_room.slot_cycles > room.slot_cycles


@pytest.mark.parametrize(("area", "slots"), [(0, 0), (100, 0), (101, 1), (300, 1), (301, 2)])
def test_slots_are_whole(area, slots):
    assert ScratchRoom(100, 200, 7).cycles(area) == 7 * slots
