"""Which functions of reductions are found to be commutative."""

import pytest

from tilec.compiler.driver import compile_source
from tilec.dialects.nv_tileas.tile_ops import ReduceOp
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.commutativity import is_commutative
from tilec.request.options import CompileOptions
from tilec.support.diagnostics import SourceFile

KERNEL = """
@kernel
def k(X: {kind}[64], Y: {kind}[1]):
    i = grid(1)
    x = load(X, 0, 64)
    store(Y, 0, {expression})
"""
COMMUTATIVE = {
    "a sum": ("f32", "sum(x)"),
    "the largest of all": ("f32", "max(x)"),
    "the place of the largest": ("f32", "cast(argmax(x), f32)"),
    "operands of one sum": ("i32", "reduce(x, 0, lambda a, b: b + a, 0)"),
    "the same of both sides": ("f32", "reduce(x, 0, lambda a, b: maximum(abs(a), abs(b)), 0)"),
    "a constant": ("i32", "reduce(x, 0, lambda a, b: 3, 3)"),
    "two results": ("f32", "reduce((x, x), 0, lambda a, b, c, d: (a + c, b * d), (0, 1))[0]"),
}
ORDERED = {
    "one side": ("f32", "reduce(x, 0, lambda a, b: b, 0)"),
    "a difference": ("i32", "reduce(x, 0, lambda a, b: a - b, 0)"),
    "something of one side": ("f32", "reduce(x, 0, lambda a, b: maximum(a, abs(b)), 0)"),
    "results that change places": (
        "i32",
        "reduce((x, x), 0, lambda a, b, c, d: (c, b), (0, 0))[0]",
    ),
    "composed functions": (
        "i32",
        "reduce((x, x), 0, lambda a, b, c, d: (a * c, b * c + d), (1, 0))[1]",
    ),
}


def functions(kind, expression):
    """Return for each reduction of a kernel whether its function is commutative."""
    source = SourceFile("k.tile", KERNEL.format(kind=kind, expression=expression))
    found = compile_source(source, "k", options=CompileOptions(emit="nv_tileas"))
    ops = walk_operations(found.snapshots["nv_tileas"].body)
    return [is_commutative(op) for op in ops if op.name == ReduceOp.OPERATION_NAME]


@pytest.mark.parametrize("name", COMMUTATIVE)
def test_a_function_whose_sides_may_change_places(name):
    assert set(functions(*COMMUTATIVE[name])) == {True}


@pytest.mark.parametrize("name", ORDERED)
def test_a_function_whose_sides_may_not(name):
    assert set(functions(*ORDERED[name])) == {False}
