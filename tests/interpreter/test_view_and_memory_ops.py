"""Views, loads and stores: strides, edges, padding, dim_map, aliasing."""

import ml_dtypes
import numpy as np
import pytest

from tilec.dialects import cuda_tile as ct
from tilec.interpreter import run_module
from tilec.ir.bindings import ir
from tilec.support.diagnostics import InternalCompilerError

BF16 = ml_dtypes.bfloat16


def copy_kernel(tiles, kind, tile, *, dim_map=None, padding="zero", index=(0, 0)):
    """Copy one tile of A (extents and strides at run time) to B, a row-major tile."""
    element = tiles.element(kind)
    i32, i64 = tiles.element("i32"), tiles.element("i64")
    pointer = ct.PtrType.of(element)

    def build(a, b, rows, cols, row_stride, col_stride):
        view = ct.MakeTensorViewOp.build(a, [rows, cols], [row_stride, col_stride])
        source = ct.MakePartitionViewOp.build(view, tile, dim_map=dim_map, padding=padding)
        loaded = ct.LoadViewTkoOp.build(source, [tiles.i32(at) for at in index]).tile
        tiles.store(b, loaded)

    return tiles.module([pointer, pointer, i32, i32, i64, i64], build)


def run_copy(module, source, out):
    strides = [stride // source.itemsize for stride in source.strides]
    scalars = [np.int32(n) for n in source.shape] + [np.int64(n) for n in strides]
    run_module(module, None, [source, out, *scalars])


MATRIX = np.arange(48, dtype=np.float32).reshape(6, 8)


@pytest.mark.parametrize(
    "source",
    [
        MATRIX,
        MATRIX.T,
        MATRIX[::2, ::3],
        MATRIX[::-1, ::-2],
        np.broadcast_to(MATRIX[0], (6, 8)),
        MATRIX[1:5, 3:4],
    ],
    ids=["row", "col", "strided", "negative", "zero", "one-column"],
)
def test_any_strides(tiles, source):
    out = np.full((8, 8), -1, np.float32)
    run_copy(copy_kernel(tiles, "f32", (8, 8)), source, out)
    want = np.zeros((8, 8), np.float32)
    want[: source.shape[0], : source.shape[1]] = source
    np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("index", [(0, 0), (1, 1), (1, 0), (2, 0), (0, 5), (-1, 0)])
@pytest.mark.parametrize(
    ("padding", "value"),
    [("zero", 0.0), ("nan", np.nan), ("pos_inf", np.inf), ("neg_inf", -np.inf), ("neg_zero", -0.0)],
)
def test_outside_is_padding(tiles, padding, value, index):
    out = np.zeros((4, 4), BF16)
    source = MATRIX[:, :7].astype(BF16)
    run_copy(copy_kernel(tiles, "bf16", (4, 4), padding=padding, index=index), source, out)
    whole = np.full((100, 100), value, np.float32)
    whole[40:46, 40:47] = source
    row, col = 40 + 4 * index[0], 40 + 4 * index[1]
    want = whole[row : row + 4, col : col + 4]
    np.testing.assert_array_equal(out.astype(np.float32), want)
    np.testing.assert_array_equal(np.signbit(out.astype(np.float32)), np.signbit(want))


def test_dim_map_names_the_tensor_dimension_of_each_tile_dimension(tiles):
    out = np.zeros((4, 2), np.float32)
    module = copy_kernel(tiles, "f32", (4, 2), dim_map=[1, 0], index=(1, 2))
    run_copy(module, MATRIX, out)
    np.testing.assert_array_equal(out, MATRIX[4:6, 4:8].T)


def test_any_nonzero_byte_is_true(tiles):
    source = np.array([[0, 1], [2, 255]], np.uint8).view(np.bool_)
    out = np.zeros((2, 2), np.bool_)
    run_copy(copy_kernel(tiles, "i1", (2, 2)), source, out)
    np.testing.assert_array_equal(out.view(np.uint8), [[0, 1], [1, 1]])


def test_a_view_that_leaves_the_array_is_an_error(tiles):
    module = copy_kernel(tiles, "f32", (8, 8))
    arguments = [MATRIX, np.zeros((8, 8), np.float32), np.int32(7), np.int32(8)]
    with pytest.raises(InternalCompilerError, match="reaches outside of the 192 bytes"):
        run_module(module, None, [*arguments, np.int64(8), np.int64(1)])


def test_a_stride_of_a_dimension_of_extent_1_is_not_used(tiles):
    out = np.zeros((8, 8), np.float32)
    arguments = [MATRIX[:1], out, np.int32(1), np.int32(8), np.int64(10**12), np.int64(1)]
    run_module(copy_kernel(tiles, "f32", (8, 8)), None, arguments)
    np.testing.assert_array_equal(out[0], MATRIX[0])


def test_stores_outside_are_dropped(tiles):
    pointer = ct.PtrType.of(tiles.element("f32"))

    def build(a, b):
        tile = tiles.load(a, (4, 4))
        view = ct.MakeTensorViewOp.build(b, [6, 7], [10, 1])
        parts = ct.MakePartitionViewOp.build(view, [4, 4])
        block = ct.GetTileBlockIdOp.build()
        ct.StoreViewTkoOp.build(tile, parts, [block.x, block.y])

    memory = np.full((6, 10), -1, np.float32)
    ones = np.ones((4, 4), np.float32)
    run_module(tiles.module([pointer, pointer], build), None, [ones, memory[:, 1:8]], (3, 3))
    np.testing.assert_array_equal(memory[:, 1:8], np.ones((6, 7)))
    assert (memory[:, [0, 8, 9]] == -1).all()


def test_a_loaded_tile_does_not_change_when_memory_does(tiles):
    pointer = ct.PtrType.of(tiles.element("f32"))

    def build(a, b):
        before = tiles.load(a, (4,))
        tiles.store(a, ct.AddFOp.build(before, before))
        tiles.store(b, before)

    a, b = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    run_module(tiles.module([pointer, pointer], build), None, [a, b])
    np.testing.assert_array_equal(a, [0, 2, 4, 6])
    np.testing.assert_array_equal(b, [0, 1, 2, 3])


def test_tokens_carry_no_value(tiles):
    pointer = ct.PtrType.of(tiles.element("f32"))

    def build(a, b):
        first = ct.MakeTokenOp.build()
        load = ct.LoadViewTkoOp.build(tiles.view(a, (4,)), [tiles.i32(0)], first)
        joined = ct.JoinTokensOp.build([first, load.result_token])
        ct.StoreViewTkoOp.build(load.tile, tiles.view(b, (4,)), [tiles.i32(0)], joined)

    a, b = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    run_module(tiles.module([pointer, pointer], build), None, [a, b])
    np.testing.assert_array_equal(b, a)


def test_shapes_of_views(tiles):
    pointer = ct.PtrType.of(tiles.element("i32"))

    def build(out, rows):
        view = ct.MakeTensorViewOp.build(out, [rows, 4], [4, 1])
        parts = ct.MakePartitionViewOp.build(view, [2, 2], dim_map=[1, 0])
        extents = [*ct.GetTensorShapeOp.build(view).extents]
        extents += ct.GetIndexSpaceShapeOp.build(parts).extents
        for at, extent in enumerate(extents):
            line = ct.MakePartitionViewOp.build(ct.MakeTensorViewOp.build(out, [16], [1]), [1])
            ct.StoreViewTkoOp.build(ct.SplatOp.build(extent, [1]), line, [tiles.i32(at)])

    out = np.zeros((4, 4), np.int32)
    run_module(tiles.module([pointer, tiles.element("i32")], build), None, [out, np.int32(3)])
    np.testing.assert_array_equal(out[0], [3, 4, 2, 2])


def test_every_block_sees_its_coordinates(tiles):
    pointer = ct.PtrType.of(tiles.element("i32"))

    def build(out):
        block, count = ct.GetTileBlockIdOp.build(), ct.GetNumTileBlocksOp.build()
        view = ct.MakeTensorViewOp.build(out, [2, 3, 4], [12, 4, 1])
        parts = ct.MakePartitionViewOp.build(view, [1, 1, 1])
        value = ct.SplatOp.build(block.x, [1, 1, 1])
        for extent, coordinate in ((count.y, block.y), (count.z, block.z)):
            scaled = ct.MulIOp.build(value, ct.SplatOp.build(extent, [1, 1, 1]))
            value = ct.AddIOp.build(scaled, ct.SplatOp.build(coordinate, [1, 1, 1]))
        ct.StoreViewTkoOp.build(value, parts, [block.x, block.y, block.z])

    out = np.full((2, 3, 4), -1, np.int32)
    run_module(tiles.module([pointer], build), None, [out], (2, 3, 4))
    np.testing.assert_array_equal(out.ravel(), np.arange(24))


def test_an_operation_without_rule_is_named(tiles):
    pointer = ct.PtrType.of(tiles.element("f32"))

    def build(a):
        ir.Operation.create(
            "ub.poison",
            results=[tiles.element("i32")],
            attributes={"value": ir.Attribute.parse("#ub.poison")},
        )

    module = tiles.module([pointer], build)
    with pytest.raises(
        InternalCompilerError, match=r"no rule for operation 'ub\.poison'"
    ) as caught:
        run_module(module, None, [MATRIX])
    assert caught.value.op == "ub.poison"
