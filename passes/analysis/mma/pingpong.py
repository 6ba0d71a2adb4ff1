"""Whether the consumers of a kernel can ping-pong: one computes a tile while another one stores."""

from collections.abc import Iterable
from typing import Any

from tilec.ir.structured import enclosing_loops, parent_operation
from tilec.passes.analysis.counters import HISTOGRAM
from tilec.passes.analysis.epilogue.accumulator_stores import epilogue_parts
from tilec.passes.analysis.facts.element_accesses import element_effect, is_element_access
from tilec.passes.analysis.kernels import TiledAccess, kernel_operations
from tilec.passes.analysis.mma.operands import DOT, is_copied_operand, is_staged
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.passes.analysis.tma.multicast import control_operands, dependences
from tilec.passes.analysis.tma.scratch import moves_through_shared_memory


def why_not_pingpong(function: Any, accesses: Iterable[TiledAccess]) -> str | None:
    """Return why consumers cannot ping-pong, or None when they can.

    Each consumer has to know how many slots the tiles of the others take, and must need nobody else
    for its own tile.
    """
    ops = kernel_operations(function)
    ids = {op for op in ops if op.name == "nv_tileas.get_program_id"}
    dots = [op for op in ops if op.name == DOT]
    if not dots:
        return "the kernel has no mma"
    if not ids:
        return "the kernel has no grid to take tiles from"
    if any(why_not_wgmma(op, 1) is not None for op in dots):
        return "an mma does not run on wgmma, so it takes all consumers"
    if any(is_staged(op, number) for op in dots for number in (0, 1)):
        return "an operand of an mma is computed, which takes all consumers"
    if any(is_copied_operand(op, number) for op in dots for number in (0, 1)):
        return "threads copy an operand of an mma, which takes all consumers"
    if moves_through_shared_memory(function) or any(op.name == HISTOGRAM for op in ops):
        return "tiles move through shared memory, which takes all consumers"
    if element_effect(ops) is not None:
        return "elements are stored or changed one by one, which takes all consumers"
    return _why_not_accesses(accesses, ids | set(filter(is_element_access, ops)))


def _why_not_accesses(accesses: Iterable[TiledAccess], varying: set[Any]) -> str | None:
    """Return which access keeps consumers from ping-pong; `varying` differs from tile to tile."""
    for access in accesses:
        if access.uses_tma and not access.is_load and epilogue_parts(access, 1) is None:
            return "a result cannot be stored in parts"
        if access.uses_tma and access.is_load:
            defect = _uneven_load(access.op, varying)
            if defect is not None:
                return defect
    return None


def _uneven_load(load: Any, varying: set[Any]) -> str | None:
    """Return why a consumer cannot know how many slots `load` fills for the tiles of others."""
    if any(parent.name == "scf.if" for parent in _around(load)):
        return "a load is in a branch"
    if any(parent.name == "scf.while" for parent in _around(load)):
        return "a load is in a loop whose rounds are not counted in advance"
    if len(enclosing_loops(load)) > 1:
        return "a load is in a loop inside of another loop"
    if dependences(control_operands(load), varying):
        return "how often a load runs depends on the block or on memory"
    return None


def _around(op: Any) -> Iterable[Any]:
    parent = parent_operation(op)
    while parent is not None:
        yield parent
        parent = parent_operation(parent)
