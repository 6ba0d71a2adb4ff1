"""How integers and bools change with the rounds of a loop."""

import pytest

from tilec.ir.bindings import ir
from tilec.ir.context import make_context
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.facts.growth import Growth
from tilec.passes.analysis.facts.value_ranges import ValueRanges

CASES = {
    "%v = arith.addi %i, %n : i32": 1,
    "%v = arith.subi %n, %i : i32": -1,
    "%v = arith.muli %i, %n : i32": None,
    "%v = arith.cmpi slt, %i, %n : i32": -1,
    "%v = arith.cmpi sle, %n, %i : i32": 1,
    "%v = arith.cmpi uge, %i, %n : i32": 1,
    "%v = arith.cmpi sgt, %n, %i : i32": -1,
    "%v = arith.cmpi eq, %i, %n : i32": None,
    "%v = arith.cmpi ne, %m, %n : i32": 0,
    "%w = arith.cmpi slt, %i, %n : i32\n%v = arith.xori %w, %true : i1": 1,
    "%w = arith.cmpi slt, %i, %n : i32\n%v = arith.xori %w, %flag : i1": None,
    "%w = arith.cmpi slt, %i, %n : i32\n%v = arith.andi %w, %flag : i1": -1,
    "%w = arith.cmpi slt, %i, %n : i32\n%x = arith.cmpi slt, %n, %i : i32\n"
    "%v = arith.ori %w, %x : i1": None,
    "%w = arith.cmpi slt, %i, %n : i32\n%v = arith.cmpi slt, %w, %flag : i1": None,
    # A quotient that is rounded up.
    "%q = arith.divsi %i, %c8 : i32\n%r = arith.remsi %i, %c8 : i32\n"
    "%w = arith.cmpi sgt, %r, %c0 : i32\n%s = arith.addi %q, %c1 : i32\n"
    "%v = arith.select %w, %s, %q : i32": 1,
    "%w = arith.cmpi slt, %i, %n : i32\n%v = arith.select %w, %i, %n : i32": None,
    # Sums of what is never negative, of as many numbers as the loop has rounds.
    "%v = scf.for %j = %c0 to %i step %c1 iter_args(%s = %c0) -> (i32) : i32 {\n"
    "%w = arith.cmpi slt, %j, %n : i32\n%x = arith.extui %w : i1 to i32\n"
    "%y = arith.addi %s, %x : i32\nscf.yield %y : i32 }": 1,
    "%v = scf.for %j = %c0 to %i step %c1 iter_args(%s = %n) -> (i32) : i32 {\n"
    "%y = arith.addi %m, %s : i32\nscf.yield %y : i32 }": None,
}


@pytest.fixture(scope="module")
def context():
    return make_context()


@pytest.mark.parametrize("text", CASES)
def test_growth_with_the_rounds_of_a_loop(context, text):
    lines = text.replace("\n", "\n    ")
    module = ir.Module.parse(
        f"""
        func.func @k(%n: i32, %m: i32, %flag: i1) {{
          %true = arith.constant true
          %c0 = arith.constant 0 : i32
          %c1 = arith.constant 1 : i32
          %c8 = arith.constant 8 : i32
          scf.for %i = %c0 to %n step %c1 : i32 {{
            {lines}
          }}
          func.return
        }}""",
        context,
    )
    loop = next(op for op in walk_operations(module.body) if op.name == "scf.for")
    *_, last, _ = loop.regions[0].blocks[0].operations
    growth = Growth(set(), ValueRanges(loop.block, {}), loop)
    assert growth.of(last.operation.results[0]) == CASES[text]
