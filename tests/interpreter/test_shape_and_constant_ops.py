"""Constants, and operations that move elements."""

import ml_dtypes
import numpy as np
import pytest

from tilec.dialects import cuda_tile as ct
from tilec.ir.bindings import arith, ir
from tilec.support.diagnostics import CompileError, InternalCompilerError
from tilec.support.numpy_types import NUMPY_BY_MLIR

BF16 = ml_dtypes.bfloat16
MATRIX = np.arange(32, dtype=np.float32).reshape(4, 8)


@pytest.mark.parametrize(
    "name", ["f16", "bf16", "f32", "f64", "tf32", "f8E4M3FN", "i8", "i64", "i1"]
)
def test_splat_constants(tiles, name):
    kind = ct.TileType.of([4], tiles.element(name))
    got = tiles(lambda: ct.ConstantOp.build(kind, 1), shape=[4], out=name)
    np.testing.assert_array_equal(got.astype(np.float64), np.ones(4))


@pytest.mark.parametrize("name", ["bf16", "f32", "f8E4M3FN", "f8E5M2", "i16", "i1", "tf32"])
@pytest.mark.parametrize("count", [4, 128])
def test_dense_constants(tiles, name, count):
    values = (np.arange(count) % 7 * 0.25).astype(NUMPY_BY_MLIR[name])
    element = tiles.element(name)
    if name == "tf32":
        text = ", ".join(f"{value:.6e}" for value in values)
        value = ir.Attribute.parse(f"dense<[{text}]> : tensor<{count}xtf32>")
    else:
        value = None

    def body():
        kind = ct.TileType.of([count], element)
        if value is None:
            return ct.ConstantOp.build(kind, values)
        return ct.ConstantOp(value=value, result=kind).result

    got = tiles(body, shape=[count], out=name)
    np.testing.assert_array_equal(got.astype(np.float64), values.astype(np.float64))


@pytest.mark.parametrize("name", ["bf16", "f8E5M2", "tf32"])
def test_negative_infinity(tiles, name):
    kind = ct.TileType.of([4], tiles.element(name))
    got = tiles(lambda: ct.ConstantOp.build(kind, float("-inf")), shape=[4], out=name)
    np.testing.assert_array_equal(got.astype(np.float32), np.full(4, -np.inf))


def test_iota_and_splat(tiles):
    got = tiles(lambda: ct.IotaOp.build(16, tiles.element("i32")), shape=[16], out="i32")
    np.testing.assert_array_equal(got, np.arange(16))
    got = tiles(
        lambda: ct.SplatOp.build(arith.ConstantOp(ir.BF16Type.get(), 2.5).result, [2, 4]),
        shape=[2, 4],
        out="bf16",
    )
    np.testing.assert_array_equal(got, np.full((2, 4), 2.5, BF16))


def test_broadcast(tiles):
    row = np.arange(8, dtype=np.float32).reshape(1, 8)
    got = tiles(lambda tile: ct.BroadcastOp.build(tile, [4, 8]), row, shape=[4, 8])
    np.testing.assert_array_equal(got, np.broadcast_to(row, (4, 8)))


def test_reshape_is_row_major(tiles):
    got = tiles(
        lambda tile: ct.ReshapeOp.build(ct.PermuteOp.build(tile, [1, 0]), [2, 16]),
        MATRIX,
        shape=[2, 16],
    )
    np.testing.assert_array_equal(got, MATRIX.T.reshape(2, 16))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
def test_permute_names_the_source_dimension(tiles, order):
    source = np.arange(64, dtype=np.float32).reshape(2, 4, 8)
    want = source.transpose(order)
    got = tiles(lambda tile: ct.PermuteOp.build(tile, order), source, shape=want.shape)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dim", [0, 1])
def test_cat(tiles, dim):
    other = MATRIX + 100
    want = np.concatenate((MATRIX, other), axis=dim)
    got = tiles(lambda a, b: ct.CatOp.build(a, b, dim), MATRIX, other, shape=want.shape)
    np.testing.assert_array_equal(got, want)


def test_extract_counts_slices(tiles):
    got = tiles(
        lambda tile: ct.ExtractOp.build(tile, [tiles.i32(1), tiles.i32(3)], [2, 2]),
        MATRIX,
        shape=[2, 2],
    )
    np.testing.assert_array_equal(got, MATRIX[2:4, 6:8])


def test_extract_out_of_range_is_an_error(tiles):
    message = "T0576.*extract: index 4 along axis 1 is outside 0 to 3"
    with pytest.raises(CompileError, match=message):
        tiles(
            lambda tile: ct.ExtractOp.build(tile, [tiles.i32(0), tiles.i32(4)], [2, 2]),
            MATRIX,
            shape=[2, 2],
        )


@pytest.mark.parametrize(
    ("predicate", "holds"),
    [
        ("div_by<4>", True),
        ("div_by<16>", False),
        ("bounded<0, 12>", True),
        ("bounded<?, 11>", False),
        ("bounded<13, ?>", False),
    ],
)
def test_a_broken_assumption_is_found(tiles, predicate, holds):
    def body(tile):
        ct.AssumeOp.build(tiles.i32(12), predicate)
        return tile

    if holds:
        tiles(body, MATRIX)
    else:
        with pytest.raises(InternalCompilerError, match="does not hold for 12"):
            tiles(body, MATRIX)
