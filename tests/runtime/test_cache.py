"""The disk cache: keys, atomicity, damage, size."""

import os

import pytest

from tilec.request.specialization import ArraySpec, Specialization
from tilec.runtime.cache import DiskCache, cache_directory, cache_key


def test_a_key_separates_what_differs():
    base = Specialization(arrays={"A": ArraySpec("bf16", (None, 1))}, constants={"BM": 1})
    others = [
        Specialization(arrays={"A": ArraySpec("bf16", (None, 1), False)}, constants={"BM": 1}),
        Specialization(arrays={"A": ArraySpec("bf16", (1, None))}, constants={"BM": 1}),
        Specialization(arrays={"A": ArraySpec("bf16", (None, 1))}, constants={"BM": 1.0}),
        Specialization(arrays={"A": ArraySpec("bf16", (None, 1))}, constants={"BM": True}),
        Specialization(arrays={"A": ArraySpec("bf16", (None, 1))}, constants={"BN": 1}),
    ]
    keys = [cache_key(["text", "mm", item]) for item in [base, *others]]
    assert len(set(keys)) == len(keys)
    assert cache_key(["a", "bc"]) != cache_key(["ab", "c"])


def test_a_key_does_not_depend_on_the_order_of_mappings():
    assert cache_key([{"a": 1, "b": 2}]) == cache_key([{"b": 2, "a": 1}])


def test_round_trip(tmp_path):
    cache = DiskCache(tmp_path)
    assert cache.read("ab" * 32) is None
    cache.write("ab" * 32, b"data")
    assert cache.read("ab" * 32) == b"data"
    assert [path.name for path in tmp_path.rglob("*.tmp")] == []


@pytest.mark.parametrize("damage", [b"", b"short", b"\0" * 40])
def test_a_damaged_entry_is_dropped(tmp_path, damage):
    cache = DiskCache(tmp_path)
    cache.write("ab" * 32, b"data")
    (path,) = tmp_path.rglob("*.tilecache")
    path.write_bytes(damage)
    assert cache.read("ab" * 32) is None
    assert not path.exists()
    cache.write("ab" * 32, b"data")
    assert cache.read("ab" * 32) == b"data"


def test_the_least_recently_used_entries_go_first(tmp_path):
    cache = DiskCache(tmp_path, limit=400)
    keys = [f"{number:02d}" * 32 for number in range(3)]
    for age, key in enumerate(keys):
        cache.write(key, b"x" * 100)
        os.utime(cache._path(key), (age, age))
    assert cache.read(keys[0]) is not None
    cache.write("ff" * 32, b"x" * 100)
    assert cache.read(keys[1]) is None
    assert cache.read(keys[0]) is not None
    assert cache.read("ff" * 32) is not None


def test_a_cache_that_cannot_be_written_is_silent(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = DiskCache(blocked)
    cache.write("ab" * 32, b"data")
    assert cache.read("ab" * 32) is None
    DiskCache(tmp_path / "off", limit=0).write("ab" * 32, b"data")
    assert not (tmp_path / "off").exists()


def test_the_suite_leaves_the_cache_of_the_user_as_it_is(tmp_path_factory):
    own = tmp_path_factory.getbasetemp()
    assert cache_directory().parent in (own, own.parent)
