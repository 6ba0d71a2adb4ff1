"""`debug_waits=True` and `--debug-waits`: a variant of its own, and what a deadlock looks like."""

# A kernel is Python by its syntax only: its annotations are shapes.
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

import ctypes
import struct
from typing import TypeVar

import pytest

import tilec
from tests.support.runtime_fakes import FakeArray
from tilec.cli.main import EXIT_DIAGNOSTICS, EXIT_OK, EXIT_USAGE, main
from tilec.language import cdiv, f32, grid, load, store

N = TypeVar("N")

SCALE = """
@kernel
def scale[N](A: f32[N], B: f32[N], BLOCK: const = 256):
    i = grid(cdiv(N, BLOCK))
    store(B, (i,), 2.0 * load(A, (i,), (BLOCK,)))
"""
RECORD = struct.pack("<8I", 1, 0, 3, 32, 0, 0, 0, 0)


@tilec.kernel(debug_waits=True)
def doubled(A: f32[N], B: f32[N]):
    i = grid(cdiv(N, 256))
    a = load(A, (i,), (256,))
    store(B, (i,), a + a)


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "scale.tile"
    made.write_text(SCALE)
    return made


@pytest.fixture
def deadlock(gpu):
    """Return a function after which the launches of a debug build leave a record."""

    def prepare(compiled) -> None:
        metadata = compiled.metadata
        count = len(metadata["params"])
        maps = len(metadata["tensor_maps"])
        gpu.parameter_sizes = {metadata["name"]: [4] * count + [128] * maps + [8]}
        gpu.execute = execute

    def execute(launch):
        (address,) = struct.unpack("<Q", launch.parameters[-1])
        ctypes.memmove(address, RECORD, len(RECORD))

    return prepare


def vectors():
    return FakeArray((4096,), pointer=1 << 20), FakeArray((4096,), pointer=2 << 20)


def test_a_deadlock_is_raised_with_the_line_of_the_source(path, deadlock):
    kernel = tilec.load(path, debug_waits=True).scale
    deadlock(kernel.compile(*vectors()))
    for _ in range(2):  # by the slow way of a first call, and by the way of later ones
        with pytest.raises(tilec.DeadlockError) as caught:
            kernel(*vectors())
        lines = str(caught.value).splitlines()
        assert lines[0].startswith(f"{path}:5:26: error[T0811]: scale: warpgroup 0 of CTA 3 waited")
        assert lines[1] == "      store(B, (i,), 2.0 * load(A, (i,), (BLOCK,)))"
        assert lines[2].strip() == "^" * len("load(A, (i,), (BLOCK,))")


def test_the_decorator_makes_debug_builds(deadlock):
    compiled = doubled.compile(*vectors())
    assert "mbarrier.test_wait" in compiled.ptx
    assert "debug_buffer" in compiled.ptx
    deadlock(compiled)
    with pytest.raises(tilec.DeadlockError, match=r"test_debug_waits\.py:\d+:\d+: error\[T0811\]"):
        doubled(*vectors())


@pytest.mark.usefixtures("gpu")
def test_a_debug_build_is_a_variant_of_its_own(path, monkeypatch):
    import tilec.compiler.driver

    made = []
    real = tilec.compiler.driver.compile_kernel

    def counting(*arguments, **options):
        made.append(arguments[3].debug_waits)
        return real(*arguments, **options)

    monkeypatch.setattr(tilec.compiler.driver, "compile_kernel", counting)
    for _ in range(2):  # the second time from the disk cache
        normal = tilec.load(path).scale.compile(*vectors())
        debug = tilec.load(path, debug_waits=True).scale.compile(*vectors())
        assert "test_wait" not in normal.ptx
        assert "test_wait" in debug.ptx
        assert normal.artifact.hidden_parameters == ()
        assert [item.name for item in debug.artifact.hidden_parameters] == ["debug_buffer"]
    assert made == [False, True]


def test_ahead_of_time(path, tmp_path, deadlock):
    tilec.compile(path, debug_waits=True).save(tmp_path / "debug.tilepkg")
    kernel = tilec.load_package(tmp_path / "debug.tilepkg").scale
    deadlock(kernel.variants[0])
    with pytest.raises(tilec.DeadlockError, match=r"2\.0 \* load"):
        kernel(*vectors())


def test_the_command(path, deadlock, capsys):
    words = ["run", str(path), "--size", "N=4096"]
    assert main([*words, "--device", "gpu", "--debug-waits"]) == EXIT_OK
    deadlock(tilec.load(path, debug_waits=True).scale.compile(*vectors()))
    assert main([*words, "--device", "gpu", "--debug-waits"]) == EXIT_DIAGNOSTICS
    assert "scale.tile:5:26: error[T0811]: scale: warpgroup 0 of CTA 3" in capsys.readouterr().err
    assert main([*words, "--device", "cpu", "--debug-waits"]) == EXIT_USAGE
    assert "the CPU reference never waits" in capsys.readouterr().err
