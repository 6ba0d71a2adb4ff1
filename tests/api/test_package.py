"""Ahead of time: compile, save, load without MLIR, launch, refuse."""

# A kernel is Python by its syntax only: its annotations are shapes.
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

import tilec
from tests.support.runtime_fakes import FakeArray
from tilec.language import cdiv, const, dtype, grid, load, store
from tilec.runtime.jit import Kernel

N, T = TypeVar("N"), TypeVar("T")
HALF = 0.5


@tilec.kernel
def halve(A: T[N], TILE: const = 128, *, T: dtype):
    i = grid(cdiv(N, TILE))
    store(A, (i,), load(A, (i,), (TILE,)) * HALF)


ROOT = Path(__file__).resolve().parents[2]


def matrix(number, rows=256, cols=256, strides=None):
    return FakeArray((rows, cols), pointer=number << 20, strides=strides)


@pytest.fixture(scope="module")
def package_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("package") / "copy.tilepkg"
    tilec.compile(ROOT / "examples" / "copy_2d.tile", constants={"T0": 64}).save(path)
    return path


@pytest.fixture
def copy(package_file):
    return tilec.load_package(package_file).copy_2d


def test_what_a_package_says(package_file, copy):
    package = tilec.load_package(package_file)
    assert len(package) == 1
    assert [item.__name__ for item in package] == ["copy_2d"]
    assert copy.constants == {"T0": 64, "T1": 64}
    assert ".entry copy_2d" in copy.ptx
    assert copy.cubin[:4] == b"\x7fELF"
    assert copy.shared_bytes > 0
    with pytest.raises(tilec.CompileError, match="holds no IR"):
        copy.ir("cuda_tile")
    with pytest.raises(tilec.CompileError, match="has no kernel called 'matmul'"):
        _ = package.matmul
    assert not hasattr(package, "matmul")


def test_launch(copy, gpu):
    for base in (16, 32):
        copy(matrix(base), B=matrix(base + 1), T0=64)
    assert [item.shape.blocks for item in gpu.launches] == [16, 16]
    assert gpu.loads == ["copy_2d"]


@pytest.mark.parametrize(
    ("a", "text"),
    [
        (matrix(16, strides=(4, 1024)), "A.strides[1] is 256 elements, but it was compiled for 1"),
        (matrix(16, 256, 256, (1028, 4)), "A.strides[0] is 1028 bytes"),
        (FakeArray((256, 256), pointer=(16 << 20) + 4), "the address of A"),
        (matrix(17), "A and B are the same array, and the kernel writes B"),
        (matrix(16, 128), "dim D0 is 128 in A.shape[0], but 256 in B.shape[0]"),
        (FakeArray((256, 256), "<f2"), "A has element type f16, but f32[D0, D1] needs f32"),
    ],
)
def test_what_it_was_not_compiled_for_is_refused_by_name(copy, gpu, a, text):
    with pytest.raises(tilec.LaunchError) as caught:
        copy(a, matrix(17))
    assert text in str(caught.value)
    assert gpu.launches == []


def test_constants_are_compiled_in(copy, gpu):
    with pytest.raises(tilec.LaunchError, match="T0 = 32, but T0 = 64 is compiled in"):
        copy(matrix(16), matrix(17), T0=32)


def test_a_package_provides_workspaces(tmp_path, gpu):
    path, source = tmp_path / "matmul.tilepkg", tmp_path / "matmul.tile"
    text = (ROOT / "examples" / "matmul.tile").read_text()
    source.write_text(text.replace("bf16", "f16"))
    tile = {"BM": 128, "BN": 128, "BK": 64}
    tilec.compile(source, constants=tile, plan={"split_k": 4}).save(path)
    arrays = [FakeArray((256, 256), "<f2", number << 20) for number in (16, 17, 18)]
    gpu.parameter_sizes["matmul"] = [8, 8, 8, 8, 8, 8, 4, 4, 4, 128, 128, 128, 8, 8]
    matmul = tilec.load_package(path).matmul
    for _ in range(2):
        matmul(*arrays)
    first, again = gpu.launches
    assert (first.shape.blocks, first.shape.cooperative) == (2 * 2 * 4, True)
    assert first.parameters[12:] == again.parameters[12:]
    tiles = 4
    assert gpu.cleared == [tiles * 4 + 256]
    sizes = sorted(len(block) for block in gpu.memory.values())
    assert sizes == [tiles * 4 + 256, tiles * 3 * 128 * 128 * 4 + 256]


def test_numpy_arrays_need_the_source(copy):
    x = np.zeros((4, 4), np.float32)
    with pytest.raises(tilec.LaunchError, match="a package holds GPU code only"):
        copy(x, x.copy())


def test_assumptions_are_checked(tmp_path, gpu):
    path = tmp_path / "k.tilepkg"
    made = tilec.compile(
        ROOT / "examples" / "copy_2d.tile", divisors={"D1": 64}, layouts={"A": "col"}
    )
    made.save(path)
    copy = tilec.load_package(path).copy_2d
    column_major = (4, 256 * 4)
    copy(matrix(16, strides=column_major), matrix(17))
    with pytest.raises(tilec.LaunchError, match="D1"):
        copy(matrix(16, 256, 80, column_major), matrix(17, 256, 80))
    with pytest.raises(tilec.LaunchError, match=r"A\.strides\[0\] is 256 elements"):
        copy(matrix(16), matrix(17))


def test_launching_a_package_imports_no_compiler(package_file):
    script = f"""
import sys
sys.path.insert(0, {str(ROOT / "tests" / "runtime")!r})
from tests.support.runtime_fakes import FakeArray, FakeDriver
from tilec.runtime.cuda.current import set_driver
import tilec
driver = FakeDriver()
set_driver(driver)
copy = tilec.load_package({str(package_file)!r}).copy_2d
copy(FakeArray((256, 256), pointer=1 << 20), FakeArray((256, 256), pointer=2 << 20))
heavy = {{"torch_mlir", "mlir", "llvmlite", "lark"}} & {{m.partition(".")[0] for m in sys.modules}}
print(len(driver.launches), sorted(heavy))
"""
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert result.stdout.split(maxsplit=1) == ["1", "[]\n"]


def test_several_kernels_from_text(tmp_path, gpu):
    text = """
@kernel
def one[N](A: f32[N]):
    i = grid(cdiv(N, 128))
    store(A, (i,), load(A, (i,), (128,)) + 1.0)

@kernel
def two[N](A: T[N], *, T: dtype):
    i = grid(cdiv(N, 128))
    store(A, (i,), load(A, (i,), (128,)))
"""
    package = tilec.compile(text, dtypes={"T": "f16"})
    assert [item.__name__ for item in package] == ["one", "two"]
    package.save(tmp_path / "both.tilepkg")
    loaded = tilec.load_package(tmp_path / "both.tilepkg")
    loaded.one(FakeArray((4096,)))
    loaded.two(FakeArray((4096,), "<f2"))
    assert [item.name for item in gpu.launches] == ["one", "two"]
    assert "cuda_tile.entry" in package.one.ir("cuda_tile")
    assert [item.__name__ for item in tilec.compile(text, kernel="one")] == ["one"]


def test_a_stream_by_keyword(copy, gpu):
    copy(matrix(16), matrix(17), stream=99)
    assert [item.stream for item in gpu.launches] == [99]


def test_a_parameter_may_be_called_stream(gpu):
    text = """
@kernel
def scale[N](A: f32[N], stream: f32):
    i = grid(cdiv(N, 128))
    store(A, (i,), load(A, (i,), (128,)) * stream)
"""
    tilec.compile(text).scale(FakeArray((4096,)), stream=2.5)
    assert [item.stream for item in gpu.launches] == [0]


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        ({"kernel": "absent"}, "T0006", "defines no kernel called 'absent'"),
        ({"constants": {"BX": 1}}, "T0007", "copy_2d has no const 'BX'"),
        ({"layouts": {"C": "row"}}, "T0007", "copy_2d has no array 'C'"),
        ({"dtypes": {"T": "f16"}}, "T0007", "copy_2d has no dtype parameter 'T'"),
        ({"layouts": {"A": "diagonal"}}, "T0008", "'diagonal' is none of row, col, any"),
        ({"dtypes": {}, "kernel": "copy"}, "T0006", "it defines: copy_2d"),
        ({"sizes": {"D2": 5}}, "T0007", "has no dim 'D2'"),
        ({"sizes": {"D0": "x"}}, "T0008", "the size of 'D0' is 'x'"),
        ({"sizes": {"D0": 1.5}}, "T0008", "the size of 'D0' is 1.5"),
        ({"divisors": {"D0": "x"}}, "T0008", "the divisor of 'D0' is 'x'"),
        ({"constants": {"T0": "x"}}, "T0008", "const T0 is 'x', which is no number"),
        ({"constants": [1]}, "T0008", "[1] is no dict"),
        ({"sizes": [1]}, "T0008", "[1] is no dict: a value for each dim by name is expected"),
        ({"sizes": {1: 2}}, "T0008", "1 is no name of a dim"),
        ({"divisors": 3}, "T0008", "3 is no dict"),
        ({"plan": [1]}, "T0008", "[1] is no dict"),
        ({"kernel": 3}, "T0006", "defines no kernel called '3'"),
        ({"sizes": {"D0": -1}}, "T0008", "the size of 'D0' is -1"),
        ({"sizes": {"D0": 2**31}}, "T0008", "the size of 'D0' is 2147483648"),
        ({"divisors": {"D0": 0}}, "T0008", "the divisor of 'D0' is 0"),
        ({"target": "sm_10"}, "T0001", "unknown target"),
    ],
)
def test_wrong_options(options, code, text):
    with pytest.raises(tilec.CompileError) as caught:
        tilec.compile(ROOT / "examples" / "copy_2d.tile", **options)
    assert caught.value.diagnostics[0].code == code
    assert text in str(caught.value)


def test_a_decorated_kernel_ahead_of_time(gpu):
    package = tilec.compile(halve, dtypes={"T": "f32"})
    package.halve(FakeArray((4096,)))
    assert [item.name for item in gpu.launches] == ["halve"]
    assert package.halve.constants == {"TILE": 128}


def test_element_types_ahead_of_time():
    assert [item.code for item in tilec.compile(halve).remarks][:1] == ["T0014"]
    with pytest.raises(tilec.CompileError, match="there is no element type 'f31'"):
        tilec.compile(halve, dtypes={"T": "f31"})


def test_files_that_are_no_packages(tmp_path):
    path = tmp_path / "x.tilepkg"
    with pytest.raises(tilec.CompileError, match="T0002"):
        tilec.load_package(path)
    path.write_bytes(b"not a zip file")
    with pytest.raises(tilec.CompileError, match="T0715"):
        tilec.load_package(path)
    with pytest.raises(tilec.CompileError, match="T0002"):
        tilec.compile(tmp_path / "absent.tile")


def test_a_kernel_keeps_the_options_that_it_was_made_with(examples):
    text = tilec.load(examples / "matmul.tile").matmul.text
    kernel = Kernel(text, "matmul", {"stages": 2}, debug_waits=True)
    (variant,) = tilec.compile(kernel, constants={"BM": 128, "BN": 128, "BK": 64}).matmul.variants
    assert variant.plan["stages"] == 2
    assert variant.artifact.hidden_parameters
    (other,) = tilec.compile(kernel, plan={"stages": 3}, debug_waits=False).matmul.variants
    assert other.plan["stages"] == 3
    assert not other.artifact.hidden_parameters


@pytest.mark.parametrize(("aligned", "expected"), [(True, 16), (False, 1), (8, 8), (4, 1), (1, 1)])
def test_alignment_of_all_arrays(aligned, expected):
    """Every f32 is 4-byte aligned."""
    text = "@kernel\ndef f[N](X: f32[N]):\n    i = grid(N)\n    store(X, i, zeros((1,), f32))\n"
    made = tilec.compile(text, aligned=aligned).f
    assert [item["alignment"] for item in made.metadata["arrays"]] == [expected]
    with pytest.raises(tilec.CompileError, match=r"T0008.*aligned = 2: expected a bool, or one of"):
        tilec.compile(text, aligned=2)
