"""passes/conversion/nv_tileas_to_llvm/emit.py: integers that fold, pointers and vectors."""

import pytest

from tilec.ir.bindings import arith, ir, llvm
from tilec.ir.context import make_context
from tilec.passes.conversion.nv_tileas_to_llvm import emit


@pytest.fixture(scope="module")
def context():
    return make_context()


@pytest.fixture
def body(context):
    """Return a block with an i32 argument; what a test emits goes there."""
    with context, ir.Location.unknown():
        module = ir.Module.parse("func.func @f(%x: i32) { return }")
        block = module.body.operations[0].regions[0].blocks[0]
        with ir.InsertionPoint(block.operations[0]):
            yield block
        assert module.operation.verify()


def _emitted(block):
    return [op.operation.name for op in block.operations][:-1]


def test_known_integers_fold_without_code(body):
    assert emit.add(2, 3) == 5
    assert emit.multiply(2, 3) == 6
    assert emit.divide(7, 2) == 3
    assert emit.remainder(7, 4) == 3
    assert emit.total([1, 2, 3]) == 6
    assert _emitted(body) == []


def test_neutral_operands_cost_nothing(body):
    x = body.arguments[0]

    assert emit.add(x, 0) == emit.add(0, x) == x
    assert emit.multiply(x, 1) == emit.multiply(1, x) == x
    assert emit.multiply(x, 0) == emit.multiply(0, x) == 0
    assert emit.divide(x, 1) == x
    assert emit.remainder(x, 1) == 0
    assert _emitted(body) == []


def test_run_time_integers_become_instructions(body):
    x = body.arguments[0]

    emit.add(x, 2)
    emit.divide(x, 4)
    emit.remainder(x, 4)

    assert [name for name in _emitted(body) if name != "arith.constant"] == [
        "arith.addi",
        "arith.divui",
        "arith.remui",
    ]


def test_a_sum_adds_its_constants_once(body):
    x = body.arguments[0]

    result = emit.total([4, x, 8, x])

    assert _emitted(body) == ["arith.addi", "arith.constant", "arith.addi"]
    assert not isinstance(result, int)
    assert result.owner.operands[1].owner.attributes["value"].value == 12


def test_an_offset_of_zero_is_the_pointer_itself(body):
    pointer = llvm.ZeroOp(emit.pointer_type(emit.SHARED)).res

    assert emit.byte_offset(pointer, 0) == pointer
    assert emit.byte_offset(pointer, 16).owner.name == "llvm.getelementptr"


@pytest.mark.parametrize(
    ("element", "stored"),
    [("i1", "i8"), ("f8E4M3FN", "i8"), ("f8E5M2", "i8"), ("bf16", "bf16"), ("i64", "i64")],
)
def test_elements_are_stored_as_whole_bytes(body, element, stored):
    assert str(emit.memory_type(ir.Type.parse(element))) == stored


def test_a_bool_is_widened_for_memory_and_compared_back(body):
    flag = arith.constant(emit.i1_type(), 1)

    stored = emit.to_memory(flag)

    assert stored.owner.name == "arith.extui"
    assert emit.from_memory(stored, flag.type).owner.name == "arith.cmpi"


@pytest.mark.parametrize("count", [1, 2, 4])
def test_vectors_are_aligned_to_their_size(body, count):
    single = ir.F32Type.get()
    pointer = llvm.ZeroOp(emit.pointer_type(emit.GLOBAL)).res

    elements = emit.load_vector(pointer, single, count)
    emit.store_vector(pointer, elements)

    assert [element.type for element in elements] == [single] * count
    accesses = [op for op in body.operations if op.operation.name in ("llvm.load", "llvm.store")]
    assert len(accesses) == 2
    if count > 1:
        for access in accesses:
            assert access.operation.attributes["alignment"].value == 4 * count
