"""Artifacts survive being saved; damaged files are recognised."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilec
from tests.support.kernel_metadata import kernel_metadata
from tilec.codegen.artifact import Artifact, HiddenParameter, KernelImage, Workspace
from tilec.codegen.package import (
    FORMAT_VERSION,
    load_package,
    package_bytes,
    parse_package,
    save_package,
)
from tilec.support.diagnostics import CompileError

METADATA = kernel_metadata(name="k", constants={"eps": 1e-5, "flag": True}, grid=["cdiv(M, 128)"])
PLAIN = Artifact(
    (KernelImage("k", ".version 8.0\n", b"\x7fELF\0\xff", METADATA, 168, 8, 0),), "sm_90a"
)
SPLIT = Artifact(
    (
        KernelImage("part", "// é\n", metadata=kernel_metadata(name="part")),
        KernelImage("sum", "x", b"cubin", kernel_metadata(name="sum", bound=float("inf"))),
    ),
    "sm_90a",
    (Workspace("workspace", "M * 4", 128, zeroed=True),),
    (HiddenParameter("workspace"), HiddenParameter("debug_buffer")),
    "9.9.9",
)


def rewritten(data, change):
    """Return the package with its manifest changed by `change`, checksums as they were."""
    source = zipfile.ZipFile(io.BytesIO(data))
    members = {name: source.read(name) for name in source.namelist()}
    manifest = json.loads(members["manifest.json"])
    change(manifest, members)
    members["manifest.json"] = json.dumps(manifest).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def problem(data):
    with pytest.raises(CompileError) as caught:
        parse_package(data, "a.tilepkg")
    return caught.value.diagnostics[0]


@pytest.mark.parametrize("artifacts", [PLAIN, [PLAIN, SPLIT]])
def test_round_trip(artifacts, tmp_path):
    path = tmp_path / "k.tilepkg"
    save_package(artifacts, path)
    expected = [artifacts] if isinstance(artifacts, Artifact) else artifacts
    assert load_package(path) == tuple(expected)
    assert os.listdir(tmp_path) == ["k.tilepkg"]


def test_equal_artifacts_make_equal_files():
    assert package_bytes([PLAIN, SPLIT]) == package_bytes([PLAIN, SPLIT])


def test_names():
    assert PLAIN.name == "k"
    assert SPLIT.name == "sum"


def test_members_can_be_looked_at_with_any_unzip():
    archive = zipfile.ZipFile(io.BytesIO(package_bytes(PLAIN)))
    assert archive.namelist() == ["manifest.json", "0.0.k.ptx", "0.0.k.cubin"]
    assert archive.testzip() is None


@settings(max_examples=40, deadline=None)
@given(cut=st.floats(0, 1, exclude_max=True))
def test_a_truncated_file(cut):
    data = package_bytes(PLAIN)
    found = problem(data[: int(cut * len(data))])
    assert found.code == "T0715"
    assert found.message.startswith("'a.tilepkg' is not a tilec package, or it is damaged: ")


@settings(max_examples=60, deadline=None)
@given(position=st.integers(0, len(package_bytes(PLAIN)) - 1), value=st.integers(1, 255))
def test_a_flipped_byte_is_found_or_harmless(position, value):
    data = bytearray(package_bytes(PLAIN))
    data[position] ^= value
    try:
        assert parse_package(bytes(data)) == (PLAIN,)
    except CompileError as failure:
        assert failure.diagnostics[0].code in ("T0715", "T0718")  # noqa: PT017


@settings(max_examples=20, deadline=None)
@given(data=st.binary(max_size=200))
def test_garbage(data):
    assert problem(data).code == "T0715"


def test_a_changed_member():
    def change(_, members):
        members["0.0.k.cubin"] = b"other"

    found = problem(rewritten(package_bytes(PLAIN), change))
    assert "the checksum of 0.0.k.cubin does not match" in found.message


def test_a_newer_format():
    def change(manifest, _):
        manifest["version"] = FORMAT_VERSION + 1

    found = problem(rewritten(package_bytes(PLAIN), change))
    assert found.code == "T0718"
    newer = f"'a.tilepkg' has package format {FORMAT_VERSION + 1}"
    assert found.message == f"{newer}; this tilec reads up to {FORMAT_VERSION}"
    assert found.hint == "use a newer tilec"


def test_another_kind_of_archive():
    def change(manifest, _):
        manifest["format"] = "something"

    assert "its format is 'something'" in problem(rewritten(package_bytes(PLAIN), change)).message
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    assert problem(empty.getvalue()).code == "T0715"


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest, _: manifest.pop("artifacts"),
        lambda manifest, _: manifest.pop("members"),
        lambda manifest, _: manifest.update(version="one"),
        lambda manifest, _: manifest.update(artifacts=3),
        lambda manifest, _: manifest["artifacts"][0].update(kernels=[]),
        lambda manifest, _: manifest["artifacts"][0]["kernels"][0].pop("metadata"),
        lambda manifest, _: manifest["artifacts"][0]["kernels"][0].update(metadata=None),
        lambda manifest, _: manifest["artifacts"][0]["kernels"][0].update(registers="many"),
        lambda manifest, _: manifest["artifacts"][0]["kernels"][0].update(ptx="absent"),
        lambda manifest, _: manifest["artifacts"][0].update(workspaces=[{"bytes": 1}]),
    ],
)
def test_an_incomplete_manifest(change):
    found = problem(rewritten(package_bytes(PLAIN), change))
    assert found.code == "T0715"
    assert "its manifest is not right: " in found.message


def test_a_missing_member():
    found = problem(rewritten(package_bytes(PLAIN), lambda _, members: members.pop("0.0.k.ptx")))
    assert found.code == "T0715"
    assert "it has no member '0.0.k.ptx'" in found.message


def test_a_missing_file(tmp_path):
    with pytest.raises(CompileError, match="cannot read") as caught:
        load_package(tmp_path / "absent.tilepkg")
    assert caught.value.diagnostics[0].code == "T0002"


def test_a_folder_that_is_missing(tmp_path):
    with pytest.raises(CompileError, match="cannot write") as caught:
        save_package(PLAIN, tmp_path / "absent" / "k.tilepkg")
    assert caught.value.diagnostics[0].code == "T0004"


WITHOUT_COMPILER = """
import sys
from tilec.codegen import artifact, header, package, ptxas, sass
package.load_package(sys.argv[1])
print([name for name in sys.modules if name.split(".")[0] in ("mlir", "torch_mlir", "llvmlite")])
"""


def test_loading_needs_no_compiler(tmp_path):
    path = tmp_path / "k.tilepkg"
    save_package(PLAIN, path)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_COMPILER, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(tilec.__file__).parent.parent,
    )
    assert done.stdout.strip() == "[]"
