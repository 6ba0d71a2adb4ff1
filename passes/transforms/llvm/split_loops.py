"""Split loops in two, where a branch takes one side in the first rounds, and often does nothing.

Before:  %r = scf.for %i = %l to %u step %s iter_args(%a = %z) {
           %c = cmpi slt, %i, %n; %x = A(%i, %a)
           %y = scf.if %c { yield %x } else { yield B(%x) } {leading}; yield %y }
After:   %m:2 = scf.while (%i = %l, %a = %z) { %c = cmpi slt, %i, %n; condition(%i < %u & %c) %i, %a
         } do { %x = A(%i, %a); yield %i + %s, %x }
         %r = scf.for %i = %m#0 to %u step %s iter_args(%a = %m#1) { ... as before ... }

Attention masks the last rounds of a tile only (`nv-tileaa-skip-masks`). A branch in the middle of
each round is a border for ptxas: no instruction moves across it. So the rounds without a mask are a
loop of their own, whose rounds have no branch. It ends before the first round whose condition
fails, and the other loop goes on there. Rounds and their order stay the same, whatever the
condition is. So rings, phases and turns go on from one loop to the other, and what the protocol
check has proved of the loop (`nv-tileas-verify-async-protocol`) holds for both.

A round of a rotated loop begins with arithmetic on what the round before carries over: the result
so far times the change of the largest score. LLVM moves it to the end of the round before, but only
out of the one loop. Where warpgroups ping-pong, the pass does that first, as others would wait for
it during the turn of a warpgroup. Without turns it may stay: the first product hides it.

Before:  %r:2 = scf.for ... iter_args(%a = %z, %f = %g) { %x = mulf %a, %f; ...; yield %b, %h }
         %y = mulf %r#0, %r#1
After:   %m = mulf %z, %g
         %r:2 = scf.for ... iter_args(%x = %m, %f = %g) { ...; %n = mulf %b, %h; yield %n, %h }

The pass comes late, since the passes before it need to see each round only once. It splits loops
whose branch has the attribute `leading`, unless the condition needs more than scalars that are
known before the round.
"""

from typing import Any

from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.removal import erase, replace_operation, replace_values
from tilec.ir.structured import (
    FOR_BOUNDS,
    body_operations,
    clone_operation,
    enclosing_operations,
    parent_operation,
    terminator,
)
from tilec.ir.values import block_of, makers_of, only_use
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.schedule.marks import LEADING, TURNS, early_side
from tilec.passes.registry import PassContext, register_pass

_SCALAR = "arith."
_EARLY = ("arith.mulf", "arith.addf", "arith.subf")
"""What a round may begin with."""
_TRUE = 1


@register_pass("split-loops")
def split_loops(module: Any, context: PassContext) -> bool:
    """Give the first rounds of loops with a leading branch a loop of their own."""
    found = [op for op in walk_operations(module.body) if op.name == "scf.if"]
    branches = [op for op in found if LEADING in op.attributes]
    changed = False
    for branch in branches:
        loop = parent_operation(branch)
        if loop.name == "scf.for" and _condition(branch) is not None:
            if _takes_turns(loop):
                _compute_early(loop)
            _split(loop, branch)
            changed = True
    return changed


def _condition(branch: Any) -> list[Any] | None:
    """Return the operations of the round that compute a condition, in order.

    None where it needs more than scalars that are known before the round.
    """
    needed = makers_of([branch.operands[0]], lambda op: op.block == branch.block)
    found = [op for op in body_operations(branch.block) if op in needed]
    return found if all(op.name.startswith(_SCALAR) for op in found) else None


def _takes_turns(loop: Any) -> bool:
    """Tell whether warpgroups ping-pong in the kernel of a loop."""
    plans = [read_kernel_fact(op, "plan", {}) for op in enclosing_operations(loop)]
    return any(plan.get(TURNS, False) for plan in plans)


def _compute_early(loop: Any) -> None:
    """Compute at the end of a round what the next one, or what follows the loop, begins with."""
    block = loop.regions[0].blocks[0]
    carried = list(block.arguments)[1:]
    results = dict(zip(carried, loop.results, strict=True))
    inits = dict(zip(carried, list(loop.operands)[3:], strict=True))
    ends = dict(zip(carried, terminator(block).operands, strict=True))
    for number, argument in enumerate(carried):
        first, then = only_use(argument), only_use(results[argument])
        if first is None or then is None:
            continue
        op, last = first.owner.operation, then.owner.operation
        if not _repeats(op, last, loop, results):
            continue
        with ir.InsertionPoint(loop), loop.location:
            inits[argument] = clone_operation(op, dict(inits)).results[0]
        with ir.InsertionPoint(terminator(block)), loop.location:
            ends[argument] = clone_operation(op, dict(ends)).results[0]
        loop.operands[FOR_BOUNDS + number] = inits[argument]
        terminator(block).operands[number] = ends[argument]
        op.results[0].replace_all_uses_with(argument)
        last.results[0].replace_all_uses_with(results[argument])
        erase(op)
        erase(last)


def _repeats(op: Any, last: Any, loop: Any, results: dict[Any, Any]) -> bool:
    """Tell whether `op` begins a round of a loop, and `last` does the same with its results."""
    block = loop.regions[0].blocks[0]
    if op.name not in _EARLY or op.name != last.name or op.block != block:
        return False
    known = all(item in results or block_of(item) != block for item in op.operands)
    ends = [results.get(item, item) for item in op.operands]
    return known and last.block == loop.block and list(last.operands) == ends


def _split(loop: Any, branch: Any) -> None:
    """Put a loop without the branch before `loop`, which goes on where that one ends."""
    lower, upper, step, *inits = loop.operands
    block = branch.block
    types = [argument.type for argument in block.arguments]
    locations = [loop.location] * len(types)
    with ir.InsertionPoint(loop), loop.location:
        copy = loop.clone()
        first = scf.WhileOp(types, [lower, *inits])
        before, after = (
            region.blocks.append(*types, arg_locs=locations) for region in first.operation.regions
        )
    with ir.InsertionPoint(before), loop.location:
        number = before.arguments[0]
        mapping = dict(zip(block.arguments, before.arguments, strict=True))
        for op in _condition(branch) or ():
            clone_operation(op, mapping)
        runs = arith.cmpi(arith.CmpIPredicate.slt, number, upper)
        condition = mapping.get(branch.operands[0], branch.operands[0])
        if early_side(branch) != 0:
            condition = arith.xori(condition, arith.constant(condition.type, _TRUE))
        scf.ConditionOp(arith.andi(runs, condition), list(before.arguments))
    place = body_operations(block).index(branch)
    _fill(after, copy, place, step)
    for index, value in ((0, first.results[0]), *enumerate(first.results[1:], start=3)):
        loop.operands[index] = value


def _fill(block: Any, copy: Any, place: int, step: Any) -> None:
    """Move a round of a copy of a loop into `block`; of the branch at a place, its early side."""
    body = copy.regions[0].blocks[0]
    replace_values(body.arguments, block.arguments)
    *moved, last = body_operations(body)
    with ir.InsertionPoint(block), copy.location:
        following = arith.addi(block.arguments[0], step)
        scf.YieldOp([following, *last.operands])
    for op in moved:
        op.move_before(following.owner)
    branch = moved[place]
    *inside, end = body_operations(branch.regions[early_side(branch)].blocks[0])
    kept = list(end.operands)
    for op in inside:
        op.move_before(branch)
    with ir.InsertionPoint.at_block_begin(block), copy.location:
        known = arith.constant(branch.operands[0].type, 1 - early_side(branch))
    condition = branch.operands[0]
    if block_of(condition) == block:
        condition.replace_all_uses_with(known)
    replace_operation(branch, kept)
    copy.erase()
