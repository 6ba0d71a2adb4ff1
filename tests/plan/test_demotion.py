"""Which tiles threads move where shared memory does not hold them all."""

import pytest

from tilec.plan.demotion import TmaCopy, next_demotion, wants_stages
from tilec.plan.overrides import PlanOverrides

STORE = TmaCopy(4096, is_load=False)
LARGE_STORE = TmaCopy(8192, is_load=False, in_loop=True)
LOAD = TmaCopy(65536, is_load=True)
LOOPED = TmaCopy(16384, is_load=True, in_loop=True)
LARGE_LOOPED = TmaCopy(32768, is_load=True, in_loop=True)
OPERAND = TmaCopy(131072, is_load=True, in_loop=True, is_operand=True)
FREE = PlanOverrides()


def test_stores_go_first_then_loads_outside_of_loops_the_largest_of_each():
    left = [OPERAND, LOOPED, STORE, LOAD, LARGE_LOOPED, LARGE_STORE]
    given_up = []
    while (chosen := next_demotion(left, FREE)) is not None:
        left.remove(chosen)
        given_up.append(chosen)
    assert given_up == [LARGE_STORE, STORE, LOAD, LARGE_LOOPED, LOOPED]
    assert left == [OPERAND]


@pytest.mark.parametrize("copies", [[], [OPERAND]])
def test_operands_of_products_need_shared_memory_in_any_case(copies):
    assert next_demotion(copies, FREE) is None


def test_who_fixes_the_stages_keeps_the_ring():
    overrides = PlanOverrides(stages=4)
    assert next_demotion([LOOPED], overrides) is None
    assert next_demotion([LOOPED, LOAD], overrides) == LOAD
    assert next_demotion([LOOPED, STORE], overrides) == STORE


def test_a_ring_of_operands_wants_two_slots():
    assert wants_stages([OPERAND, STORE], 1, FREE)
    assert not wants_stages([OPERAND, STORE], 2, FREE)
    assert not wants_stages([LOOPED, STORE], 1, FREE), "no product reads what is loaded"
    assert not wants_stages([OPERAND, STORE], 1, PlanOverrides(stages=1))
    assert not wants_stages([OPERAND, STORE], 1, PlanOverrides(epilogue_slots=1))
