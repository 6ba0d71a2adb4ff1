"""Conditions of branches that the protocol check reads from rounds and trip counts."""

import pytest

from tilec.ir.context import make_context
from tilec.ir.structured import walk_operations
from tilec.ir.text import parse_module
from tilec.passes.analysis.async_protocol.conditions import Conditions
from tilec.passes.analysis.async_protocol.events import Rounds

LOOP = """
func.func @f(%n: i32, %first: i32, %other: i1) {{
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  scf.for %k = {first} to %n step %c1 : i32 {{
    {condition}
    scf.if %x {{
    }}
  }}
  return
}}
"""
LAST = "%e = arith.subi %n, %c1 : i32\n%x = arith.cmpi eq, %k, %e : i32"
FEW = "%few = arith.cmpi slt, %n, %c4 : i32\n"
CASES = {
    "the first round": ("%x = arith.cmpi eq, %k, %c1 : i32", [True, False, False]),
    "the last round": (LAST, [False, False, True]),
    "every round": ("%x = arith.cmpi slt, %k, %n : i32", [True] * 3),
    "a choice": (
        FEW + "%b = arith.select %few, %c1, %c4 : i32\n%x = arith.cmpi slt, %k, %b : i32",
        [True, True, True],
    ),
    "a negation": (FEW + "%x = arith.xori %few, %true : i1", [True] * 3),
}


def condition(text: str, first: str = "%c1", source: str = LOOP):
    module = parse_module(source.format(first=first, condition=text), make_context(), "t.mlir")
    ops = list(walk_operations(module.body))
    branch = next(op for op in ops if op.name == "scf.if")
    conditions = Conditions(module.body.operations[0].operation.regions[0].blocks[0])
    return conditions.of_branch(branch, 1), conditions, module


@pytest.mark.parametrize("name", CASES)
def test_what_rounds_decide(name):
    text, expected = CASES[name]
    decide, _, _module = condition(text)
    assert decide is not None
    assert [decide(Rounds({0: 3}, {0: number})) for number in range(3)] == expected


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("%x = arith.andi %other, %true : i1", "%c1"),
        ("%x = arith.cmpi eq, %k, %c1 : i32", "%first"),
        ("%x = arith.cmpi ult, %k, %c1 : i32", "%c1"),
        ("%b = arith.muli %k, %n : i32\n%x = arith.cmpi eq, %b, %c1 : i32", "%c1"),
    ],
)
def test_what_something_else_decides(text, first):
    assert condition(text, first)[0] is None


def test_rounds_that_are_compared_with():
    _, conditions, _module = condition(CASES["a choice"][0])
    assert conditions.constants == {1, 4}
    _, conditions, _module = condition("%x = arith.andi %other, %true : i1")
    assert conditions.constants == set()


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (LAST, "scf.for %j = %c4 to %n step %c1 : i32"),
        ("%x = arith.cmpi slt, %k, %c4 : i32", "scf.for %j = %c1 to %c4 step %c1 : i32"),
    ],
)
def test_a_bound_that_is_no_number(text, other):
    """Loops that begin differently share it, or it is a constant of a condition as well."""
    ends = f"  {other} {{{{\n  }}}}\n  return"
    decide, _, _module = condition(text, source=LOOP.replace("  return", ends))
    assert decide is None
