"""Mark branches that the first rounds of a loop take to one side, and sink what the other needs.

Before:  %r = make_range; scf.for %j { %x = dot; %c = cmpi sge, %j, %n
           %y = scf.if %c { %m = mask of %r; %z = addf %x, %m; yield %z } else { yield %x } }
After:   scf.for %j { %x = dot; %c = cmpi sge, %j, %n
           %y = scf.if %c { %r = make_range; %m = mask of %r; %z = addf %x, %m; yield %z }
                else { yield %x } {leading} }

Who knows from which round on scores need a mask writes a branch around it, or a loop for the rounds
before and another one (`nv-tileaa-join-loops`); `nv-tileaa-skip-masks` makes a branch for the
others. A branch that only computes is marked if its condition changes once at
most, so that rounds that take one side come before all that take the other one
(`passes/analysis/facts/growth.py`). Then `split-loops` may give the first rounds a loop without
the branch. Their side comes first, if it does more than nothing.

Tiles that only the other side reads are computed in it, also those that do not change with the
rounds: a tile of columns is as large as one of scores, and would take as many registers in rounds
that do not need it. As in `nv-tileaa-skip-masks`, the loop has a product, which waits for every
instruction of a round.
"""

from typing import Any

from tilec.ir.attributes import integer
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.removal import replace_operation
from tilec.ir.structured import (
    body_operations,
    defining_operation,
    operations_inside,
    parent_operation,
)
from tilec.passes.analysis.facts.growth import Growth
from tilec.passes.analysis.facts.mask_tests import OPPOSITE
from tilec.passes.analysis.facts.round_places import only_computes
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.mma.product_loops import multiplies
from tilec.passes.analysis.schedule.marks import LEADING, idle_side
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileaa.sinking import sink_into


@register_kernel_pass("nv-tileaa-lead-branches")
def lead_branches(function: Any, context: PassContext) -> bool:
    """Mark branches of loops with products whose sides follow each other."""
    branches = [op for op in kernel_operations(function) if _is_candidate(op)]
    if not branches:
        return False
    changed = False
    ranges = ValueRanges.of_kernel(function)
    for branch in branches:
        early = _early_side(branch, ranges)
        if early is None:
            continue
        marked, late = branch, 1 - early
        if early and idle_side(branch) is None:
            marked, late = _turned(branch), 1
        sink_into(marked.regions[late].blocks[0])
        marked.attributes[LEADING] = ir.UnitAttr.get()
        changed = True
    return changed


def _is_candidate(op: Any) -> bool:
    """Tell whether `op` is a branch of a loop with products, and does nothing but compute."""
    if op.name != "scf.if" or not len(op.results):
        return False
    loop = parent_operation(op)
    if loop.name != "scf.for" or LEADING in op.attributes:
        return False
    return multiplies(loop) and all(
        only_computes(inner) or inner.name.startswith("scf.") for inner in operations_inside(op)
    )


def _early_side(branch: Any, ranges: ValueRanges) -> int | None:
    """Return the side of a branch that no round takes after one that takes the other side.

    None where there is none; where it is the second one, and the branch cannot be turned around.
    """
    idle = idle_side(branch)
    growth = Growth(set(), ranges, parent_operation(branch)).of(branch.operands[0])
    if growth == 0:
        return idle
    early = {-1: 0, 1: 1}.get(growth) if growth is not None else None
    if idle is None:
        return early if early == 0 or _is_comparison(branch.operands[0]) else None
    return early if early == idle else None


def _is_comparison(condition: Any) -> bool:
    op = defining_operation(condition)
    return op is not None and op.name == "arith.cmpi"


def _turned(branch: Any) -> Any:
    """Replace a branch by a comparison by one by the opposite comparison, and return that."""
    compared = branch.operands[0].owner.operation
    predicate = integer(compared, "predicate")
    with ir.InsertionPoint(branch), branch.location:
        condition = arith.cmpi(arith.CmpIPredicate(OPPOSITE[predicate]), *compared.operands)
        made = scf.IfOp(condition, [item.type for item in branch.results], has_else=True)
        for region, block in zip(branch.regions, (made.else_block, made.then_block), strict=True):
            *moved, last = body_operations(region.blocks[0])
            with ir.InsertionPoint(block):
                end = scf.YieldOp(list(last.operands)).operation
            for op in moved:
                op.move_before(end)
    replace_operation(branch, made.results)
    return made.operation
