"""Walks through the operations of a block, and what they cost while nothing changes."""

import pytest

from tilec.ir.bindings import ir
from tilec.ir.context import make_context
from tilec.ir.walks import reading, walk_operations

TEXT = """
%c = arith.constant 1 : index
%flag = arith.constant true
scf.for %i = %c to %c step %c {
  scf.if %flag {
    %x = arith.addi %i, %c : index
  } else {
    %y = arith.muli %i, %c : index
  }
}
"""
MORE = "%z = arith.constant 2 : index"
NAMES = ["constant", "constant", "for", "if", "addi", "yield", "muli", "yield", "yield"]


@pytest.fixture
def module():
    context = make_context()
    with context, ir.Location.unknown():
        yield ir.Module.parse(TEXT, context)


def names(ops):
    return [op.name.split(".")[1] for op in ops]


def test_every_operation_comes_before_those_inside(module):
    ops = walk_operations(module.body)
    assert names(ops) == NAMES
    assert names(walk_operations(ops[2].regions[0].blocks[0])) == NAMES[3:]
    sides = [walk_operations(region.blocks[0]) for region in ops[3].regions]
    assert [names(side) for side in sides] == [["addi", "yield"], ["muli", "yield"]]


def test_a_block_is_walked_through_once_while_nothing_changes(module):
    with reading():
        first = walk_operations(module.body)
        first.pop()  # the list is the caller's own
        with reading():
            assert names(walk_operations(module.body)) == NAMES
        module.body.append(ir.Operation.parse(MORE))
        assert names(walk_operations(module.body)) == NAMES
    assert names(walk_operations(module.body)) == [*NAMES, "constant"]


def test_an_error_ends_the_reading(module):
    def read_and_fail():
        with reading():
            walk_operations(module.body)
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        read_and_fail()
    module.body.append(ir.Operation.parse(MORE))
    assert names(walk_operations(module.body)) == [*NAMES, "constant"]
