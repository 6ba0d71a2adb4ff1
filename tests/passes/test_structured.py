"""tilec/ir/structured.py: slices, clones and values threaded through structured control flow."""

import pytest

from tilec.ir.bindings import ir
from tilec.ir.context import make_context
from tilec.ir.structured import (
    backward_slice,
    body_operations,
    clone_slice,
    defining_operation,
    enclosing_loops,
    parent_operation,
    terminator,
    thread_value,
)
from tilec.ir.walks import walk_operations


@pytest.fixture(scope="module")
def context():
    return make_context()


@pytest.fixture
def parse(context):
    """Return a function from the text of a function body to its block; the module stays alive."""
    modules = []

    def parse_body(body, arguments="%n: i32, %p: i1"):
        text = f"func.func @f({arguments}) {{\n{body}\nreturn\n}}"
        module = ir.Module.parse(text, context)
        modules.append(module)
        return module.body.operations[0].regions[0].blocks[0]

    return parse_body


def _find(block, name, number=0):
    return [op for op in walk_operations(block) if op.name == name][number]


def _names(block):
    return [op.name for op in walk_operations(block)]


def _clone(block, roots, hook=lambda op, mapping: False, unneeded=lambda value: False):
    """Clone the slice of `roots` into a function of its own and return its block."""
    function = parent_operation(terminator(block))
    kept = backward_slice(roots, block, unneeded)
    with ir.Location.unknown(block.owner.context):
        target = function.clone(ip=ir.InsertionPoint.after(function)).regions[0].blocks[0]
        for op in reversed(body_operations(target)[:-1]):
            for result in op.results:
                assert next(iter(result.uses), None) is None
            op.erase()
        target.owner.attributes["sym_name"] = ir.StringAttr.get("clone")
        mapping = dict(zip(block.arguments, target.arguments, strict=True))
        with ir.InsertionPoint(terminator(target)):
            clone_slice(block, kept, mapping, hook)
    assert function.parent.operation.verify()
    return target


NESTED = """
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
scf.for %i = %c0 to %n step %c1 : i32 {
  scf.if %p {
    scf.while : () -> () {
      scf.condition(%p)
    } do {
      %x = arith.addi %i, %c1 : i32
      scf.yield
    }
  }
}
"""


def test_operations_are_visited_outer_first(parse):
    assert _names(parse(NESTED)) == [
        "arith.constant", "arith.constant", "scf.for", "scf.if", "scf.while", "scf.condition",
        "arith.addi", "scf.yield", "scf.yield", "scf.yield", "func.return",
    ]  # fmt: skip


def test_operations_know_their_loops_and_values_their_definitions(parse):
    addition = _find(parse(NESTED), "arith.addi")

    assert [loop.name for loop in enclosing_loops(addition)] == ["scf.while", "scf.for"]
    assert defining_operation(addition.operands[0]) is None
    assert defining_operation(addition.operands[1]).name == "arith.constant"


CARRIED = """
%c0 = arith.constant 0 : i32
%c1 = arith.constant 1 : i32
%c2 = arith.constant 2 : i32
%r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c2) -> (i32, i32) : i32 {
  %x = arith.addi %a, %i : i32
  %y = arith.muli %b, %i : i32
  scf.yield %x, %y : i32, i32
}
%s = arith.subi %r#0, %c1 : i32
%t = arith.xori %r#1, %c1 : i32
"""


def test_a_slice_keeps_only_the_carried_values_that_it_needs(parse):
    block = parse(CARRIED)
    loop = _find(block, "scf.for")

    kept = backward_slice([_find(block, "arith.subi")], block)

    assert kept.indices(loop, 2) == [0]
    assert _find(block, "arith.muli") not in kept.ops
    assert _find(block, "arith.constant", 2) not in kept.ops


def test_a_cloned_loop_carries_only_what_the_slice_needs(parse):
    block = parse(CARRIED)

    clone = _clone(block, [_find(block, "arith.xori")])

    loop = _find(clone, "scf.for")
    assert len(loop.results) == 1
    assert "arith.addi" not in _names(clone)
    assert _find(clone, "arith.xori").operands[0] == loop.results[0]
    assert _find(clone, "arith.muli").operands[0] == loop.regions[0].blocks[0].arguments[1]


def test_a_root_inside_a_loop_needs_the_loop_but_none_of_its_results(parse):
    block = parse(
        """
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
          %x = arith.addi %a, %i : i32
          %y = arith.muli %i, %c1 : i32
          scf.yield %x : i32
        }
        """
    )

    clone = _clone(block, [_find(block, "arith.muli")])

    assert _names(clone) == [
        "arith.constant", "arith.constant", "scf.for", "arith.muli", "scf.yield", "func.return",
    ]  # fmt: skip
    assert len(_find(clone, "scf.for").results) == 0


def test_a_carried_value_that_only_feeds_itself_is_followed_round_the_loop(parse):
    block = parse(
        """
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1) -> (i32, i32) : i32 {
          %x = arith.addi %a, %b : i32
          %y = arith.muli %b, %i : i32
          scf.yield %x, %y : i32, i32
        }
        %s = arith.subi %r#0, %c1 : i32
        """
    )

    clone = _clone(block, [_find(block, "arith.subi")])

    assert len(_find(clone, "scf.for").results) == 2


def test_both_sides_of_a_branch_yield_what_the_slice_needs(parse):
    block = parse(
        """
        %c0 = arith.constant 0 : i32
        %r:2 = scf.if %p -> (i32, i32) {
          %x = arith.addi %n, %n : i32
          scf.yield %x, %c0 : i32, i32
        } else {
          %y = arith.muli %n, %n : i32
          scf.yield %y, %n : i32, i32
        }
        %s = arith.subi %r#0, %c0 : i32
        """
    )

    clone = _clone(block, [_find(block, "arith.subi")])

    branch = _find(clone, "scf.if")
    assert len(branch.results) == 1
    assert [region.blocks[0].operations[0].name for region in branch.regions] == [
        "arith.addi",
        "arith.muli",
    ]


def test_a_branch_without_else_is_cloned_without_else(parse):
    block = parse("scf.if %p {\n %x = arith.addi %n, %n : i32\n}")

    clone = _clone(block, [_find(block, "arith.addi")])

    assert len(_find(clone, "scf.if").regions[1].blocks) == 0


WHILE = """
%c0 = arith.constant 0 : i32
%w:3 = scf.while (%a = %n, %b = %c0, %c = %n) : (i32, i32, i32) -> (i32, i32, i32) {
  %more = arith.cmpi slt, %b, %n : i32
  scf.condition(%more) %c, %b, %a : i32, i32, i32
} do {
^bb0(%x: i32, %y: i32, %z: i32):
  %u = arith.addi %x, %y : i32
  %v = arith.muli %z, %n : i32
  %t = arith.xori %y, %n : i32
  scf.yield %v, %t, %u : i32, i32, i32
}
%s = arith.subi %w#RESULT, %c0 : i32
"""


@pytest.mark.parametrize(
    ("result", "arguments", "results", "kept"),
    [
        (0, 2, 2, ["arith.addi", "arith.xori"]),
        (1, 1, 1, ["arith.xori"]),
        (2, 2, 2, ["arith.muli", "arith.xori"]),
    ],
)
def test_a_cloned_while_loop_carries_what_the_slice_and_its_condition_need(
    parse, result, arguments, results, kept
):
    block = parse(WHILE.replace("RESULT", str(result)))

    clone = _clone(block, [_find(block, "arith.subi")])

    loop = _find(clone, "scf.while")
    assert [len(region.blocks[0].arguments) for region in loop.regions] == [arguments, results]
    assert len(loop.results) == results
    body = loop.regions[1].blocks[0]
    assert [op.name for op in body_operations(body)] == [*kept, "scf.yield"]


def test_effects_that_a_slice_does_not_need_stay_out_of_its_while_loops(parse):
    block = parse(
        """
        %c0 = arith.constant 0 : i32
        %w = scf.while (%a = %c0) : (i32) -> (i32) {
          scf.condition(%p) %a : i32
        } do {
        ^bb0(%x: i32):
          "nv_tileas.barrier"() : () -> ()
          %y = arith.addi %x, %n : i32
          scf.yield %y : i32
        }
        %s = arith.subi %w, %c0 : i32
        """
    )

    clone = _clone(block, [_find(block, "arith.subi")])

    assert "nv_tileas.barrier" not in _names(clone)
    assert "arith.addi" in _names(clone)


def test_a_hook_replaces_operations_and_their_results(parse):
    block = parse("%x = arith.addi %n, %n : i32\n%y = arith.muli %x, %n : i32")

    def hook(op, mapping):
        if op.name == "arith.addi":
            mapping[op.results[0]] = mapping[op.operands[0]]
        return op.name == "arith.addi"

    clone = _clone(block, [_find(block, "arith.muli")], hook)

    assert _names(clone) == ["arith.muli", "func.return"]
    assert list(_find(clone, "arith.muli").operands) == [clone.arguments[0], clone.arguments[0]]


def test_values_that_count_as_given_are_not_followed(parse):
    block = parse("%x = arith.addi %n, %n : i32\n%y = arith.muli %x, %n : i32")
    given = _find(block, "arith.addi").results[0]

    kept = backward_slice([_find(block, "arith.muli")], block, lambda value: value == given)

    assert kept.ops == {_find(block, "arith.muli")}


def test_values_from_outside_the_block_are_not_followed(parse):
    body = _find(parse(NESTED), "scf.for").regions[0].blocks[0]

    kept = backward_slice([_find(body, "arith.addi")], body)

    assert {op.name for op in kept.ops} == {"arith.addi", "scf.if", "scf.while"}


def _thread(block, user):
    """Thread an i32 that starts as the first argument and that `user` doubles; return its end."""

    def double(state):
        with ir.InsertionPoint(user), ir.Location.unknown():
            return ir.Operation.create(
                "arith.addi", results=[state.type], operands=[state, state]
            ).results[0]

    end = thread_value(block, block.arguments[0], user, double)
    with ir.InsertionPoint(terminator(block)), ir.Location.unknown(block.owner.context):
        ir.Operation.create("arith.muli", results=[end.type], operands=[end, end])
    assert block.owner.operation.verify()
    return end


def test_a_value_passes_an_operation_in_straight_code(parse):
    block = parse("%x = arith.subi %n, %n : i32")

    end = _thread(block, _find(block, "arith.subi"))

    assert end.owner.name == "arith.addi"


def test_a_loop_around_the_user_carries_the_value_after_its_own(parse):
    block = parse(CARRIED)

    end = _thread(block, _find(block, "arith.muli"))

    loop = _find(block, "scf.for")
    assert end == loop.results[2]
    body = loop.regions[0].blocks[0]
    assert loop.operands[5] == block.arguments[0]
    assert terminator(body).operands[2].owner.name == "arith.addi"
    assert _find(block, "arith.subi").operands[0] == loop.results[0]


def test_a_branch_hands_the_value_on_where_the_user_is_not(parse):
    block = parse("scf.if %p {\n %x = arith.subi %n, %n : i32\n}")

    end = _thread(block, _find(block, "arith.subi"))

    branch = _find(block, "scf.if")
    assert end == branch.results[0]
    assert terminator(branch.regions[0].blocks[0]).operands[0].owner.name == "arith.addi"
    assert terminator(branch.regions[1].blocks[0]).operands[0] == block.arguments[0]


def test_a_user_in_the_else_block_leaves_the_then_block_alone(parse):
    block = parse(
        """
        %r = scf.if %p -> (i32) {
          scf.yield %n : i32
        } else {
          %x = arith.subi %n, %n : i32
          scf.yield %x : i32
        }
        """
    )

    end = _thread(block, _find(block, "arith.subi"))

    branch = _find(block, "scf.if")
    assert end == branch.results[1]
    assert list(terminator(branch.regions[0].blocks[0]).operands) == [block.arguments[0]] * 2
    assert terminator(branch.regions[1].blocks[0]).operands[1].owner.name == "arith.addi"


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_while_loop_carries_the_value_through_both_regions(parse, place):
    marker = "%x = arith.subi %n, %n : i32"
    block = parse(
        f"""
        scf.while : () -> () {{
          {marker if place == "before" else ""}
          scf.condition(%p)
        }} do {{
          {marker if place == "after" else ""}
          scf.yield
        }}
        """
    )

    end = _thread(block, _find(block, "arith.subi"))

    loop = _find(block, "scf.while")
    before, after = (region.blocks[0] for region in loop.regions)
    passed, returned = terminator(before).operands[1], terminator(after).operands[0]
    assert end == loop.results[0]
    changed, kept = (passed, returned) if place == "before" else (returned, passed)
    assert changed.owner.name == "arith.addi"
    assert kept == (after if place == "before" else before).arguments[0]


def test_nested_control_flow_carries_the_value_level_by_level(parse):
    block = parse(NESTED)

    end = _thread(block, _find(block, "arith.addi"))

    loop = _find(block, "scf.for")
    assert end == loop.results[0]
    branch = _find(block, "scf.if")
    assert terminator(loop.regions[0].blocks[0]).operands[0] == branch.results[0]
    assert terminator(branch.regions[0].blocks[0]).operands[0].owner.name == "scf.while"
