"""The cuda_tile dialect from Python: types, builders and verification."""

import json
import time

import ml_dtypes
import numpy as np
import pytest

from tilec.dialects import cuda_tile as ct
from tilec.dialects.common.tile_shape import ANY_EXTENT_ATTRIBUTE
from tilec.ir.bindings import MLIRError, ir
from tilec.ir.context import make_context
from tilec.ir.errors import diagnose
from tilec.support.diagnostics import SourceSpan


@pytest.fixture(scope="module")
def context():
    return make_context()


@pytest.fixture
def block(context):
    """Return the body of a new module as the insertion point, with an unknown location."""
    with context, ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            yield module


def _tile(*shape, element="f32"):
    with ir.Location.unknown():
        return ct.TileType.of(shape, ir.Type.parse(element))


def _value(type_):
    return ir.Operation.create("builtin.unrealized_conversion_cast", results=[type_]).result


def test_types_give_back_their_parameters(block):
    bf16 = ir.BF16Type.get()
    tile = ct.TileType.of([128, 64], bf16)
    assert (tile.shape, tile.element_type) == ((128, 64), bf16)
    assert (tile.rank, tile.num_elements) == (2, 8192)
    assert ct.PtrType.of(bf16).pointee == bf16
    view = ct.TensorViewType.of(bf16, [None, 64], [None, 1])
    assert (view.shape, view.strides, view.rank) == ((None, 64), (None, 1), 2)
    assert view.element_type == bf16
    partition = ct.PartitionViewType.of([8, 16], view, [1, 0], "nan")
    assert (partition.tile, partition.dim_map, partition.padding) == ((8, 16), (1, 0), "nan")
    assert partition.view == view
    assert ct.PartitionViewType.of([8, 16], view).dim_map == (0, 1)
    assert ct.PartitionViewType.of([8, 16], view).padding == "zero"


def test_scalar_tile_and_view(block):
    f32 = ir.F32Type.get()
    assert ct.TileType.of([], f32).num_elements == 1
    view = ct.TensorViewType.of(f32, [], [])
    assert (view.shape, view.strides) == ((), ())


def test_types_can_be_made_without_an_active_context(context):
    f32 = ir.F32Type.get(context)
    view = ct.TensorViewType.of(f32, [None], [1])
    assert ct.TileType.of([4], f32).shape == (4,)
    assert ct.PtrType.of(f32).pointee == f32
    assert ct.PartitionViewType.of([4], view).view == view


@pytest.mark.parametrize(
    ("element", "array"),
    [
        ("f32", np.array([1.5, -2, 0, 4], np.float32)),
        ("f64", np.array([1.5, -2, 0, 4])),
        ("f16", np.array([1.5, -2, 0, 4], np.float16)),
        ("bf16", np.array([1.5, -2, 0, 4], ml_dtypes.bfloat16)),
        ("f8E4M3FN", np.array([1.5, -2, 0, 4], ml_dtypes.float8_e4m3fn)),
        ("f8E5M2", np.array([1.5, -2, 0, 4], ml_dtypes.float8_e5m2)),
        ("i8", np.array([1, -2, 0, 127], np.int8)),
        ("i64", np.array([1, -2, 0, 1 << 40])),
        ("i1", np.array([True, False, True, True])),
    ],
)
def test_constant_holds_the_array(block, element, array):
    value = ct.ConstantOp.build(_tile(4, element=element), array)
    assert value.type.shape == (4,)
    text = str(value.owner.attributes["value"])
    items = json.loads(text[text.index("<") + 1 : text.index(">")])
    assert items == array.astype(object).tolist()


@pytest.mark.parametrize(
    ("element", "value", "text"),
    [
        ("i8", 255, "-1"),
        ("i1", True, "true"),
        ("i1", 0, "false"),
        ("i64", -1, "-1"),
        ("f32", 3, "3.0"),
        ("bf16", float("inf"), "0x7F80"),
        ("f8E5M2", 0, "0.0"),
    ],
)
def test_constant_of_one_number(block, element, value, text):
    result = ct.ConstantOp.build(_tile(2, 4, element=element), value)
    assert text in str(result.owner.attributes["value"])


def test_builders_compute_result_types(block):
    x = _value(_tile(4, 8))
    i32 = ir.IntegerType.get_signless(32)
    index = _value(i32)
    assert ct.BroadcastOp.build(_value(_tile(1, 8)), [16, 8]).type == _tile(16, 8)
    assert ct.ReshapeOp.build(x, [32]).type == _tile(32)
    assert ct.PermuteOp.build(x, [1, 0]).type == _tile(8, 4)
    assert ct.CatOp.build(x, x, 0).type == _tile(8, 8)
    assert ct.ExtractOp.build(x, [index, index], [2, 8]).type == _tile(2, 8)
    assert ct.FToFOp.build(x, ir.F16Type.get()).type == _tile(4, 8, element="f16")
    assert ct.FToIOp.build(x, i32, signedness="unsigned").type == _tile(4, 8, element="i32")
    assert ct.CmpFOp.build("less_than", x, x).type == _tile(4, 8, element="i1")
    assert ct.SplatOp.build(index, [4]).type == _tile(4, element="i32")
    assert ct.IotaOp.build(16, i32).type == _tile(16, element="i32")
    assert ct.MmaFOp.build(x, _value(_tile(8, 2)), _value(_tile(4, 2))).type == _tile(4, 2)
    assert block.operation.verify()


def test_optional_attributes(block):
    x = _value(_tile(4))
    plain = ct.AddFOp.build(x, x).owner.opview
    assert (plain.rounding, plain.flush_to_zero) == ("nearest_even", False)
    other = ct.AddFOp.build(x, x, rounding="zero", flush_to_zero=True).owner.opview
    assert (other.rounding, other.flush_to_zero) == ("zero", True)
    assert ct.MaxFOp.build(x, x, propagate_nan=True).owner.opview.propagate_nan
    assert ct.TanHOp.build(x).owner.opview.rounding == "full"
    i = _value(_tile(4, element="i32"))
    assert ct.DivIOp.build(i, i).owner.opview.rounding == "zero"
    assert ct.AddIOp.build(i, i, overflow="no_wrap").owner.opview.overflow == "no_wrap"
    assert block.operation.verify()


def test_views_and_accesses(block):
    f32, i32 = ir.F32Type.get(), ir.IntegerType.get_signless(32)
    i64 = ir.IntegerType.get_signless(64)
    pointer, extent, stride = _value(ct.PtrType.of(f32)), _value(i32), _value(i64)
    tensor = ct.MakeTensorViewOp.build(pointer, [extent, 64], [stride, 1])
    assert (tensor.type.shape, tensor.type.strides) == ((None, 64), (None, 1))
    view = ct.MakePartitionViewOp.build(tensor, [8, 16], dim_map=[1, 0], padding="neg_inf")
    assert len(ct.GetTensorShapeOp.build(tensor).extents) == 2
    assert len(ct.GetIndexSpaceShapeOp.build(view).extents) == 2
    load = ct.LoadViewTkoOp.build(view, [extent, extent], allow_tma=False, latency=3)
    assert load.tile.type == _tile(8, 16)
    assert (load.token, load.allow_tma, load.latency, load.scope) == (None, False, 3, None)
    token = ct.StoreViewTkoOp.build(
        load.tile, view, [extent, extent], load.result_token, ordering="release", scope="device"
    )
    store = token.owner.opview
    assert store.token == load.result_token
    assert (store.allow_tma, store.latency, store.scope) == (True, None, "device")
    assert isinstance(ct.JoinTokensOp.build([token, load.result_token]).type, ct.TokenType)
    assert block.operation.verify()


def test_entry_holds_arguments_and_metadata(block):
    types = [ct.PtrType.of(ir.F32Type.get()), ir.IntegerType.get_signless(32)]
    locations = [ir.Location.name("a"), ir.Location.name("b")]
    entry = ct.EntryOp.build(
        "k", types, argument_locations=locations, metadata={"name": "k", "params": []}
    )
    with ir.InsertionPoint(entry.block):
        ids = ct.GetTileBlockIdOp.build()
        ct.AssumeOp.build(ids.x, "bounded<0, ?>")
        ct.ReturnOp.build()
    assert [argument.type for argument in entry.arguments] == types
    assert "tilec.kernel" in entry.attributes
    assert block.operation.verify()


def test_verification_needs_no_active_context(context):
    with context, ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            x = _value(_tile(4, 8))
            ct.PermuteOp.build(x, [1, 0])
            tensor = ct.MakeTensorViewOp.build(_value(ct.PtrType.of(ir.F32Type.get())), [64], [1])
            view = ct.MakePartitionViewOp.build(tensor, [8])
            ct.LoadViewTkoOp.build(view, [_value(ir.IntegerType.get_signless(32))])
    assert module.operation.verify()


def test_any_extent_lifts_the_power_of_two_rule(block):
    ct.SplatOp.build(_value(ir.F32Type.get()), [192])
    with pytest.raises(MLIRError, match="powers of two, got 192"):
        block.operation.verify()
    block.operation.attributes[ANY_EXTENT_ATTRIBUTE] = ir.UnitAttr.get()
    assert block.operation.verify()


def test_error_is_reported_at_the_source_location(block):
    where = ir.Location.file("k.tile", 3, 5, 3, 9)
    ct.NegFOp.build(_value(_tile(4, element="i32")), loc=where)
    with pytest.raises(MLIRError) as caught:
        block.operation.verify()
    (found,) = diagnose(caught.value, [], "T0500").diagnostics
    assert found.span == SourceSpan("k.tile", 3, 5, 3, 9)


def test_contexts_do_not_mix():
    texts = []
    for _ in range(2):
        context = make_context()
        with context, ir.Location.unknown():
            module = ir.Module.create()
            with ir.InsertionPoint(module.body):
                value = ct.NegFOp.build(_value(_tile(4)))
            assert isinstance(value.owner.opview, ct.NegFOp)
            assert isinstance(value.type, ct.TileType)
            assert module.operation.verify()
            texts.append(str(module))
    assert texts[0] == texts[1]


def test_verification_is_fast(block):
    x = _value(_tile(4))
    for _ in range(2000):
        x = ct.AddFOp.build(x, x)
    start = time.process_time()
    assert block.operation.verify()
    assert time.process_time() - start < 1.0  # about 30 ms on an idle machine
