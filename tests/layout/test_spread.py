"""Layouts of tiles that the CTAs of a cluster hold together."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilec.layout import RegisterLayout, choose_blocked
from tilec.layout.modes import Owner
from tilec.layout.reduction import reduction

SHAPES = st.lists(st.sampled_from([1, 2, 3, 4, 8, 24, 64, 96, 1024]), min_size=1, max_size=3)


def of_cta(layout: RegisterLayout, cta: int) -> set[tuple[int, ...]]:
    """Return the elements that a CTA holds."""
    places = product(range(layout.num_registers), range(layout.num_threads))
    return {layout.coordinates(register, thread, cta) for register, thread in places}


@given(SHAPES, st.sampled_from([1, 2, 4]), st.sampled_from([2, 4, 8]), st.sampled_from([8, 16, 32]))
def test_ctas_hold_equal_parts_or_all(shape, warps, ctas, bits):
    reduced = (len(shape) - 1,)
    layout = choose_blocked(shape, bits, warps, reduced=reduced, ctas=ctas)
    assert layout.num_ctas == ctas
    assert layout.is_surjective
    assert layout.is_injective
    assert RegisterLayout.from_text(layout.to_text()) == layout
    if layout.num_elements > 1 << 14:
        return
    parts = [of_cta(layout, cta) for cta in range(ctas)]
    if any(part != parts[0] for part in parts):
        assert sum(map(len, parts)) == layout.num_elements == len(set().union(*parts))
    else:
        assert len(parts[0]) == layout.num_elements


def test_a_part_is_laid_out_like_a_tile_of_its_size():
    whole = choose_blocked((1, 8192), 16, 4, ctas=8)
    part = choose_blocked((1, 1024), 16, 4)
    assert [mode for mode in whole.modes if mode.owner is not Owner.CTA] == list(part.modes)
    assert whole.coordinates(0, 0, 3) == (0, 3072)


def test_rows_are_shared_before_what_is_reduced():
    layout = choose_blocked((8, 1024), 32, 4, reduced=(1,), ctas=4)
    assert layout.coordinates(0, 0, 1) == (2, 0)
    assert not any(term.owner is Owner.CTA for term in layout.reduction_terms(1))


@pytest.mark.parametrize("shape", [(1,), (), (8,), (3, 5)])
def test_a_small_tile_is_held_by_every_cta(shape):
    layout = choose_blocked(shape, 32, 4, ctas=8)
    assert of_cta(layout, 7) == of_cta(layout, 0)


def test_what_ctas_reduce_together_is_the_same_in_all_of_them():
    layout = choose_blocked((2, 3 * 1024), 32, 1, reduced=(1,), ctas=8)
    result = reduction(layout, 1).result
    assert of_cta(result, 5) == of_cta(result, 0) == {(0,), (1,)}
