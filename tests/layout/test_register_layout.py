"""Properties of register layouts, against brute force over all registers and threads."""

from collections import Counter
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilec.layout import (
    LayoutError,
    Mode,
    Owner,
    RegisterLayout,
    blocked,
    choose_blocked,
    wgmma_a_fragment,
    wgmma_accumulator,
)

POWERS = st.sampled_from([1, 2, 4, 8, 16, 32, 64])
ANY_EXTENT = st.sampled_from([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 192])


def shapes(extents):
    return st.lists(extents, min_size=1, max_size=4).filter(lambda s: prod(s) <= 4096).map(tuple)


@st.composite
def blocked_layouts(draw, extents=POWERS):
    shape = draw(shapes(extents))
    warps = draw(st.sampled_from([1, 2, 3, 4, 8, 12, 16]))
    order = draw(st.permutations(range(len(shape))))
    return blocked(shape, warps, draw(st.sampled_from([1, 2, 4, 8])), order)


FRAGMENTS = st.sampled_from(
    [
        wgmma_accumulator(64, 8, 1),
        wgmma_accumulator(128, 24, 2),
        wgmma_accumulator(192, 16, 3),
        wgmma_accumulator(128, 32, 1),
        wgmma_a_fragment((64, 8, 64), 8, 1),
        wgmma_a_fragment((128, 8, 16), 32, 2),
    ]
)
LAYOUTS = st.one_of(blocked_layouts(), blocked_layouts(ANY_EXTENT), FRAGMENTS)


def table(layout):
    """Return {(register, thread): coordinate} from the modes alone, digit by digit."""
    result = {}
    for register, thread in product(range(layout.num_registers), range(layout.num_threads)):
        ids = {
            Owner.REG: register,
            Owner.LANE: thread % 32,
            Owner.WARP: thread // 32 % 4,
            Owner.WARPGROUP: thread // 128,
        }
        coords = [0] * len(layout.shape)
        for mode in layout.modes:
            ids[mode.owner], digit = divmod(ids[mode.owner], mode.extent)
            coords = [c + digit * s for c, s in zip(coords, mode.stride, strict=True)]
        result[register, thread] = tuple(coords)
    return result


@given(LAYOUTS)
def test_every_element_is_held_equally_often(layout):
    counts = Counter(table(layout).values())
    assert set(counts) == set(product(*map(range, layout.shape)))
    assert set(counts.values()) == {layout.replication}
    assert layout.is_injective
    assert layout.is_surjective


@given(LAYOUTS)
def test_coordinates_terms_and_offsets_agree_with_the_modes(layout):
    expected = table(layout)
    offsets = layout.register_offsets()
    assert len(offsets) == layout.num_registers
    for register, thread in list(expected)[:: max(1, len(expected) // 500)]:
        assert layout.coordinates(register, thread) == expected[register, thread]
        total = list(offsets[register])
        ids = {Owner.LANE: thread % 32, Owner.WARP: thread // 32 % 4}
        ids[Owner.WARPGROUP] = thread // 128
        for term in layout.thread_terms():
            digit = ids[term.owner] // term.divisor % term.extent
            total = [a + digit * s for a, s in zip(total, term.stride, strict=True)]
        assert tuple(total) == expected[register, thread]


@given(LAYOUTS)
def test_threads_with_zero_replica_digits_hold_each_element_once(layout):
    def is_writer(thread):
        ids = {Owner.LANE: thread % 32, Owner.WARP: thread // 32 % 4}
        ids[Owner.WARPGROUP] = thread // 128
        return all(
            ids[term.owner] // term.divisor % term.extent == 0 for term in layout.replica_terms()
        )

    held = [coords for (_, thread), coords in table(layout).items() if is_writer(thread)]
    assert sorted(held) == sorted(product(*map(range, layout.shape)))


@given(LAYOUTS)
def test_text_round_trip(layout):
    assert RegisterLayout.from_text(layout.to_text()) == layout
    assert hash(RegisterLayout.from_text(str(layout))) == hash(layout)


@given(LAYOUTS, st.data())
def test_permute(layout, data):
    permutation = data.draw(st.permutations(range(layout.rank)))
    moved = layout.permute(permutation)
    expected = {
        key: tuple(coords[axis] for axis in permutation) for key, coords in table(layout).items()
    }
    assert table(moved) == expected
    inverse = [permutation.index(axis) for axis in range(layout.rank)]
    assert moved.permute(inverse) == layout


def flat_index(shape, coords):
    index = 0
    for extent, coord in zip(shape, coords, strict=True):
        index = index * extent + coord
    return index


@st.composite
def reshapes(draw, layout):
    """Return another factorisation of the element count of `layout`."""
    factors, rest = [], layout.num_elements
    while rest > 1:
        prime = next(p for p in range(2, rest + 1) if rest % p == 0)
        factors.append(prime)
        rest //= prime
    factors = draw(st.permutations(factors))
    shape = [1] * draw(st.integers(1, 4))
    for factor in factors:
        shape[draw(st.integers(0, len(shape) - 1))] *= factor
    return tuple(shape)


def check_reshape(layout, shape):
    moved = layout.reshape(shape)
    before, after = table(layout), table(moved)
    for key, coords in before.items():
        assert flat_index(layout.shape, coords) == flat_index(shape, after[key])
    assert moved.reshape(layout.shape) == layout


@given(blocked_layouts(), st.data())
def test_reshape_of_powers_of_two_always_works(layout, data):
    check_reshape(layout, data.draw(reshapes(layout)))


@given(LAYOUTS, st.data())
def test_reshape_is_exact_or_refused(layout, data):
    shape = data.draw(reshapes(layout))
    try:
        layout.reshape(shape)
    except LayoutError:
        return
    check_reshape(layout, shape)


@given(LAYOUTS, st.data())
def test_expand_dims(layout, data):
    axis = data.draw(st.integers(0, layout.rank))
    wide = layout.expand_dims(axis)
    assert wide.shape == (*layout.shape[:axis], 1, *layout.shape[axis:])
    assert wide.reshape(layout.shape) == layout


def test_reshape_refuses_what_is_not_linear():
    layout = blocked((4, 3), 1, 1, (0, 1))
    with pytest.raises(LayoutError, match="element counts"):
        layout.reshape((5, 3))
    with pytest.raises(LayoutError):
        layout.reshape((3, 4))


@given(LAYOUTS, st.data())
def test_broadcast_source(layout, data):
    keep = [data.draw(st.booleans()) for _ in layout.shape]
    small = tuple(e if k else 1 for e, k in zip(layout.shape, keep, strict=True))
    source, register_map = layout.broadcast_source(small)
    assert source.shape == small
    assert source.is_surjective
    assert sorted(set(register_map)) == list(range(source.num_registers))
    held = table(source)
    for (register, thread), coords in table(layout).items():
        projected = tuple(c if e > 1 else 0 for c, e in zip(coords, small, strict=True))
        assert held[register_map[register], thread] == projected


@given(LAYOUTS, st.data())
def test_drop_axis_and_reduction_terms(layout, data):
    axis = data.draw(st.integers(0, layout.rank - 1))
    reduced, register_map = layout.drop_axis(axis)
    held = table(reduced)
    for (register, thread), coords in table(layout).items():
        rest = coords[:axis] + coords[axis + 1 :]
        assert held[register_map[register], thread] == rest
    partners = prod(term.extent for term in layout.reduction_terms(axis))
    per_thread = layout.num_registers // reduced.num_registers
    assert partners * per_thread == layout.shape[axis]


def test_broadcast_source_checks_the_shape():
    with pytest.raises(LayoutError, match="does not broadcast"):
        wgmma_accumulator(64, 8, 1).broadcast_source((64, 4))


@given(LAYOUTS, st.data(), st.sampled_from([1, 2, 4, 8, 16]))
def test_vector_width_is_the_largest_that_fits_the_definition(layout, data, limit):
    axis = data.draw(st.integers(0, layout.rank - 1))
    held = table(layout)

    def fits(width):
        if layout.num_registers % width:
            return False
        for start in range(0, layout.num_registers, width):
            for thread in range(layout.num_threads):
                first = held[start, thread]
                if first[axis] % width:
                    return False
                for index in range(width):
                    moved = list(first)
                    moved[axis] += index
                    if held[start + index, thread] != tuple(moved):
                        return False
        return True

    width = layout.vector_width(axis, limit)
    assert width == max(v for v in (1, 2, 4, 8, 16) if v <= limit and fits(v))
    groups = layout.access_groups(axis, width)
    assert [register for group in groups for register in group] == list(range(layout.num_registers))


def test_access_groups_refuse_too_wide_vectors():
    with pytest.raises(LayoutError, match="no accesses of 4"):
        wgmma_accumulator(64, 8, 1).access_groups(1, 4)


@given(LAYOUTS, st.data())
def test_equal_maps_are_equal_layouts(layout, data):
    split = []
    for mode in layout.modes:
        divisors = [d for d in range(1, mode.extent + 1) if mode.extent % d == 0]
        low = data.draw(st.sampled_from(divisors))
        split.append(Mode(mode.owner, low, mode.stride))
        high = tuple(s * low for s in mode.stride)
        split.append(Mode(mode.owner, mode.extent // low, high))
    owners = data.draw(st.permutations(list(Owner)))
    shuffled = [mode for owner in owners for mode in split if mode.owner is owner]
    assert RegisterLayout(layout.shape, shuffled) == layout


@pytest.mark.parametrize(
    ("shape", "modes", "message"),
    [
        ((8,), [Mode(Owner.LANE, 32, (1,))], "leaves the tile"),
        ((8,), [Mode(Owner.LANE, 3, (1,))], "do not divide 32"),
        ((8,), [Mode(Owner.REG, 0, (1,))], "bad mode"),
        ((8,), [Mode(Owner.REG, 2, (1, 1))], "bad mode"),
        ((8,), [Mode(Owner.REG, 2, (-1,))], "bad mode"),
        ((8,), [Mode(Owner.WARP, 8, (1,))], "warpgroup has 4 warps"),
        ((8,), [Mode(Owner.WARP, 3, (1,)), Mode(Owner.WARPGROUP, 2, (3,))], "do not divide 4"),
    ],
)
def test_impossible_modes_are_refused(shape, modes, message):
    with pytest.raises(LayoutError, match=message):
        RegisterLayout(shape, modes)


def test_missing_threads_are_replicated():
    layout = RegisterLayout((2,), [Mode(Owner.WARPGROUP, 2, (1,))])
    assert layout.num_threads == 256
    assert layout.replication == 128


def test_overlapping_and_incomplete_layouts_are_recognised():
    overlap = RegisterLayout((4,), [Mode(Owner.REG, 2, (1,)), Mode(Owner.LANE, 2, (1,))])
    assert not overlap.is_injective
    assert not overlap.is_surjective
    diagonal = RegisterLayout((4, 4), [Mode(Owner.REG, 4, (1, 1))])
    assert diagonal.is_injective
    assert not diagonal.is_surjective


def test_cta_modes_count_separately():
    layout = RegisterLayout((2, 32), [Mode(Owner.LANE, 32, (0, 1)), Mode(Owner.CTA, 2, (1, 0))])
    assert (layout.num_ctas, layout.num_threads) == (2, 32)
    assert layout.coordinates(0, 5, cta=1) == (1, 5)


@pytest.mark.parametrize("text", ["8|lanes:32*(1)", "8x|reg:2*(1)", "8|reg:2*1", "8|reg:", "a|"])
def test_malformed_text_is_refused(text):
    with pytest.raises(LayoutError, match="cannot parse"):
        RegisterLayout.from_text(text)


def test_rank_zero_tiles_have_one_element_in_every_thread():
    layout = choose_blocked((), 32, 4)
    assert layout.shape == ()
    assert layout.num_registers == 1
    assert layout.replication == 128
    assert RegisterLayout.from_text(layout.to_text()) == layout
