"""Overlap of strided arrays against brute force over byte sets."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tilec.runtime.args.aliasing import Footprint, Overlap, byte_range, overlap


def touched(array: Footprint) -> set[int]:
    addresses = {array.base}
    for extent, stride in zip(array.shape, array.strides, strict=True):
        addresses = {address + i * stride for address in addresses for i in range(extent)}
    return {address + byte for address in addresses for byte in range(array.item_bytes)}


@st.composite
def footprints(draw):
    rank = draw(st.integers(0, 3))
    shape = tuple(draw(st.integers(0, 5)) for _ in range(rank))
    strides = tuple(draw(st.integers(-24, 24)) for _ in range(rank))
    return Footprint(draw(st.integers(200, 300)), shape, strides, draw(st.sampled_from([1, 2, 4])))


@settings(max_examples=400, deadline=None)
@given(footprints(), footprints())
def test_exact_for_small_arrays(a, b):
    expected = Overlap.SHARED if touched(a) & touched(b) else Overlap.NONE
    if a == b and not a.is_empty:
        expected = Overlap.SAME
    assert overlap(a, b) is expected
    assert overlap(b, a) is expected


@settings(max_examples=100, deadline=None)
@given(footprints(), footprints(), st.integers(0, 3))
def test_a_small_budget_never_gives_a_wrong_answer(a, b, budget):
    answer = overlap(a, b, budget)
    if answer is not Overlap.UNKNOWN:
        assert (answer is not Overlap.NONE) == bool(touched(a) & touched(b))


@settings(max_examples=100, deadline=None)
@given(footprints())
def test_byte_range_is_tight(a):
    if a.is_empty:
        return
    low, high = byte_range(a.shape, a.strides, a.item_bytes)
    assert (a.base + low, a.base + high) == (min(touched(a)), max(touched(a)) + 1)


def test_the_same_array():
    a = Footprint(0, (64, 32), (128, 4), 4)
    assert overlap(a, Footprint(0, (64, 32), (128, 4), 4)) is Overlap.SAME
    assert overlap(a, Footprint(0, (64, 31), (128, 4), 4)) is Overlap.SHARED
    assert overlap(Footprint(0, (0, 32), (128, 4), 4), Footprint(0, (0, 32), (128, 4), 4)) is (
        Overlap.NONE
    )


def test_disjoint_ranges():
    a = Footprint(0, (16,), (4,), 4)
    assert overlap(a, Footprint(64, (16,), (4,), 4)) is Overlap.NONE
    assert overlap(a, Footprint(60, (16,), (4,), 4)) is Overlap.SHARED


def test_column_halves_of_a_matrix_do_not_overlap():
    left = Footprint(0, (8192, 4096), (16384, 2), 2)
    right = Footprint(8192, (8192, 4096), (16384, 2), 2)
    assert overlap(left, right) is Overlap.NONE
    assert overlap(left, Footprint(8190, (8192, 4096), (16384, 2), 2)) is Overlap.SHARED


def test_even_and_odd_elements_do_not_overlap():
    assert overlap(Footprint(0, (999,), (8,), 4), Footprint(4, (999,), (8,), 4)) is Overlap.NONE


def test_transposed_view_overlaps_its_base():
    a = Footprint(0, (64, 32), (128, 4), 4)
    assert overlap(a, Footprint(0, (32, 64), (4, 128), 4)) is Overlap.SHARED


def test_broadcast_and_reversed_views():
    base = Footprint(0, (64, 32), (128, 4), 4)
    assert overlap(base, Footprint(124, (64, 8), (0, -4), 4)) is Overlap.SHARED
    assert overlap(base, Footprint(64 * 128, (64, 8), (0, 4), 4)) is Overlap.NONE


def test_strides_that_defeat_the_search_are_reported_as_unknown():
    a = Footprint(0, (997, 991, 983, 977), (10007, 10009 * 3, 10037 * 7, 10039 * 11), 1)
    b = Footprint(1, (997, 991, 983, 977), (10061, 10067 * 3, 10069 * 7, 10079 * 11), 1)
    assert overlap(a, b, budget=1) is Overlap.UNKNOWN


def test_no_element_overlaps_nothing():
    assert overlap(Footprint(0, (0, 8), (32, 4), 4), Footprint(0, (8,), (4,), 4)) is Overlap.NONE
