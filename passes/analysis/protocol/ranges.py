"""The bounds of loops that count: `scf.for`, and `scf.while` where it does the same.

Counts:  scf.while (%i = %lower, ...) { %c = arith.cmpi slt, %i, %upper; scf.condition(%c) %i, ... }
           do { ^bb0(%i, ...): ...; %n = arith.addi %i, %step; scf.yield %n, ... }
"""

from typing import Any

from tilec.ir.attributes import integer
from tilec.ir.bindings import arith, ir
from tilec.ir.structured import defining_operation, enclosing_operations, terminator
from tilec.passes.analysis.protocol import teams
from tilec.support.fast_dataclasses import dataclass


@dataclass(frozen=True)
class Range:
    """What a loop counts: from `lower` on, below `upper`, by `step`.

    Attributes:
        counters: The block arguments that hold the number.
    """

    lower: Any
    upper: Any
    step: Any
    counters: tuple[Any, ...]


def range_of(loop: Any, team_count: int = 1) -> Range | None:
    """Return what a loop counts; None for an `scf.while` that does something else.

    Where `team_count` teams share out the rounds of a loop, it is what the whole loop counts.
    """
    if loop.name == "scf.for":
        lower, upper, step = list(loop.operands)[:3]
        found = Range(lower, upper, step, (loop.regions[0].blocks[0].arguments[0],))
    else:
        found = _range_of_while(loop)
    if found is None or team_count == 1:
        return found
    whole = teams.whole_loop((found.lower, found.upper, found.step), team_count)
    return Range(*whole, found.counters) if whole else found


def _range_of_while(loop: Any) -> Range | None:
    before, after = (region.blocks[0] for region in loop.regions)
    ends = terminator(before)
    compare = defining_operation(ends.operands[0])
    if compare is None or compare.name != "arith.cmpi":
        return None
    if integer(compare, "predicate") != arith.CmpIPredicate.slt:
        return None
    counter, upper = compare.operands
    if counter not in list(before.arguments) or not _stands_outside(upper, loop):
        return None
    index = list(before.arguments).index(counter)
    passed = list(ends.operands)[1:]
    if counter not in passed:
        return None
    number = after.arguments[passed.index(counter)]
    following = defining_operation(terminator(after).operands[index])
    if following is None or following.name != "arith.addi" or following.operands[0] != number:
        return None
    step = following.operands[1]
    if not _stands_outside(step, loop):
        return None
    return Range(loop.operands[index], upper, step, (counter, number))


def _stands_outside(value: Any, loop: Any) -> bool:
    """Tell whether a value is defined outside of a loop."""
    if isinstance(value, ir.BlockArgument):
        owner = value.owner.owner.operation
        return owner != loop and loop not in enclosing_operations(owner)
    return loop not in enclosing_operations(value.owner.operation)
