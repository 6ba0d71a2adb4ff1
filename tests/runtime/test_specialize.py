"""Facts that are compiled in, derived from arguments."""

from dataclasses import replace

import pytest

from tests.support.runtime_fakes import device_view
from tilec.runtime.args.aliasing import Overlap
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.args.specialize import (
    alias_groups,
    array_spec,
    find_overlaps,
    specialize,
)


def facts(shape, strides, pointer=1 << 20, dtype="bf16"):
    spec = array_spec(device_view(shape, dtype, pointer, strides))
    return spec.strides, spec.alignment


@pytest.mark.parametrize(
    ("shape", "strides", "expected"),
    [
        ((64, 128), (128, 1), ((None, 1), 16)),
        ((64, 128), (1, 64), ((1, None), 16)),
        ((64, 128), (129, 1), ((None, 1), 1)),
        ((64, 128), (256, 2), ((None, None), 1)),
        ((64, 128), (256, 8), ((None, None), 16)),
        # Rows of 8 and 4 bytes; without a unit stride there are no vectors.
        ((64, 128), (132, 1), ((None, 1), 8)),
        ((64, 128), (130, 1), ((None, 1), 4)),
        ((64, 128), (132, 2), ((None, None), 1)),
        ((4, 6, 8), (66, 12, 1), ((None, None, 1), 4)),
        # An axis of extent 1 matches any stride.
        ((64, 1), (1, 1), ((1, None), 16)),
        ((64, 1), (128, 7), ((None, 1), 16)),
        ((1, 128), (3, 1), ((None, 1), 16)),
        ((1, 1), (5, 5), ((None, 1), 16)),
        ((1, 64), (1, 2), ((None, None), 1)),
        # Zero and negative strides stay dynamic and rule TMA out.
        ((64, 128), (0, 1), ((None, 1), 8)),
        ((64, 128), (-128, 1), ((None, 1), 8)),
        ((64, 128), (128, -1), ((None, None), 1)),
        ((64, 128), (1, 0), ((1, None), 8)),
        # Windows over the same elements.
        ((10, 10), (1, 1), ((None, 1), 1)),
        ((100,), (1,), ((1,), 16)),
        ((100,), (2,), ((None,), 1)),
        ((4, 6, 8), (8, 32, 1), ((None, None, 1), 16)),
        # Nothing steps along the axes of an array without elements.
        ((64, 0), (1, 1), ((None, 1), 16)),
        ((0, 64), (65, 1), ((None, 1), 16)),
        ((0, 64), (1, 65), ((1, None), 16)),
        ((0, 64), (-3, 0), ((None, 1), 16)),
    ],
)
def test_strides_and_alignment(shape, strides, expected):
    assert facts(shape, strides) == expected


@pytest.mark.parametrize(
    ("dtype", "offset", "expected"),
    [
        ("bf16", 2, 1),
        ("bf16", 4, 4),
        ("bf16", 8, 8),
        ("bf16", 24, 8),
        ("bf16", 32, 16),
        ("f32", 4, 1),
        ("f32", 8, 8),
        ("f64", 8, 1),
        ("i8", 2, 1),
        ("i8", 12, 4),
    ],
)
def test_a_base_that_is_not_aligned(dtype, offset, expected):
    for shape, strides in (((100,), (1,)), ((64, 128), (128, 1))):
        assert facts(shape, strides, (1 << 20) + offset, dtype)[1] == expected


@pytest.mark.parametrize(
    ("columns", "pitch", "weights", "divisor"),
    [
        (100, 100, 100, 4),
        (96, 100, 100, 16),
        (102, 104, 104, None),
        (102, 102, 104, 2),
        (102, 108, 104, 2),
        (100, 101, 104, None),
        (100, 104, 104, None),
        (100, 102, 100, 4),
    ],
)
def test_a_dim_may_be_the_length_of_rows_of_vectors(columns, pitch, weights, divisor):
    """The rows of A have `pitch` elements of 2 bytes, those of B `weights`."""
    a = device_view((7, columns), "bf16", strides=(pitch, 1))
    b = device_view((9, columns), "bf16", pointer=1 << 22, strides=(weights, 1))
    axes = {"A": ("M", "K"), "B": (9, "K")}
    given = replace(bound(a, b, M=7, K=columns), axes=axes)
    assert specialize(given).divisors == ({} if divisor is None else {"K": divisor})


def test_alias_groups_are_connected_components():
    assert alias_groups([]) == {}
    assert alias_groups([("A", "B"), ("C", "D")]) == {"A": 0, "B": 0, "C": 1, "D": 1}
    assert alias_groups([("A", "B"), ("C", "D"), ("B", "C")]) == dict.fromkeys("ABCD", 0)
    assert alias_groups([("A", "C"), ("B", "D"), ("E", "B")]) == {
        "A": 0,
        "C": 0,
        "B": 1,
        "D": 1,
        "E": 1,
    }


def bound(a, b, **dims):
    return BoundArguments({"A": a, "B": b}, {}, {}, {"BM": 64}, {"T": "bf16"}, dims, 0)


def test_specialization():
    a = device_view((64, 100), "bf16", strides=(104, 1))
    b = device_view((64, 100), "bf16", pointer=1 << 22, strides=(104, 1))
    arguments = bound(a, b, M=64, K=100)
    spec = specialize(arguments, plan={"stages": 3})
    assert spec.divisors == {"M": 16}
    assert spec.sizes == {"M": 64, "K": 100}
    assert spec.constants == {"BM": 64}
    assert spec.dtypes == {"T": "bf16"}
    assert spec.plan == {"stages": 3}
    assert {item.alias_group for item in spec.arrays.values()} == {-1}
    merged = specialize(arguments, {("A", "B"): Overlap.SHARED})
    assert {item.alias_group for item in merged.arrays.values()} == {0}
    assert {item.same_as for item in merged.arrays.values()} == {""}


def test_one_array_twice():
    a = device_view((64, 100), "bf16")
    arguments = bound(a, a, M=64, K=100)
    spec = specialize(arguments, find_overlaps(arguments.arrays))
    assert {name: item.same_as for name, item in spec.arrays.items()} == {"A": "", "B": "A"}
    assert {item.alias_group for item in spec.arrays.values()} == {0}


def test_other_types_of_the_same_memory_are_other_arrays():
    arguments = bound(device_view((64,), "bf16"), device_view((64,), "f16"))
    spec = specialize(arguments, find_overlaps(arguments.arrays))
    assert {item.same_as for item in spec.arrays.values()} == {""}
    assert {item.alias_group for item in spec.arrays.values()} == {0}


def test_overlaps_are_found_in_bytes():
    a = device_view((64, 100), "bf16")
    assert find_overlaps({"A": a, "B": a})
    after = device_view((8,), "f32", pointer=a.pointer + 64 * 100 * 2)
    assert find_overlaps({"A": a, "B": after}) == {}
