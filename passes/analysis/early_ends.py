"""Blocks that may end without the products of their tile, as a loaded number says."""

from typing import Any

from tilec.ir.structured import enclosing_loops
from tilec.ir.values import makers_of
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.facts.element_accesses import is_element_access
from tilec.passes.analysis.kernels import is_tiled_access, kernel_operations
from tilec.passes.analysis.mma.operands import DOT


def may_end_early(function: Any) -> bool:
    """Tell whether a number that a block loads decides if it multiplies at all."""
    branches = [op for op in kernel_operations(function) if op.name == "scf.if"]
    return any(
        not enclosing_loops(branch)
        and _skips_products(branch)
        and any(map(_loads, makers_of([branch.operands[0]])))
        for branch in branches
    )


def _skips_products(branch: Any) -> bool:
    """Tell whether one side of a branch multiplies, and the other one does not."""
    sides = [
        any(op.name == DOT for block in region.blocks for op in walk_operations(block))
        for region in branch.regions
    ]
    return sides.count(True) == 1


def _loads(op: Any) -> bool:
    return is_element_access(op) or is_tiled_access(op)
