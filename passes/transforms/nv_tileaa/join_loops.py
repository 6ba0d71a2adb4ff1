"""Join two loops, the second of which goes on where the first one ends, into one with a branch.

Before:  %r = scf.for %i = %l to %m step %s iter_args(%a = %z) { A(%i); B(%i, %a); D(%i); yield }
         %t = scf.for %i = %m to %u step %s iter_args(%a = %r) { A(%i); C(%i, %a); D(%i); yield }
After:   %v = max(%m, %u)
         %t = scf.for %i = %l to %v step %s iter_args(%a = %z) {
           A(%i); %c = cmpi slt, %i, %m; scf.if %c { B(%i, %a) } else { C(%i, %a) }; D(%i); yield }

Attention is often written so: keys before the diagonal in one loop without a mask, and those on it
in another one. Each loop would have tiles of its own in shared memory, so each gets half as many
stages, and the second one would begin when the last product of the first one is done. One loop has
one ring, and all of its rounds overlap. `nv-tileaa-lead-branches` marks the branch, and
`split-loops` takes the loop apart again where the branch is in the way.

The rounds and their order stay the same: `%s` divides `%l` and `%m`, and `%l` is never above `%m`.
Bodies begin and end with the same operations, among them all products and accesses to memory, which
read nothing that differs; what differs in the middle only computes. Nothing but the second loop
reads the results of the first one.
"""

from itertools import pairwise
from typing import Any

from tilec.ir.bindings import arith, ir, scf
from tilec.ir.removal import replace_operation
from tilec.ir.structured import body_operations, clone_whole, defining_operation, operations_inside
from tilec.ir.values import users_of
from tilec.passes.analysis.facts import intervals
from tilec.passes.analysis.facts.divisibility import Divisibility
from tilec.passes.analysis.facts.equal_bodies import Difference, compare_bodies
from tilec.passes.analysis.facts.index_ranges import constant_value
from tilec.passes.analysis.facts.round_places import only_computes
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.mma.product_loops import multiplies
from tilec.passes.registry import PassContext, register_kernel_pass


@register_kernel_pass("nv-tileaa-join-loops")
def join_loops(function: Any, context: PassContext) -> bool:
    """Join loops with products that go on where others end."""
    changed = False
    ops = kernel_operations(function)
    loops = [op for op in ops if op.name == "scf.for" and multiplies(op)]
    for first, second in reversed(list(pairwise(loops))):
        between = _between(first, second)
        if between is None or not _continues(first, second, function):
            continue
        difference = compare_bodies(first, second)
        if _is_joinable(difference):
            _join(first, second, between, difference)
            changed = True
    return changed


def _computes(op: Any) -> bool:
    """Tell whether all that `op` does is to compute scalars and tiles from others."""
    return all(map(only_computes, (op, *operations_inside(op))))


def _is_joinable(difference: Difference) -> bool:
    """Tell whether what differs only computes, and only what computes reads it."""
    readers = (op for op, _, _ in difference.readers if op.name != "scf.yield")
    return all(map(_computes, (*difference.operations, *readers)))


def _between(first: Any, second: Any) -> list[Any] | None:
    """Return what stands between two loops of a block, if it only computes; None otherwise."""
    if first.block != second.block:
        return None
    ops = body_operations(first.block)
    found = ops[ops.index(first) + 1 : ops.index(second)]
    return found if all(map(_computes, found)) else None


def _continues(first: Any, second: Any, function: Any) -> bool:
    """Tell whether the second loop begins with what the first one has when it ends."""
    ranges = ValueRanges.of_kernel(function)
    divisors = Divisibility(function)
    lower, middle, step, *_ = first.operands
    start, _, other, *inits = second.operands
    stride = constant_value(step)
    if start != middle or other != step or not stride or stride < 0:
        return False
    if inits != list(first.results):
        return False
    readers = [user for result in first.results for user in users_of(result)]
    return (
        readers == [second] * len(inits)
        and all(divisors.of(bound) % stride == 0 for bound in (lower, middle))
        and _is_not_above(lower, middle, ranges)
    )


def _is_not_above(lower: Any, middle: Any, ranges: ValueRanges) -> bool:
    """Tell whether `lower <= middle` by their ranges, or since one is a sum with the other."""
    if ranges.signed(lower)[1] <= ranges.signed(middle)[0]:
        return True
    op = defining_operation(middle)
    if op is None or op.name != "arith.addi" or lower not in list(op.operands):
        return False
    (added,) = [value for value in op.operands if value != lower] or [lower]
    total = intervals.add(ranges.signed(lower), ranges.signed(added))
    limits = intervals.signed_limits(ir.IntegerType(middle.type).width)
    return ranges.never_negative(added) and intervals.is_within(total, limits)


def _join(first: Any, second: Any, between: list[Any], difference: Difference) -> None:
    """Let the first loop run the rounds of the second one, too, and remove that."""
    for op in between:
        op.move_before(first)
    middle, last = first.operands[1], second.operands[1]
    with ir.InsertionPoint(first), first.location:
        first.operands[1] = arith.maxsi(middle, last)
    _branch(first, middle, difference)
    replace_operation(second, first.results)


def _branch(loop: Any, middle: Any, difference: Difference) -> None:
    """Choose between what the rounds before `middle` compute, and what the others do."""
    if not difference.operations and not difference.pairs:
        return
    block = loop.regions[0].blocks[0]
    with ir.InsertionPoint(difference.end), loop.location:
        early = arith.cmpi(arith.CmpIPredicate.slt, block.arguments[0], middle)
        types = [value.type for value, _ in difference.pairs]
        branch = scf.IfOp(early, types, has_else=True)
        with ir.InsertionPoint(branch.then_block):
            end = scf.YieldOp([value for value, _ in difference.pairs])
        mapping = dict(difference.known)
        with ir.InsertionPoint(branch.else_block):
            for op in difference.second:
                clone_whole(op, mapping)
            scf.YieldOp([mapping.get(value, value) for _, value in difference.pairs])
    for op in difference.first:
        op.move_before(end.operation)
    for op, number, pair in difference.readers:
        op.operands[number] = branch.results[pair]
