"""Which arrays of a launch may overlap: what is checked first, and again when addresses change."""

import pytest

from tests.support.kernel_metadata import kernel_metadata
from tests.support.runtime_fakes import device_view
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.launch.pairs import check_pairs
from tilec.support.diagnostics import LaunchError


def bound(a=None, c=None):
    a = a or device_view((256, 128), "bf16", 1 << 20)
    c = c or device_view((256, 128), "bf16", 1 << 21)
    return BoundArguments({"A": a, "C": c}, {}, {}, {}, {}, {}, 0)


def checks(arguments=None, meta=None):
    return check_pairs([meta or kernel_metadata()], arguments or bound())


def accepts(pairs, pointers):
    return all(pair.accepts(pointers) for pair in pairs)


def pointers(arguments):
    return tuple(array.pointer for array in arguments.arrays.values())


def fails(**options):
    with pytest.raises(LaunchError) as caught:
        checks(**options)
    assert caught.value.diagnostics[0].code == "T0710"
    return str(caught.value)


def test_overlap_is_refused_by_name():
    message = fails(arguments=bound(c=device_view((256, 128), "bf16", (1 << 20) + 256)))
    assert "mm: A and C overlap in memory, and the kernel writes C" in message


def test_arrays_that_are_only_read_may_overlap():
    meta = kernel_metadata()
    meta["arrays"][1] = {**meta["arrays"][1], "access": "read"}
    checks(bound(c=device_view((256, 128), "bf16", 1 << 20)), meta)


def test_interleaved_columns_do_not_overlap():
    a = device_view((256, 64), "bf16", 1 << 20, (128, 1))
    c = device_view((256, 64), "bf16", (1 << 20) + 128, (128, 1))
    arguments = bound(a, c)
    pairs = checks(arguments)
    assert accepts(pairs, pointers(arguments))
    assert accepts(pairs, (1 << 24, (1 << 24) + 128))
    assert accepts(pairs, (1 << 24, 1 << 25))
    assert not accepts(pairs, (1 << 24, (1 << 24) + 64))


def merged():
    meta = kernel_metadata()
    meta["arrays"] = [{**item, "alias_group": 0} for item in meta["arrays"]]
    return meta


def test_a_variant_with_merged_alias_sets_takes_overlapping_arrays():
    arguments = bound(c=device_view((256, 128), "bf16", 1 << 20))
    pairs = checks(arguments, merged())
    assert accepts(pairs, pointers(arguments))
    # Arrays that are apart get a variant of their own.
    assert not accepts(pairs, (1 << 20, 1 << 22))


def same():
    meta = merged()
    meta["arrays"][1]["same_as"] = "A"
    return meta


def test_a_variant_for_one_array_takes_no_others():
    arguments = bound(c=device_view((256, 128), "bf16", 1 << 20))
    pairs = checks(arguments, same())
    assert accepts(pairs, (1 << 24, 1 << 24))
    assert not accepts(pairs, (1 << 24, (1 << 24) + 256))
    assert not accepts(pairs, (1 << 20, 1 << 22))


def test_another_array_is_refused_by_name():
    message = fails(meta=same())
    assert "mm: C is another array than A" in message


def test_a_merged_variant_takes_arrays_that_are_apart():
    arguments = bound()
    pairs = checks(arguments, merged())
    assert accepts(pairs, pointers(arguments))
    assert accepts(pairs, (1 << 20, 1 << 20))


def test_it_is_noticed_that_new_addresses_overlap():
    arguments = bound()
    pairs = checks(arguments)
    assert accepts(pairs, (1 << 20, (1 << 20) + 65536))
    assert not accepts(pairs, (1 << 20, (1 << 20) + 65534))
    assert not accepts(pairs, ((1 << 20) + 2, 1 << 20))
