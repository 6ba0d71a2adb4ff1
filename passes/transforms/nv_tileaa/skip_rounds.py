"""Run only the rounds of a loop in which its branch does something.

Before:  %r = scf.for %i = %l to %u step %s iter_args(%a = %z) {
           %p = P(%i); %b = scf.if %p { B(%i, %a) } else { yield %a }; yield %b }
After:   %n, %f = scf.for %i = %l to %u step %s iter_args(%c = 0, %e = %l) {
           %p = P(%i); yield %c + %p, (if %p and %c == 0 then %i else %e) }
         %r = scf.for %k = 0 to %n iter_args(%a = %z, %x = %f) {
           %i = scf.while (%j = %x) { %p = P(%j); condition(not %p & %j < %u - %s) %j }
                do { yield %j + %s }
           %b = B(%i, %a); yield %b, %i + %s }

Sparse attention asks a table in each round whether a query sees any key of a tile. With a branch
around all of a round, no product can run while the threads do what belongs to another round, so
such a loop was not rotated (`nv-tileas-schedule-loops`). Without it, a round is one like any other.
Each role searches the next round for itself. What decides is computed twice, from scalars and
single elements that nothing in the kernel writes; a table has few of them for each round. The
search ends at the last round even if somebody else changes the table meanwhile.

The order of the rounds that are left is the same, and the others changed nothing: their side of the
branch returns what the loop carries. Nothing else of a round reads what it carries or writes
memory. The pass looks at branches with products.
"""

from typing import Any

from tilec.ir.bindings import arith, ir, scf
from tilec.ir.integers import equal
from tilec.ir.removal import erase, is_used, replace_operation, replace_values
from tilec.ir.structured import body_operations, clone_operation, operations_inside, terminator
from tilec.ir.values import is_tile, makers_of
from tilec.passes.analysis.facts.element_accesses import is_element_access, is_repeatable
from tilec.passes.analysis.facts.memory_tokens import follows_store
from tilec.passes.analysis.facts.round_places import only_computes
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.support.fast_dataclasses import dataclass

_DOT, _LOAD = "nv_tileaa.dot", "nv_tileaa.tiled_load"


@dataclass(frozen=True)
class _Rounds:
    """A loop some of whose rounds do nothing.

    Attributes:
        loop: The loop.
        branch: The branch that is all that a round does.
        side: Which side of it does something: 0 where its condition holds.
        test: What computes the condition, in program order.
    """

    loop: Any
    branch: Any
    side: int
    test: list[Any]

    @property
    def busy(self) -> Any:
        """The block of the side that does something."""
        return self.branch.regions[self.side].blocks[0]

    def emit_test(self, number: Any) -> Any:
        """Emit whether the round `number` does something, at the insertion point."""
        mapping = {self.loop.regions[0].blocks[0].arguments[0]: number}
        for op in self.test:
            clone_operation(op, mapping)
        condition = self.branch.operands[0]
        found = mapping.get(condition, condition)
        return found if self.side == 0 else _negated(found)


@register_kernel_pass("nv-tileaa-skip-rounds")
def skip_rounds(function: Any, context: PassContext) -> bool:
    """Skip the rounds of loops with products that do nothing."""
    changed = False
    for loop in [op for op in kernel_operations(function) if op.name == "scf.for"]:
        rounds = _rounds(loop)
        if rounds is not None:
            _skip(rounds)
            changed = True
    return changed


def _rounds(loop: Any) -> _Rounds | None:
    """Return what is known about a loop some of whose rounds do nothing; None for another loop."""
    ops = body_operations(loop.regions[0].blocks[0])[:-1]
    branches = [op for op in ops if op.name == "scf.if"]
    if len(branches) != 1 or not any(op.name == _DOT for op in operations_inside(branches[0])):
        return None
    (branch,) = branches
    side = next((number for number in (0, 1) if _does_nothing(loop, branch, 1 - number)), None)
    others = [op for op in ops if op != branch]
    if side is None or not all(_may_wait(op, loop) for op in others):
        return None
    test = _test_of(branch.operands[0], others)
    number = loop.regions[0].blocks[0].arguments[0]
    if not any(number in op.operands for op in test) or not all(map(_is_scalar, test)):
        return None
    return _Rounds(loop, branch, side, test)


def _does_nothing(loop: Any, branch: Any, side: int) -> bool:
    """Tell whether a round that takes a side of the branch changes nothing."""
    if len(branch.regions[side].blocks) == 0:
        return False
    block = branch.regions[side].blocks[0]
    if not all(map(only_computes, body_operations(block)[:-1])):
        return False
    kept = dict(zip(branch.results, terminator(block).operands, strict=True))
    body = loop.regions[0].blocks[0]
    carried = list(body.arguments)[1:]
    passed = [kept.get(value, value) for value in terminator(body).operands]
    return passed == carried


def _may_wait(op: Any, loop: Any) -> bool:
    """Tell whether `op` of a round can be left out where the branch does nothing.

    It only computes or loads, and needs nothing of the round before.
    """
    carried = list(loop.regions[0].blocks[0].arguments)[1:]
    if len(op.regions) and op.name != "nv_tileaa.reduce":
        return False
    if any(value in carried for value in op.operands):
        return False
    loads = op.name == _LOAD and not follows_store(op)
    return only_computes(op) or loads or (is_element_access(op) and is_repeatable(op))


def _test_of(condition: Any, others: list[Any]) -> list[Any]:
    """Return the operations of a round that compute the condition, in program order."""
    needed = makers_of([condition], others.__contains__)
    return [op for op in others if op in needed]


def _is_scalar(op: Any) -> bool:
    """Tell whether `op` computes a scalar from others, or loads one element."""
    values = (*op.operands, *op.results)
    return not any(is_tile(value) for value in values)


def _skip(rounds: _Rounds) -> None:
    """Replace a loop by one that runs only the rounds that do something."""
    loop = rounds.loop
    lower, upper, step, *carried = loop.operands
    number, *arguments = loop.regions[0].blocks[0].arguments
    with ir.InsertionPoint(loop), loop.location:
        count, start = _count(rounds)
        zero, one = (arith.constant(lower.type, value) for value in (0, 1))
        last = arith.subi(upper, step)
        made = scf.ForOp(zero, count, one, [*carried, start])
    *given, first = made.inner_iter_args
    with ir.InsertionPoint(made.body), loop.location:
        found = _search(rounds, first, last)
        following = arith.addi(found, step)
        passed = _values_of_round(rounds, dict(zip(arguments, given, strict=True)))
        end = scf.YieldOp([*passed, following]).operation
    replace_values((number, *arguments), (found, *given))
    _move(rounds, end)
    replace_operation(loop, list(made.results)[:-1])
    for op in reversed(rounds.test):
        if not is_used(op):
            erase(op)


def _count(rounds: _Rounds) -> tuple[Any, Any]:
    """Emit how many rounds do something, and the first of them.

    Which one that is, is a branch: to the planner, where rounds begin depends on no tile.
    """
    lower, upper, step, *_ = rounds.loop.operands
    zero = arith.constant(lower.type, 0)
    loop = scf.ForOp(lower, upper, step, [zero, lower])
    with ir.InsertionPoint(loop.body):
        count, start = loop.inner_iter_args
        number = loop.induction_variable
        test = rounds.emit_test(number)
        is_first = arith.andi(test, equal(count, zero))
        branch = scf.IfOp(is_first, [lower.type], has_else=True)
        for side, value in ((branch.then_block, number), (branch.else_block, start)):
            with ir.InsertionPoint(side):
                scf.YieldOp([value])
        scf.YieldOp([arith.addi(count, arith.extui(lower.type, test)), branch.results[0]])
    found, first = loop.results
    return found, first


def _search(rounds: _Rounds, first: Any, last: Any) -> Any:
    """Emit the next round that does something, from `first` on."""
    search = scf.WhileOp([first.type], [first])
    before = search.regions[0].blocks.append(first.type)
    after = search.regions[1].blocks.append(first.type)
    with ir.InsertionPoint(before):
        (number,) = before.arguments
        goes_on = arith.cmpi(arith.CmpIPredicate.slt, number, last)
        idle = _negated(rounds.emit_test(number))
        scf.ConditionOp(arith.andi(idle, goes_on), [number])
    with ir.InsertionPoint(after):
        scf.YieldOp([arith.addi(after.arguments[0], rounds.loop.operands[2])])
    return search.results[0]


def _values_of_round(rounds: _Rounds, given: dict[Any, Any]) -> list[Any]:
    """Return what a round passes on: what the branch returns, or what it was given."""
    results = list(rounds.branch.results)
    returned = dict(zip(results, terminator(rounds.busy).operands, strict=True))
    values = terminator(rounds.loop.regions[0].blocks[0]).operands
    found = [returned.get(value, value) for value in values]
    return [given.get(value, value) for value in found]


def _move(rounds: _Rounds, end: Any) -> None:
    """Move what a round does before the end of the new one, without the branch."""
    body = rounds.loop.regions[0].blocks[0]
    *ops, last = body_operations(body)
    for op in ops:
        if op != rounds.branch:
            op.move_before(end)
    for op in body_operations(rounds.busy)[:-1]:
        op.move_before(end)
    erase(last)
    erase(rounds.branch)


def _negated(condition: Any) -> Any:
    return arith.xori(condition, arith.constant(condition.type, True))
