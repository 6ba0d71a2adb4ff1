"""What a step along an axis adds to the elements of an index tile."""

import pytest

from tilec.ir.bindings import ir
from tilec.ir.context import make_context
from tilec.passes.analysis.facts.index_tiles import index_steps

LINES = """
    %range = "nv_tileas.make_range"() {start = 5 : i64} : () -> tensor<8xi32>
    %rows = "nv_tileas.view"(%range) : (tensor<8xi32>) -> tensor<8x1xi32>
    %columns = "nv_tileas.view"(%range) : (tensor<8xi32>) -> tensor<1x8xi32>
    %a = "nv_tileas.broadcast"(%rows) : (tensor<8x1xi32>) -> tensor<8x8xi32>
    %b = "nv_tileas.broadcast"(%columns) : (tensor<1x8xi32>) -> tensor<8x8xi32>
    %start = "nv_tileas.splat"(%n) : (i32) -> tensor<8x8xi32>
    %shifted = arith.addi %start, %b : tensor<8x8xi32>
    %distance = arith.subi %shifted, %a : tensor<8x8xi32>
    %turned = "nv_tileas.permute"(%distance) {permutation = array<i64: 1, 0>} : (tensor<8x8xi32>) -> tensor<8x8xi32>
    %flat = "nv_tileas.view"(%distance) : (tensor<8x8xi32>) -> tensor<64xi32>
    %one = arith.constant dense<1> : tensor<8xi32>
    %next = arith.addi %range, %one : tensor<8xi32>
    %square = arith.muli %range, %range : tensor<8xi32>
    %nothing = arith.subi %a, %a : tensor<8x8xi32>
"""  # noqa: E501
STEPS = {
    "range": (1,),
    "rows": (1, 0),
    "columns": (0, 1),
    "a": (1, 0),
    "b": (0, 1),
    "start": None,
    "shifted": (0, 1),
    "distance": (-1, 1),
    "turned": (1, -1),
    "flat": None,
    "one": None,
    "next": (1,),
    "square": None,
    "nothing": None,
}


@pytest.fixture(scope="module")
def tiles():
    """Return the tiles by name."""
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(f"func.func @f(%n: i32) {{{LINES}    return\n}}")
        *ops, _ = module.body.operations[0].regions[0].blocks[0].operations
        yield dict(zip(STEPS, (op.results[0] for op in ops), strict=True))


@pytest.mark.parametrize("name", STEPS)
def test_steps(tiles, name):
    assert index_steps(tiles[name]) == STEPS[name]
