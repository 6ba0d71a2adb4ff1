"""Facts that are compiled in, derived from arguments."""

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
    return spec.strides, spec.aligned


@pytest.mark.parametrize(
    ("shape", "strides", "expected"),
    [
        ((64, 128), (128, 1), ((None, 1), True)),
        ((64, 128), (1, 64), ((1, None), True)),
        ((64, 128), (129, 1), ((None, 1), False)),
        ((64, 128), (256, 2), ((None, None), False)),
        ((64, 128), (256, 8), ((None, None), True)),
        # An axis of extent 1 matches any stride.
        ((64, 1), (1, 1), ((1, None), True)),
        ((64, 1), (128, 7), ((None, 1), True)),
        ((1, 128), (3, 1), ((None, 1), True)),
        ((1, 1), (5, 5), ((None, 1), True)),
        ((1, 64), (1, 2), ((None, None), False)),
        # Zero and negative strides stay dynamic and rule TMA out.
        ((64, 128), (0, 1), ((None, 1), False)),
        ((64, 128), (-128, 1), ((None, 1), False)),
        ((64, 128), (128, -1), ((None, None), False)),
        ((64, 128), (1, 0), ((1, None), False)),
        # Windows over the same elements.
        ((10, 10), (1, 1), ((None, 1), False)),
        ((100,), (1,), ((1,), True)),
        ((100,), (2,), ((None,), False)),
        ((4, 6, 8), (8, 32, 1), ((None, None, 1), True)),
        # Nothing steps along the axes of an array without elements.
        ((64, 0), (1, 1), ((None, 1), True)),
        ((0, 64), (65, 1), ((None, 1), True)),
        ((0, 64), (1, 65), ((1, None), True)),
        ((0, 64), (-3, 0), ((None, 1), True)),
    ],
)
def test_strides_and_alignment(shape, strides, expected):
    assert facts(shape, strides) == expected


def test_a_base_that_is_not_aligned():
    assert facts((64, 128), (128, 1), (1 << 20) + 2) == ((None, 1), False)
    assert facts((100,), (1,), (1 << 20) + 8) == ((1,), False)


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
