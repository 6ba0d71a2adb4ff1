"""Blocks that may end without the products of their tile, as a loaded number says."""

from typing import Any

from tilec.ir.structured import defining_operation, enclosing_loops
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.facts.element_accesses import is_element_access
from tilec.passes.analysis.kernels import is_tiled_access, kernel_operations
from tilec.passes.analysis.mma.operands import DOT


def may_end_early(function: Any) -> bool:
    """Tell whether a number that a block loads decides if it multiplies at all."""
    branches = [op for op in kernel_operations(function) if op.name == "scf.if"]
    return any(
        not enclosing_loops(branch) and _skips_products(branch) and _is_loaded(branch.operands[0])
        for branch in branches
    )


def _skips_products(branch: Any) -> bool:
    """Tell whether one side of a branch multiplies, and the other one does not."""
    sides = [
        any(op.name == DOT for block in region.blocks for op in walk_operations(block))
        for region in branch.regions
    ]
    return sides.count(True) == 1


def _is_loaded(value: Any) -> bool:
    """Tell whether a scalar is computed from what the kernel loads."""
    waiting, seen = [value], set()
    while waiting:
        op = defining_operation(waiting.pop())
        if op is None or op in seen:
            continue
        if is_element_access(op) or is_tiled_access(op):
            return True
        seen.add(op)
        waiting += list(op.operands)
    return False
