"""Branches that ask whether a loop runs at all.

Guard:  %r = scf.if %lower < %upper { %l = scf.for %k = %lower to %upper ...; yield %l }
             else { yield what the loop is given }
"""

from typing import Any

from tilec.ir.bindings import arith, ir, scf
from tilec.ir.structured import body_operations, defining_operation


def guarded_loops(branch: Any) -> list[Any]:
    """Return the loops for which `scf.if` operation `branch` asks whether they run at all.

    They are in its `then` block, so there they do.
    """
    condition = defining_operation(branch.operands[0])
    if condition is None or condition.name != "arith.cmpi":
        return []
    if condition.attributes["predicate"].value != arith.CmpIPredicate.slt:
        return []
    bounds = list(condition.operands)
    then = body_operations(branch.regions[0].blocks[0])
    return [op for op in then if op.name == "scf.for" and list(op.operands)[:2] == bounds]


def guard_loop(loop: Any) -> Any:
    """Move `loop` into the `then` block of a new guard; return the `scf.if` operation.

    Where the loop does not run, what it is given takes the place of its results.
    """
    results, inits = list(loop.results), list(loop.operands)[3:]
    lower, upper = list(loop.operands)[:2]
    with ir.InsertionPoint(loop), loop.location:
        runs = arith.cmpi(arith.CmpIPredicate.slt, lower, upper)
        branch = scf.IfOp(runs, [value.type for value in results], has_else=True)
    for value, kept in zip(results, branch.results, strict=True):
        value.replace_all_uses_with(kept)
    with ir.InsertionPoint(branch.then_block), loop.location:
        end = scf.YieldOp(results)
    loop.move_before(end.operation)
    with ir.InsertionPoint(branch.else_block), loop.location:
        scf.YieldOp(inits)
    return branch.operation
