"""Damaged packages and cache entries: diagnostics, and no more memory than is allowed."""

import hashlib
import io
import os
import random
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest

import tilec
from tests.support.runtime_fakes import FakeArray
from tilec.codegen import archive
from tilec.codegen.package import package_bytes, parse_package
from tilec.runtime.cache import DiskCache
from tilec.runtime.cache_entry import pack_entry, unpack_entry
from tilec.support.diagnostics import CompileError, TileError, remark
from tools.fuzz_inputs.packages import (
    KINDS,
    MANIFEST,
    archive_of,
    damaged_archive,
    members_of,
    replace_file,
)

ROOT = Path(__file__).resolve().parents[2]
SEEDS = 40
SOURCES = {
    "copy_2d": ({}, ["<f4", "<f4"], {}),
    "matmul": ({"BM": 128, "BN": 128, "BK": 64}, ["<f2", "<f2", "<f2"], {"split_k": 4}),
}
"""By kernel: constants, element types of the arrays, fields of the plan."""


@pytest.fixture(scope="module", params=list(SOURCES))
def package(request):
    """Name, contents and element types of the arrays of a package."""
    constants, types, plan = SOURCES[request.param]
    text = (ROOT / "examples" / f"{request.param}.tile").read_text()
    made = tilec.compile(text.replace("bf16", "f16"), constants=constants, plan=plan)
    artifacts = [variant.artifact for item in made for variant in item.variants]
    return request.param, package_bytes(artifacts), types


def use(path, types):
    """Do with a package what people do."""
    loaded = tilec.load_package(path)
    for kernel in loaded:
        for variant in kernel.variants:
            assert isinstance(variant.ptx, str)
            assert variant.registers >= 0
            assert variant.shared_bytes >= 0
            assert variant.plan is not None
        kernel(*[FakeArray((256, 256), item, at << 20) for at, item in enumerate(types, 1)])
    loaded.save(path.with_suffix(".again"))


@pytest.mark.parametrize("block", range(8))
def test_a_damaged_package_is_a_diagnostic_or_works(package, block, tmp_path, gpu):
    _, data, types = package
    path = tmp_path / "k.tilepkg"
    for seed in range(block * SEEDS, (block + 1) * SEEDS):
        path.write_bytes(damaged_archive(data, random.Random(seed)))
        try:
            use(path, types)
        except TileError:
            continue
        except BaseException as failure:
            failure.add_note(f"seed {seed}")
            raise


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_none(package, kind, tmp_path):
    path = tmp_path / "k.tilepkg"
    path.write_bytes(package[1])
    replace_file(path, kind)
    if kind == "forbidden" and os.geteuid() == 0:  # who may read what nobody may
        assert tilec.load_package(path)
        return
    with pytest.raises(TileError, match="T0002"):
        tilec.load_package(path)


def test_a_damaged_entry_is_ignored(package):
    (artifact,) = parse_package(package[1])
    entry = pack_entry(artifact, [remark("T0431", "why")])
    start = len(entry) - len(package[1])
    for seed in range(SEEDS):
        chance = random.Random(seed)
        header = bytearray(entry[:start])
        if chance.random() < 0.4:
            header[chance.randrange(start)] = chance.randrange(256)
        found = unpack_entry(bytes(header) + damaged_archive(package[1], chance))
        assert found is None or found[0].kernels


@pytest.mark.parametrize("kind", KINDS)
def test_an_entry_that_is_no_file_is_replaced(kind, tmp_path):
    cache = DiskCache(tmp_path)
    cache.write("ab" * 32, b"data")
    (path,) = tmp_path.rglob("*.tilecache")
    replace_file(path, kind)
    assert cache.read("ab" * 32) == (b"data" if kind == "forbidden" and os.geteuid() == 0 else None)
    cache.write("ab" * 32, b"data")
    assert cache.read("ab" * 32) == (None if kind == "folder" else b"data")


def test_a_cache_folder_that_leads_in_a_circle(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    cache = DiskCache(tmp_path / "loop")
    cache.write("ab" * 32, b"data")
    assert cache.read("ab" * 32) is None


def test_a_rank_that_no_array_has(package):
    name, data, _ = package
    members = members_of(data)
    members[MANIFEST] = members[MANIFEST].replace(b'"rank": 2', b'"rank": %d' % 2**70)
    with pytest.raises(CompileError) as caught:
        parse_package(archive_of(list(members.items())), name)
    assert caught.value.diagnostics[0].code == "T0715"
    assert (
        "its manifest is not right: it.artifacts[0].kernels[0].metadata.arrays[0].rank is "
        f"{2**70}, not an integer from 0 to 32"
    ) in str(caught.value)


MEGABYTE = 1 << 20


def bomb(members, name, size, claimed=None):
    """Return a package with `size` zeros in member `name`, which claims to have others."""
    zeros = bytes(size)
    digest = hashlib.sha256(zeros).hexdigest()
    old = hashlib.sha256(members[name]).hexdigest()
    manifest = members[MANIFEST].replace(old.encode(), digest.encode())
    data = bytearray(archive_of([*{**members, MANIFEST: manifest, name: zeros}.items()]))
    if claimed is not None:
        true = struct.pack("<L", size)
        while (at := data.find(true)) >= 0:
            data[at : at + 4] = struct.pack("<L", claimed)
    return bytes(data)


@pytest.mark.parametrize("claimed", [None, 10, MEGABYTE])
@pytest.mark.parametrize("suffix", [".ptx", ".cubin"])
def test_what_unpacks_to_too_much(package, monkeypatch, claimed, suffix):
    monkeypatch.setattr(archive, "MAX_MEMBER_BYTES", 2 * MEGABYTE)
    members = members_of(package[1])
    name = next(name for name in members if name.endswith(suffix))
    data = bomb(members, name, 96 * MEGABYTE, claimed)
    tracemalloc.start()
    try:
        with pytest.raises(CompileError, match="T0715"):
            parse_package(data)
        assert tracemalloc.get_traced_memory()[1] < 16 * MEGABYTE
    finally:
        tracemalloc.stop()


def test_many_members_that_unpack_to_too_much(package, monkeypatch):
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", MEGABYTE)
    data = bomb(members_of(package[1]), f"0.0.{package[0]}.cubin", 2 * MEGABYTE)
    with pytest.raises(CompileError, match=r"T0715.*claims to have 2097152 bytes"):
        parse_package(data)


def test_a_directory_with_too_many_members(monkeypatch):
    monkeypatch.setattr(archive, "MAX_DIRECTORY_BYTES", 1 << 12)
    data = archive_of([(str(number), b"") for number in range(1000)])
    with pytest.raises(CompileError, match="its directory claims to have"):
        parse_package(data)


def test_members_that_are_not_unpacked_piece_by_piece(package):
    data = archive_of(list(members_of(package[1]).items()), zipfile.ZIP_LZMA)
    with pytest.raises(CompileError, match="is packed by method 14"):
        parse_package(data)
    assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None
