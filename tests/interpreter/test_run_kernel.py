"""Named arguments: pointers, strides, dims and the grid come from the kernel's metadata."""

import time

import ml_dtypes
import numpy as np
import pytest

from tilec.dialects import cuda_tile as ct
from tilec.interpreter import run_kernel
from tilec.ir.attributes import write_kernel_metadata
from tilec.ir.bindings import arith, ir, scf
from tilec.support.diagnostics import CompileError, LaunchError

BF16 = ml_dtypes.bfloat16


def array(name, access, dtype="bf16", strides=(-1, 1)):
    return {
        "name": name,
        "dtype": dtype,
        "rank": len(strides),
        "strides": list(strides),
        "alignment": 16,
        "alias_group": -1,
        "access": access,
    }


MATMUL = {
    "name": "matmul",
    "source": "matmul.tile",
    "arrays": [array("A", "read"), array("B", "read"), array("C", "write", "f32")],
    "params": [
        {"kind": "pointer", "array": "A"},
        {"kind": "stride", "array": "A", "axis": 0},
        {"kind": "pointer", "array": "B"},
        {"kind": "stride", "array": "B", "axis": 0},
        {"kind": "pointer", "array": "C"},
        {"kind": "stride", "array": "C", "axis": 0},
        {"kind": "scalar", "name": "alpha", "dtype": "f32"},
        {"kind": "dim", "name": "M", "array": "A", "axis": 0},
        {"kind": "dim", "name": "K", "array": "A", "axis": 1},
        {"kind": "dim", "name": "N", "array": "B", "axis": 1},
    ],
    "dims": {
        "M": [["A", 0], ["C", 0]],
        "K": [["A", 1], ["B", 0]],
        "N": [["B", 1], ["C", 1]],
    },
    "static_shape": {"A": [-1, -1], "B": [-1, -1], "C": [-1, -1]},
    "constants": {"BM": 128, "BN": 128},
    "grid": ["cdiv(M, BM)", "cdiv(N, BN)"],
}


def matmul(tiles, bm=128, bn=128, bk=64):
    """C = alpha * A @ B for row-major matrices."""
    bf16, f32, i32, i64 = (tiles.element(name) for name in ("bf16", "f32", "i32", "i64"))
    pointers = [ct.PtrType.of(kind) for kind in (bf16, bf16, f32)]

    def partition(pointer, shape, stride, tile):
        view = ct.MakeTensorViewOp.build(pointer, shape, [stride, 1])
        return ct.MakePartitionViewOp.build(view, tile)

    def build(a, a_stride, b, b_stride, c, c_stride, alpha, m, k, n):
        left = partition(a, [m, k], a_stride, [bm, bk])
        right = partition(b, [k, n], b_stride, [bk, bn])
        out = partition(c, [m, n], c_stride, [bm, bn])
        block = ct.GetTileBlockIdOp.build()
        zero = ct.ConstantOp.build(ct.TileType.of([bm, bn], f32), 0.0)
        trips = arith.CeilDivSIOp(k, tiles.i32(bk)).result
        loop = scf.ForOp(tiles.i32(0), trips, tiles.i32(1), [zero])
        with ir.InsertionPoint(loop.body):
            at = loop.induction_variable
            lhs = ct.LoadViewTkoOp.build(left, [block.x, at]).tile
            rhs = ct.LoadViewTkoOp.build(right, [at, block.y]).tile
            scf.YieldOp([ct.MmaFOp.build(lhs, rhs, loop.inner_iter_args[0])])
        scaled = ct.MulFOp.build(loop.results[0], ct.SplatOp.build(alpha, [bm, bn]))
        ct.StoreViewTkoOp.build(scaled, out, [block.x, block.y])

    a, b, c = pointers
    module = tiles.module([a, i64, b, i64, c, i64, f32, i32, i32, i32], build, "matmul")
    entry = next(op for op in module.body.operations if op.operation.name == "cuda_tile.entry")
    write_kernel_metadata(entry, {**MATMUL, "constants": {"BM": bm, "BN": bn}})
    return module


def matrices(m, n, k):
    generator = np.random.default_rng(0)
    return {
        "A": generator.standard_normal((m, k)).astype(BF16),
        "B": generator.standard_normal((k, n)).astype(BF16),
        "C": np.full((m, n), np.nan, np.float32),
    }


@pytest.mark.parametrize(("m", "n", "k"), [(128, 128, 64), (100, 130, 70), (1, 1, 1)])
def test_matmul(tiles, m, n, k):
    arrays = matrices(m, n, k)
    run_kernel(matmul(tiles), arrays, {"alpha": 0.5})
    want = 0.5 * (arrays["A"].astype(np.float64) @ arrays["B"].astype(np.float64))
    np.testing.assert_allclose(arrays["C"], want, rtol=1e-5, atol=1e-5)


def test_512_cubed_takes_less_than_two_seconds(tiles):
    module, arrays = matmul(tiles), matrices(512, 512, 512)
    start = time.process_time()
    run_kernel(module, arrays, {"alpha": 1.0})
    assert time.process_time() - start < 2


def test_a_product_over_no_elements_is_zero(tiles):
    arrays = matrices(4, 4, 0)
    run_kernel(matmul(tiles), arrays, {"alpha": 1.0})
    np.testing.assert_array_equal(arrays["C"], 0.0)


def change(name, value):
    return lambda arrays: {**arrays, name: value(arrays[name])}


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (lambda arrays: {"A": arrays["A"]}, "T0701"),
        (change("A", lambda a: a[0]), "T0704"),
        (change("A", lambda a: a.astype(np.float16)), "T0703"),
        (change("B", lambda b: b[:-1]), "T0705"),
        (change("A", lambda a: a.copy("F")), "T0706"),
        (change("C", lambda c: np.broadcast_to(c[:1], c.shape)), "T0702"),
    ],
    ids=["missing", "rank", "type", "dim", "stride", "read-only"],
)
def test_arguments_that_do_not_fit_are_refused(tiles, broken, code):
    arrays = broken(matrices(4, 5, 8))
    with pytest.raises(LaunchError) as caught:
        run_kernel(matmul(tiles, 4, 4, 4), arrays, {"alpha": 1.0})
    assert caught.value.diagnostics[0].code == code


@pytest.mark.parametrize(("scalars", "code"), [({}, "T0701"), ({"alpha": "x"}, "T0708")])
def test_scalars_that_do_not_fit_are_refused(tiles, scalars, code):
    with pytest.raises(LaunchError) as caught:
        run_kernel(matmul(tiles), matrices(4, 4, 4), scalars)
    assert caught.value.diagnostics[0].code == code


def test_the_grid_comes_from_the_caller_when_the_kernel_has_none(tiles):
    pointer = ct.PtrType.of(tiles.element("i32"))
    i32 = tiles.element("i32")

    def build(out, x, y, z):
        view = ct.MakePartitionViewOp.build(ct.MakeTensorViewOp.build(out, [8], [1]), [1])
        block = ct.GetTileBlockIdOp.build()
        total = arith.AddIOp(arith.AddIOp(x, y).result, z).result
        ct.StoreViewTkoOp.build(ct.SplatOp.build(total, [1]), view, [block.x])

    module = tiles.module([pointer, i32, i32, i32], build)
    entry = next(iter(module.body.operations))
    metadata = {
        "name": "kernel",
        "arrays": [array("A", "write", "i32", (1,))],
        "params": [{"kind": "pointer", "array": "A"}]
        + [{"kind": "grid", "axis": axis} for axis in range(3)],
        "dims": {},
    }
    write_kernel_metadata(entry, metadata)
    out = np.zeros(8, np.int32)
    run_kernel(module, {"A": out}, grid=(5, 2))
    np.testing.assert_array_equal(out, [8, 8, 8, 8, 8, 0, 0, 0])
    with pytest.raises(LaunchError, match="has no grid of its own"):
        run_kernel(module, {"A": out})


def test_an_unknown_kernel_is_a_diagnostic(tiles):
    with pytest.raises(CompileError, match=r"(?s)no kernel called 'gemm'.*it defines: matmul"):
        run_kernel(matmul(tiles), {}, kernel="gemm")


@pytest.mark.parametrize(("dtype", "value", "stored"), [("u32", 2**32 - 1, -1), ("i32", -5, -5)])
def test_unsigned_scalars_are_passed_as_bits(tiles, dtype, value, stored):
    i32 = tiles.element("i32")

    def build(out, number):
        view = ct.MakePartitionViewOp.build(ct.MakeTensorViewOp.build(out, [1], [1]), [1])
        ct.StoreViewTkoOp.build(ct.SplatOp.build(number, [1]), view, [tiles.i32(0)])

    module = tiles.module([ct.PtrType.of(i32), i32], build)
    metadata = {
        "name": "kernel",
        "arrays": [array("A", "write", "i32", (1,))],
        "params": [
            {"kind": "pointer", "array": "A"},
            {"kind": "scalar", "name": "x", "dtype": dtype},
        ],
        "dims": {},
        "grid": ["1"],
    }
    write_kernel_metadata(next(iter(module.body.operations)), metadata)
    out = np.zeros(1, np.int32)
    run_kernel(module, {"A": out}, {"x": value})
    assert out[0] == stored
    with pytest.raises(LaunchError, match="outside of"):
        run_kernel(module, {"A": out}, {"x": 2**40})
