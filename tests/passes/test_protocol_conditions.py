"""Conditions and trip counts that the protocol check reads from the IR of a kernel."""

import pytest

from tilec.ir.context import make_context
from tilec.ir.text import parse_module
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.protocol.conditions import Conditions
from tilec.passes.analysis.protocol.quantities import Rounds
from tilec.passes.analysis.protocol.values import ValueNumbers

LOOP = """
func.func @f(%n: i32, %first: i32, %other: i1) {{
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c100 = arith.constant 100 : i32
  %true = arith.constant true
  scf.for %k = {first} to {end} step %c1 : i32 {{
    {text}
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
    "the smaller one": (
        "%b = arith.minsi %n, %c4 : i32\n%x = arith.cmpi slt, %k, %b : i32",
        [True, True, True],
    ),
    "a multiple": (
        "%b = arith.muli %k, %c4 : i32\n%x = arith.cmpi eq, %b, %c4 : i32",
        [True, False, False],
    ),
}


def read(text: str, first: str = "%c1", end: str = "%n"):
    """Return the loop, its branch and what reads them."""
    module = parse_module(LOOP.format(first=first, end=end, text=text), make_context(), "t.mlir")
    ops = list(walk_operations(module.body))
    conditions = Conditions(10, ops)
    conditions.enter(module.body.operations[0].operation.regions[0].blocks[0])
    loop = next(op for op in ops if op.name == "scf.for")
    branch = next(op for op in ops if op.name == "scf.if")
    return loop, branch, conditions, module


def outcomes(condition, conditions, values) -> list[bool]:
    """Return how a condition comes out in three rounds."""
    known = {number: (values.get(number, 0),) for number in range(len(conditions.variables))}
    variables = tuple(conditions.variables)
    return [condition.holds(Rounds(known, variables, {0: number})) for number in range(3)]


@pytest.mark.parametrize("name", CASES)
def test_what_rounds_decide(name):
    text, expected = CASES[name]
    loop, branch, conditions, _module = read(text)
    trips = conditions.trips_of(loop)
    assert (trips.distance.constant, trips.distance.variable) == (-1, (0, 1))
    condition = conditions.of_branch(branch)
    assert len(conditions.variables) == 1
    assert outcomes(condition, conditions, {0: 4}) == expected


@pytest.mark.parametrize(
    ("text", "first", "varies"),
    [
        ("%x = arith.andi %other, %true : i1", "%c1", False),
        ("%x = arith.cmpi ult, %k, %c1 : i32", "%c1", True),
        ("%b = arith.muli %k, %n : i32\n%x = arith.cmpi eq, %b, %c1 : i32", "%c1", True),
        ("%b = arith.remui %k, %n : i32\n%x = arith.cmpi eq, %b, %c1 : i32", "%first", True),
    ],
)
def test_what_something_else_decides_is_a_variable(text, first, varies):
    """Whether it may change from round to round is known all the same."""
    loop, branch, conditions, _module = read(text, first)
    conditions.trips_of(loop)
    conditions.of_branch(branch)
    assert [v.depths for v in conditions.variables] == [(), (0,) if varies else ()]


def test_a_loop_from_an_unknown_bound_counts_its_rounds_from_there():
    text = "%e = arith.addi %first, %c1 : i32\n%x = arith.cmpi eq, %k, %e : i32"
    loop, branch, conditions, _module = read(text, "%first")
    conditions.trips_of(loop)
    assert len(conditions.variables) == 1
    assert outcomes(conditions.of_branch(branch), conditions, {}) == [False, True, False]


def test_loops_whose_bounds_differ_by_a_constant_have_one_variable():
    text = "%x = arith.cmpi eq, %k, %c1 : i32\nscf.for %j = %c0 to %n step %c1 : i32 {{\n}}"
    loop, _, conditions, module = read(text.replace("{{", "{").replace("}}", "}"))
    inner = next(op for op in walk_operations(module.body) if op.name == "scf.for" and op != loop)
    first, second = conditions.trips_of(loop).distance, conditions.trips_of(inner).distance
    assert first.variable == second.variable
    assert (first.constant, second.constant) == (-1, 0)


@pytest.mark.parametrize(("end", "long"), [("%c4", []), ("%c100", [True])])
def test_long_loops_with_constant_bounds_have_a_variable(end, long):
    """The comparison with the last round is relative to it."""
    text = "%c99 = arith.constant 99 : i32\n%x = arith.cmpi eq, %k, %c99 : i32"
    loop, branch, conditions, _module = read(text, "%c0", end)
    trips = conditions.trips_of(loop)
    assert [variable.long for variable in conditions.variables] == long
    if long:
        assert outcomes(conditions.of_branch(branch), conditions, {0: 3}) == [False, False, True]
    else:
        assert trips.evaluate(Rounds({}, ())) == 4


COUNTED = """
func.func @f(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
  }
  %r = scf.while (%j = %c0) : (i32) -> i32 {
    %c = arith.cmpi slt, %j, %n : i32
    scf.condition(%c) %j : i32
  } do {
  ^bb0(%j: i32):
    %next = arith.addi %j, STEP : i32
    scf.yield %next : i32
  }
  return
}
"""


@pytest.mark.parametrize(("step", "equal"), [("%c1", True), ("%j", False)])
def test_a_while_that_counts_runs_as_often_as_a_for(step, equal):
    module = parse_module(COUNTED.replace("STEP", step), make_context(), "t.mlir")
    conditions = Conditions(longest=10)
    conditions.enter(module.body.operations[0].operation.regions[0].blocks[0])
    loops = [op for op in walk_operations(module.body) if op.name in ("scf.for", "scf.while")]
    first, second = map(conditions.trips_of, loops)
    assert (first == second) == equal


WHILES = """
func.func @f(%n: i32, %stops: i1, %other: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %a:2 = scf.while (%j = %c0, %s = %false) : (i32, i1) -> (i32, i1) {
    %goes = arith.xori %s, %true : i1
    %less = arith.cmpi slt, %j, %n : i32
    %both = arith.andi %goes, %less : i1
    scf.condition(%both) %j, %s : i32, i1
  } do {
  ^bb0(%j: i32, %s: i1):
    %next = arith.addi %j, %c1 : i32
    scf.yield %next, FIRST : i32, i1
  }
  %b:3 = scf.while (%x = %n, %j = %c0, %s = %false) : (i32, i32, i1) -> (i32, i32, i1) {
    %goes = arith.xori %s, %true : i1
    %less = arith.cmpi slt, %j, %n : i32
    %both = arith.andi %goes, %less : i1
    scf.condition(%both) %x, %j, %s : i32, i32, i1
  } do {
  ^bb0(%x: i32, %j: i32, %s: i1):
    %next = arith.addi %j, %c1 : i32
    scf.yield %x, %next, SECOND : i32, i32, i1
  }
  return
}
"""


@pytest.mark.parametrize(("second", "equal"), [("%stops", True), ("%other", False)])
def test_loops_that_end_alike_pass_on_the_same(second, equal):
    text = WHILES.replace("FIRST", "%stops").replace("SECOND", second)
    module = parse_module(text, make_context(), "t.mlir")
    first, other = [op for op in walk_operations(module.body) if op.name == "scf.while"]
    numbers = ValueNumbers()
    pairs = zip(list(first.results), list(other.results)[1:], strict=True)
    assert [numbers.number(a) == numbers.number(b) for a, b in pairs] == [equal, equal]
