"""`tilec.load`, the decorators, and calls with NumPy arrays: the CPU reference."""

# A kernel is Python by its syntax only: its annotations are shapes.
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

import copy
import pickle
from typing import Any, TypeVar

import ml_dtypes
import numpy as np
import pytest

import tilec
from tilec.language import (
    arange,
    auto,
    bf16,
    block_id,
    cast,
    cdiv,
    const,
    dtype,
    f32,
    grid,
    load,
    store,
)

BLOCK = 64
N, T = TypeVar("N"), TypeVar("T")


@tilec.function
def scaled(x, factor):
    return x * factor + OFFSET


@tilec.kernel
def affine(X: f32[N], Y: f32[N], factor: f32):
    """Y = factor * X + OFFSET."""
    i = grid(cdiv(N, BLOCK))
    store(Y, (i,), scaled(load(X, (i,), (BLOCK,)), factor))


@tilec.kernel(worker_warps=8)
def doubled(X: T[N], Y: T[N], BLOCK: const = 32, *, T: dtype):
    i = tilec.grid(tilec.cdiv(N, BLOCK))
    x = tilec.load(X, (i,), (BLOCK,))  # pyright: ignore[reportCallIssue] - the language's load
    store(Y, (i,), x + x)


@tilec.kernel
def block_numbers(Y: f32[N]):
    tile = arange(16, f32)
    i = block_id(0)
    store(Y, (i,), tile * 0.0 + cast(i, f32))


OFFSET = 3.0
UNUSED = (auto, bf16)


def vectors(n=100, dtype: Any = np.float32):
    x = np.random.default_rng(0).standard_normal(n).astype(dtype)
    return x, np.full_like(x, np.nan)


def test_a_decorated_function_with_a_helper_and_module_constants():
    x, y = vectors()
    affine(x, y, 2.5)
    np.testing.assert_allclose(y, np.float32(2.5) * x + np.float32(3), rtol=1e-6)
    assert affine.__name__ == "affine"
    assert affine.__doc__ == "Y = factor * X + OFFSET."


def test_keywords_constants_and_element_types():
    for kind in (np.float32, ml_dtypes.bfloat16, np.float16):
        x, y = vectors(70, kind)
        doubled(Y=y, X=x, BLOCK=16)
        np.testing.assert_array_equal(y, x + x)
    x, y = vectors(70)
    doubled(x, y, T="f32")
    np.testing.assert_array_equal(y, x + x)
    with pytest.raises(tilec.LaunchError, match="doubled: X has element type f32, but T"):
        doubled(x, y, T="f16")


def test_plan_fields_of_the_decorator_reach_the_plan():
    x, y = vectors(4096)
    compiled = doubled.compile(x, y)
    assert compiled.metadata["block_threads"] == 8 * 32
    assert compiled.name == "doubled"


def test_a_grid_from_the_caller():
    y = np.full(64, np.nan, np.float32)
    block_numbers[4](y)
    np.testing.assert_array_equal(y, np.repeat(np.arange(4, dtype=np.float32), 16))
    with pytest.raises(tilec.LaunchError, match="no grid of its own"):
        block_numbers(y)
    with pytest.raises(tilec.LaunchError, match="computes its own grid"):
        affine[4](y, y.copy(), 1.0)
    with pytest.raises(tilec.LaunchError, match="4 extents"):
        block_numbers[1, 2, 3, 4](y)


def test_errors_point_into_the_python_file():
    x, y = vectors()
    with pytest.raises(tilec.LaunchError) as caught:
        affine(x, y[:50], 1.0)
    text = str(caught.value)
    assert "affine: dim N is 100 in X.shape[0], but 50 in Y.shape[0]" in text
    assert "test_kernel.py:" in text
    assert "def affine(X: f32[N], Y: f32[N], factor: f32):" in text


def test_only_functions_are_decorated():
    with pytest.raises(tilec.LaunchError, match="decorates a function"):
        tilec.kernel(3)  # pyright: ignore[reportArgumentType] - refused at run time

    with pytest.raises(tilec.LaunchError, match=r"@tilec\.function decorates a function"):
        tilec.function(3)  # pyright: ignore[reportArgumentType] - refused at run time


@pytest.mark.parametrize(
    ("fields", "code", "text"),
    [
        ({"stagess": 3}, "T0420", "the plan has no field 'stagess'"),
        ({"stages": 0}, "T0421", "stages = 0: expected 1 to 32"),
        ({"stages": "3"}, "T0421", "stages = '3'"),
        ({"num_warps": 4}, "T0420", "num_warps"),
    ],
)
def test_fields_of_the_plan_are_checked_where_a_kernel_is_decorated(fields, code, text):
    def plain(X: f32[N]):
        i = grid(cdiv(N, BLOCK))
        store(X, i, load(X, i, BLOCK))

    with pytest.raises(tilec.CompileError) as caught:
        tilec.kernel(**fields)(plain)
    (item,) = caught.value.diagnostics
    assert (item.code, text in item.message) == (code, True)
    assert item.span is not None
    assert item.span.file == __file__


def test_copies_of_a_kernel_are_the_kernel(examples):
    loaded = tilec.load(examples / "vector_add.tile").vector_add
    for item in (affine, loaded):
        assert copy.copy(item) is item
        assert copy.deepcopy({"layer": [item]})["layer"][0] is item
    assert pickle.loads(pickle.dumps(affine)) is affine
    with pytest.raises(tilec.LaunchError, match="vector_add cannot be pickled: it has no module"):
        pickle.dumps(loaded)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: tilec.load(3),  # pyright: ignore[reportArgumentType] - refused at run time
        lambda: tilec.load(b"a.tile"),  # pyright: ignore[reportArgumentType] - the same
        lambda: tilec.compile(3),  # pyright: ignore[reportArgumentType] - the same
        lambda: tilec.load_package(3),  # pyright: ignore[reportArgumentType] - the same
        lambda: tilec.compile(affine).save(3),  # pyright: ignore[reportArgumentType] - the same
    ],
)
def test_what_is_no_path(wrong):
    with pytest.raises(tilec.LaunchError, match=r"T0717.* takes a path, got"):
        wrong()


def test_helpers_cannot_be_called_from_python():
    with pytest.raises(tilec.LaunchError, match=r"scaled is a tilec\.function"):
        scaled(1, 2)


def test_load(examples):
    module = tilec.load(examples / "vector_add.tile")
    assert "vector_add" in dir(module)
    assert [item.__name__ for item in module] == ["vector_add"]
    assert module["vector_add"] is module.vector_add
    x, y = vectors()
    out = np.full_like(x, np.nan)
    module.vector_add(x, y * 0 + 1, out)
    np.testing.assert_array_equal(out, x + np.where(np.isnan(y), np.nan, 1))


def test_load_failures(tmp_path, examples):
    module = tilec.load(examples / "vector_add.tile")
    assert not hasattr(module, "matmul")
    with pytest.raises(tilec.CompileError, match="defines no kernel called 'matmul'"):
        _ = module.matmul
    with pytest.raises(tilec.CompileError, match="T0002"):
        tilec.load(tmp_path / "absent.tile")
    (tmp_path / "binary.tile").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(tilec.CompileError, match="T0003"):
        tilec.load(tmp_path / "binary.tile")
    (tmp_path / "syntax.tile").write_text("@kernel\ndef k(A: f32[N]):\n    x = (\n")
    with pytest.raises(tilec.CompileError, match=r"syntax\.tile:3"):
        tilec.load(tmp_path / "syntax.tile")
    (tmp_path / "none.tile").write_text("x = 3\n")
    with pytest.raises(tilec.CompileError, match="no kernel"):
        tilec.load(tmp_path / "none.tile")


def test_strange_layouts_on_the_cpu(examples):
    add = tilec.load(examples / "vector_add.tile").vector_add
    base = np.arange(40, dtype=np.float32)
    out = np.zeros(40, np.float32)
    add(base[::-2], np.broadcast_to(np.float32(5), (20,)), out[3:23])
    np.testing.assert_array_equal(out[3:23], base[::-2] + 5)
    assert not out[:3].any()
    assert not out[23:].any()


def test_empty_and_read_only_arrays_on_the_cpu(examples):
    add = tilec.load(examples / "vector_add.tile").vector_add
    empty = np.zeros(0, np.float32)
    add(empty, empty, empty)
    x = np.ones(4, np.float32)
    frozen = x.copy()
    frozen.flags.writeable = False
    add(frozen, x, x.copy())
    with pytest.raises(tilec.LaunchError, match="read-only"):
        add(x, x, frozen)


def test_compile_for_numpy_arrays(examples):
    matmul = tilec.load(examples / "matmul.tile").matmul
    a, b, c = (np.zeros((256, 256), ml_dtypes.bfloat16) for _ in range(3))
    compiled = matmul.compile(a, b, c, BM=128, BN=128, BK=64)
    assert compiled.constants == {"BM": 128, "BN": 128, "BK": 64}
    assert compiled.ptx.startswith("//")
    assert ".entry matmul" in compiled.ptx
    assert compiled.cubin[:4] == b"\x7fELF"
    assert compiled.shared_bytes >= 128 * 64 * 2
    assert compiled.registers > 0
    assert compiled.plan["stages"] >= 1
    assert any(reason.startswith("stages = ") for reason in compiled.plan["reasons"])
    assert compiled.plan["constants"] == compiled.constants
    assert compiled.plan["shared_bytes"] == compiled.shared_bytes
    assert "cuda_tile.entry" in compiled.ir("cuda_tile")
    assert "nv_tileas" in compiled.ir("nv_tileas")
    with pytest.raises(tilec.CompileError, match="no stage called 'sass2'"):
        compiled.ir("sass2")
    assert matmul.compile(a, b, c, BM=128, BN=128, BK=64) is compiled


def test_an_array_parameter_called_stream():
    @tilec.kernel
    def copy(stream: f32[N], out: f32[N]):
        i = grid(cdiv(N, 16))
        store(out, (i,), load(stream, (i,), (16,)))

    x, y = vectors(32)
    copy(stream=x, out=y)
    np.testing.assert_array_equal(x, y)
