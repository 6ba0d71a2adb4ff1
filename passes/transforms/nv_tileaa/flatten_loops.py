"""Make one loop of nested ones, where threads load an operand of a product in the innermost.

Before:  %r = scf.for %i = %c0 to %m iter_args(%a = %z) { A(%i)
           %s = scf.for %j = %c0 to %n iter_args(%b = %a) { B(%i, %j, %b); yield }; yield %s }
After:   %r = scf.for %t = %c0 to %m * %n iter_args(%a = %z) {
           %i = %t / %n; %j = %t % %n; A(%i); B(%i, %j, %a); yield }

A convolution is often written so: a loop over the rows of the filters, one over their columns, and
one over the channels. Threads copy its pixels some rounds ahead (`nv-tileaa-copy-operands`), but
not past the end of a loop: of two rounds, which 128 channels take, the first one always waits. In
one loop all rounds overlap. Where TMA loads all operands, a producer runs ahead through nested
loops anyway, so these stay as they are.

The outer loop only computes, and passes on what the inner one returns. The number of rounds of the
inner loop is the same in each round of the outer one.

Rounds are counted in 32 bits. Where dims and scalars may make more of them, a precondition of the
launch says that they do not: `(R * max(C, 0)) <= 2147483647`. (So many rounds take minutes.) Loops
whose rounds depend on more, such as a loaded number or a part of a 64-bit one, stay as they are
then.
"""

from math import prod
from typing import Any

from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.removal import replace_operation
from tilec.ir.structured import body_operations, clone_whole, parent_operation, terminator
from tilec.passes.analysis.facts.host_texts import host_text
from tilec.passes.analysis.facts.index_ranges import constant_value
from tilec.passes.analysis.facts.round_places import only_computes
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.mma.copied_operands import operand_loads
from tilec.passes.registry import PassContext, register_kernel_pass

_MOST_ROUNDS = 2**31 - 1
"""Of a loop that counts in 32 bits."""


@register_kernel_pass("nv-tileaa-flatten-loops")
def flatten_loops(function: Any, context: PassContext) -> bool:
    """Make one loop of nested ones whose innermost multiplies what threads load."""
    changed = False
    for loop in dict.fromkeys(parent_operation(op) for op in operand_loads(function)):
        nest = _nest_of(loop)
        if len(nest) > 1 and _ensure_count(nest, function):
            _flatten(nest)
            changed = True
    return changed


def _nest_of(loop: Any) -> list[Any]:
    """Return the loops that make one loop with `loop`, which is the last of them."""
    nest = [loop]
    while (outer := parent_operation(nest[0])) is not None and _takes(outer, nest):
        nest.insert(0, outer)
    return nest


def _takes(outer: Any, nest: list[Any]) -> bool:
    """Tell whether the loop around a nest makes one loop with it."""
    loop = nest[0]
    if outer.name != "scf.for" or not all(map(_is_plain, (outer, *nest))):
        return False
    block = outer.regions[0].blocks[0]
    *others, last = body_operations(block)[:-1]
    passes_on = (
        last == loop
        and list(loop.operands)[3:] == list(block.arguments)[1:]
        and list(terminator(block).operands) == list(loop.results)
    )
    inside = {*block.arguments, *(value for op in others for value in op.results)}
    is_fixed = not any(inside & set(list(inner.operands)[:3]) for inner in nest)
    return passes_on and is_fixed and all(only_computes(op) for op in others)


def _is_plain(loop: Any) -> bool:
    """Tell whether a loop counts from 0 in steps of 1."""
    return [constant_value(bound) for bound in (loop.operands[0], loop.operands[2])] == [0, 1]


def _ensure_count(nest: list[Any], function: Any) -> bool:
    """Tell whether 32 bits count the rounds of a nest; demand it of launches where that helps."""
    ranges = ValueRanges.of_kernel(function)
    bounds = [loop.operands[1] for loop in nest]
    if prod(max(0, ranges.signed(bound)[1]) for bound in bounds) <= _MOST_ROUNDS:
        return True
    counts: list[str] = []
    for bound in bounds:
        text = host_text(bound, function, estimate=False)
        if text is None:
            return False
        counts.append(text if (constant_value(bound) or 0) > 0 else f"max({text}, 0)")
    condition = f"({' * '.join(counts)}) <= {_MOST_ROUNDS}"
    known = read_kernel_fact(function, "preconditions", [])
    write_kernel_facts(function, preconditions=[*known, condition])
    return True


def _flatten(nest: list[Any]) -> None:
    """Replace nested loops by one."""
    outermost = nest[0]
    zero, _, step, *inits = outermost.operands
    with ir.InsertionPoint(outermost), outermost.location:
        rounds = [_rounds(loop) for loop in nest]
        sizes = [rounds[-1]]  # rounds of the loops from one on, the innermost first
        for count in reversed(rounds[:-1]):
            sizes.append(arith.muli(count, sizes[-1]))
        flat = scf.ForOp(zero, sizes.pop(), step, inits)
    with ir.InsertionPoint(flat.body), outermost.location:
        number, *carried = flat.body.arguments
        mapping: dict[Any, Any] = {}
        for loop in nest:
            block = loop.regions[0].blocks[0]
            size = sizes.pop() if sizes else None
            index = number if size is None else arith.divui(number, size)
            number = number if size is None else arith.remui(number, size)
            mapping.update(zip(block.arguments, [index, *carried], strict=True))
            for op in body_operations(block)[:-1]:
                if op not in nest:
                    clone_whole(op, mapping)
        last = terminator(nest[-1].regions[0].blocks[0])
        scf.YieldOp([mapping.get(value, value) for value in last.operands])
    replace_operation(outermost, flat.results)


def _rounds(loop: Any) -> Any:
    """Return how many rounds a loop has that counts from 0 in steps of 1."""
    zero, upper = loop.operands[0], loop.operands[1]
    return upper if (constant_value(upper) or 0) > 0 else arith.maxsi(upper, zero)
