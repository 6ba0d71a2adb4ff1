"""The nv_tileas dialect from Python: types, builders, ring positions and verification."""

import pytest

from tilec.dialects import nv_tileas as nt
from tilec.dialects.nv_tileas.ring_ops import ring_of_position, start_of_position
from tilec.dialects.nv_tileas.tma_ops import box_bytes, element_bits
from tilec.ir.bindings import MLIRError, ir
from tilec.ir.context import make_context
from tilec.ir.errors import diagnose
from tilec.ir.walks import walk_operations


@pytest.fixture(scope="module")
def context():
    return make_context()


@pytest.fixture
def module(context):
    """Return an empty module with the insertion point in its body."""
    with context, ir.Location.unknown():
        created = ir.Module.create()
        with ir.InsertionPoint(created.body):
            yield created


def _value(type_):
    return ir.Operation.create("builtin.unrealized_conversion_cast", results=[type_]).result


def _number(value):
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def _slot(shape=(8, 64), element="bf16", box=None, swizzle=128):
    layout = nt.SharedLayoutAttr.of(box or shape, swizzle)
    return nt.SharedTileType.of(shape, ir.Type.parse(element), layout)


def test_a_shared_tile_knows_its_shape_and_layout(module):
    slot = _slot((128, 128), "bf16", (128, 64))

    assert slot.shape == (128, 128)
    assert str(slot.element_type) == "bf16"
    assert slot.layout.box_shape == (128, 64)
    assert slot.layout.swizzle_bytes == 128


def test_types_are_found_again_as_their_classes(module):
    slot, descriptor = _slot(), nt.TmaDescriptorType.of((8, 64), ir.BF16Type.get())

    assert isinstance(ir.Type.parse(str(slot)), nt.SharedTileType)
    assert isinstance(ir.Type.parse(str(descriptor)), nt.TmaDescriptorType)
    assert ir.Type.parse(str(descriptor)).box_shape == (8, 64)
    assert isinstance(_value(nt.RingType.get()).type, nt.RingType)


def test_equal_types_are_equal(module):
    assert _slot() == _slot()
    assert _slot() != _slot(swizzle=0)


@pytest.mark.parametrize(
    ("element", "bits"), [("i1", 8), ("i8", 8), ("i32", 32), ("bf16", 16), ("f64", 64)]
)
def test_elements_take_whole_bytes(module, element, bits):
    assert element_bits(ir.Type.parse(element)) == bits
    assert box_bytes((3, 5), ir.Type.parse(element)) == 15 * bits // 8


def test_builders_return_values_of_the_right_type(module):
    ring, buffer = _value(nt.RingType.get()), _value(_slot())

    position = nt.RingStartOp.build(ring)
    following = nt.RingAdvanceOp.build(ring, position)
    tile = nt.LoadSharedOp.build(nt.SlotViewOp.build(buffer, following))

    assert isinstance(following.type, nt.RingPositionType)
    assert list(tile.type.shape) == [8, 64]
    assert tile.type.encoding is None
    assert module.operation.verify()


def test_a_ring_without_empty_barriers_says_so(module):
    full = nt.AllocMBarrierOp(
        barrier=nt.MBarrierType.get(), count=_number(1), slots=_number(2)
    ).barrier

    once = nt.CreateRingOp(full=full, ring=nt.RingType.get(), stages=_number(2))
    refilled = nt.CreateRingOp(full=full, empty=full, ring=nt.RingType.get(), stages=_number(2))

    assert once.empty is None
    assert refilled.empty == full


def test_a_position_leads_back_to_its_ring_through_control_flow(context):
    module = ir.Module.parse(
        """
        !ring = !nv_tileas.ring
        !at = !nv_tileas.ring_position
        func.func @f(%n: i32, %p: i1) {
          %c0 = arith.constant 0 : i32
          %c1 = arith.constant 1 : i32
          %r = builtin.unrealized_conversion_cast to !ring
          %start = "nv_tileas.ring_start"(%r) : (!ring) -> !at
          %a = scf.for %i = %c0 to %n step %c1 iter_args(%x = %start) -> (!at) : i32 {
            %y = scf.if %p -> (!at) {
              %z = "nv_tileas.ring_advance"(%r, %x) {count = 1 : i64} : (!ring, !at) -> !at
              scf.yield %z : !at
            } else {
              scf.yield %x : !at
            }
            scf.yield %y : !at
          }
          %b:2 = scf.while (%x = %a) : (!at) -> (i32, !at) {
            scf.condition(%p) %n, %x : i32, !at
          } do {
          ^bb0(%m: i32, %x: !at):
            %z = "nv_tileas.ring_advance"(%r, %x) {count = 1 : i64} : (!ring, !at) -> !at
            scf.yield %z : !at
          }
          "nv_tileas.ring_wait"(%r, %b#1) : (!ring, !at) -> ()
          return
        }
        """,
        context,
    )
    ops = list(walk_operations(module.body))
    start = next(op for op in ops if op.name == "nv_tileas.ring_start")
    users = [op for op in ops if op.name in ("nv_tileas.ring_advance", "nv_tileas.ring_wait")]

    assert len(users) == 3
    for op in users:
        assert start_of_position(op.operands[1]) == start.results[0]
        assert ring_of_position(op.operands[1]) == start.operands[0]


def _error(module):
    with pytest.raises(MLIRError) as caught:
        module.operation.verify()
    return diagnose(caught.value, [], "T0500").diagnostics[0].message


def test_an_operand_of_the_wrong_type_is_reported_not_raised(module):
    number = _value(ir.IntegerType.get_signless(32))
    ir.Operation.create("nv_tileas.ring_wait", operands=[number, number])

    assert _error(module) == "'nv_tileas.ring_wait' op expects a ring, but got i32"


def test_a_missing_attribute_is_reported_not_raised(module):
    ir.Operation.create("nv_tileas.fence_proxy")

    assert "space" in _error(module)


def test_missing_operands_are_reported_not_raised(module):
    ir.Operation.create("nv_tileas.mma_wait", attributes={"pending": _number(0)})

    assert _error(module) == "op expects exactly 2 operands, but got 0"
