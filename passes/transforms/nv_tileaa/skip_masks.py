"""Compute a mask only for the tiles that need one.

Before:  %c = addi (splat %n128), (make_range);  %m = cmpi slt, %c, (splat %N)
         %s = select %m, %x, %filler
After:   %last = addi %n128, 127;  %all = cmpi slt, %last, %N
         %s = scf.if %all { yield %x }
              else { %c = ...; %m = cmpi slt, %c, (splat %N); yield (select %m, %x, %filler) }

Attention masks the scores of every tile, but only tiles on the diagonal, at the ragged end or at an
edge of a window have something to mask. The test of a tile is a few scalar
operations (`passes/analysis/facts/mask_tests.py`). What only the mask needs moves into the branch,
also from before the loop; constants move with it. If the usual value of the mask is false
(`where(hidden, filler, x)`), the test asks for that. Selects with the same test share a branch if
no operation between them reads one of them. A factor that is 1 or not
(`nv-tileaa-delay-factors`) is asked for together with the mask, and skipped with it.

Where a mask joins one of loaded numbers with one of indices, each part has a test of its own in the
branch: in attention to packed sequences, a tile at the end of a document is rarely on the diagonal.

         %z = scf.if %none { yield %x } else {
           %y = scf.if %inside { yield %x } else { ...; yield (select %indices, %x, %filler) }
           %w = scf.if %same { yield %y } else { ...; yield (select %numbers, %y, %filler) }
           yield %w }

The pass looks at loops with products, where each instruction delays the next product. In other
loops memory is the limit, and a branch would keep loads from moving. A mask that is also used
otherwise is computed anyway. Remark T0439 says of each mask for which tiles it is skipped, or why
it is not; of a choice between two computed tiles, which is no mask, it says nothing.
"""

from collections.abc import Iterable
from math import prod
from typing import Any

from tilec.ir.bindings import ir, scf
from tilec.ir.removal import erase, erase_unused
from tilec.ir.sequences import at_level
from tilec.ir.structured import body_operations, enclosing_loops, parent_operation
from tilec.ir.values import is_tile, users_of
from tilec.passes.analysis.facts.constants import FILLERS, is_filler
from tilec.passes.analysis.facts.growth import Growth
from tilec.passes.analysis.facts.mask_tests import (
    FALSE,
    TRUE,
    All,
    Condition,
    Either,
    Flag,
    MaskTest,
    NoTestError,
    all_of,
    derive_test,
)
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import kernel_operations, span_of
from tilec.passes.analysis.schedule.marks import LEADING, idle_side
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileaa.masked_tiles import Masked, emit_masked, without_factor
from tilec.passes.transforms.nv_tileaa.scalar_tests import ScalarNames, emit_condition
from tilec.plan.worth import COLUMN_COPIES, MASKED_WORK, ROW_COPIES
from tilec.support.diagnostics import remark
from tilec.support.fast_dataclasses import dataclass

_SELECT = "arith.select"


@dataclass(frozen=True)
class _Choice:
    """A select whose mask has a test.

    Attributes:
        select: The operation.
        side: The operand that it returns where the test holds: 1 or 2.
        test: The test.
        leads: Whether rounds in which the test holds come before all others of the loop.
    """

    select: Any
    side: int
    test: MaskTest
    leads: bool

    @property
    def masked(self) -> Masked:
        """What the branch computes where the test fails."""
        return Masked(self.select, self.side, self.test.operations)


@register_kernel_pass("nv-tileaa-skip-masks")
def skip_masks(function: Any, context: PassContext) -> bool:
    """Compute selects of tiles, and their masks, only where scalar tests ask for them."""
    selects = _selects_in_product_loops(function)
    if not selects:
        return False
    ranges = ValueRanges.of_kernel(function)
    names = ScalarNames(function)
    choices = []
    for select in selects:
        found = _choice(select, ranges, set(selects))
        message = _message(found, names)
        if isinstance(found, _Choice) or any(map(is_filler, list(select.operands)[1:])):
            context.sink.emit(remark("T0439", message, span_of(select)))
        if isinstance(found, _Choice):
            choices.append(found)
    for group in _groups(choices):
        _branch(group, ranges)
    return bool(choices)


def _selects_in_product_loops(function: Any) -> list[Any]:
    """Return the selects by tiles of bools whose innermost loop is that of a product.

    One in a branch with a side that does nothing needs no other test.
    """
    operations = kernel_operations(function)
    dots = [op for op in operations if op.name == "nv_tileaa.dot"]
    loops = {around[0] for around in map(enclosing_loops, dots) if around}
    masked = (op for op in operations if _is_masked(op) and set(enclosing_loops(op)[:1]) & loops)
    return [op for op in masked if not _is_in_branch(op)]


def _is_in_branch(op: Any) -> bool:
    around = parent_operation(op)
    return around.name == "scf.if" and (
        LEADING in around.attributes or idle_side(around) is not None
    )


def _is_masked(op: Any) -> bool:
    return op.name == _SELECT and is_tile(op.operands[0])


def _choice(select: Any, ranges: ValueRanges, selects: set[Any]) -> _Choice | str:
    """Return the test of a select, or why it has none."""
    mask, first, second = select.operands
    side = 2 if is_filler(first) and not is_filler(second) else 1
    try:
        test = derive_test(mask, side == 1, ranges)
    except NoTestError as failure:
        return str(failure)
    if test.condition == FALSE:
        return "no tile is known to need none"
    if any(user not in selects for user in users_of(mask)):
        return "it is also used for something else than selecting"
    elements = prod(mask.type.shape)
    whole = [op for op in test.operations if _computes(op) and _elements(op) == elements]
    if elements * (1 + len(whole)) * _copies(select.results[0]) < MASKED_WORK:
        return "a branch would take as long"
    return _Choice(select, side, test, _leads(test.condition, parent_operation(select), ranges))


def _leads(condition: Condition, loop: Any, ranges: ValueRanges) -> bool:
    """Tell whether `loop` is one, and a condition that fails in a round fails in all later ones."""
    if loop.name != "scf.for":
        return False
    growth = Growth(set(), ranges, loop)

    def holds_on(part: Condition) -> bool:
        """Tell whether a part may hold again after it has failed."""
        if isinstance(part, All | Either):
            return any(map(holds_on, part.parts))
        if isinstance(part, Flag):
            return growth.of(part.value) not in (0, -1 if part.wanted else 1)
        grown = [(growth.of(value), factor) for value, factor in part.expression.terms]
        return any(found is None or found * factor > 0 for found, factor in grown)

    return not holds_on(condition)


def _computes(op: Any) -> bool:
    return op.name.startswith("arith.") and op.name != "arith.constant"


def _elements(op: Any) -> int:
    return _size(op.results[0])


def _copies(tile: Any) -> int:
    """Return how many threads hold an element of `tile`: several if it is repeated later."""
    waiting, seen, found = [tile], set[Any](), 1
    while waiting:
        value = waiting.pop()
        for use in value.uses:
            op = use.owner.operation
            if op in seen:
                continue
            seen.add(op)
            if op.name == "nv_tileaa.broadcast":
                before, after = value.type.shape, op.results[0].type.shape
                is_row = before[-1] == after[-1] > 1
                found = max(found, ROW_COPIES if is_row else COLUMN_COPIES)
            elif op.name == "nv_tileaa.view" or (_computes(op) and _elements(op) == _size(value)):
                waiting.append(op.results[0])
    return found


def _size(tile: Any) -> int:
    return prod(tile.type.shape)


def _message(found: _Choice | str, names: ScalarNames) -> str:
    if isinstance(found, str):
        return f"the mask is computed for every tile: {found}"
    if found.test.condition == TRUE:
        return "the mask is removed: it selects the same everywhere"
    where = ", the first ones of the loop" if found.leads else ""
    return f"the mask is skipped for tiles with {names.text_of(found.test.condition)}{where}"


def _groups(choices: Iterable[_Choice]) -> list[list[_Choice]]:
    """Return the choices in groups that share a branch, at the place of the last one."""
    groups: list[list[_Choice]] = []
    for choice in choices:
        last = groups[-1] if groups else []
        if last and _can_join(choice, last):
            last.append(choice)
        else:
            groups.append([choice])
    return groups


def _can_join(choice: _Choice, group: list[_Choice]) -> bool:
    """Tell whether a group of earlier choices of the same block can move down to `choice`."""
    first = group[0]
    block = choice.select.block
    if first.test.condition != choice.test.condition or first.select.block != block:
        return False
    place = {op: number for number, op in enumerate(body_operations(block))}
    end = place[choice.select]
    users = [user for item in group for user in users_of(item.select.results[0])]
    return all(place[at_level(user, block)] > end for user in users)


def _branch(group: list[_Choice], ranges: ValueRanges) -> None:
    """Replace the selects of a group by a branch at the place of the last one."""
    selects = [choice.select for choice in group]
    kept = [choice.select.operands[choice.side] for choice in group]
    condition = group[0].test.condition
    results, plain = kept, {}
    if condition != TRUE:
        plain = {tile: without_factor(tile) for tile in kept}
        condition = all_of([condition, *(flag for _, flag in plain.values() if flag is not None)])
        with ir.InsertionPoint(selects[-1]), selects[-1].location:
            branch = scf.IfOp(
                emit_condition(condition), [tile.type for tile in kept], has_else=True
            )
            if group[0].leads:
                branch.operation.attributes[LEADING] = ir.UnitAttr.get()
            with ir.InsertionPoint(branch.then_block):
                scf.YieldOp([plain[tile][0] for tile in kept])
            with ir.InsertionPoint(branch.else_block):
                scf.YieldOp(emit_masked([item.masked for item in group], ranges))
        results = list(branch.results)
    unused = [operand for select in selects for operand in select.operands]
    for select, result in zip(selects, results, strict=True):
        select.results[0].replace_all_uses_with(result)
    for select in reversed(selects):
        erase(select)
    movable = {op for choice in group for op in choice.test.operations}
    movable |= {tile.owner.operation for tile, (_, flag) in plain.items() if flag is not None}
    erase_unused(unused, lambda op: op in movable or op.name in FILLERS)
