"""Fence the reads of threads from a slot before the slot is released.

Before:  %x = load_shared %slot_of_p; ring_release %ring, %p
After:   %x = load_shared %slot_of_p; fence_proxy {space = "shared"}; ring_release %ring, %p

TMA fills the slot again through the async proxy. An mbarrier does not order reads through the
generic proxy before writes through another proxy; a proxy fence in each reading thread does (PTX
ISA, "Async proxy"). Without the fence the reads can return the next tile: on an H200, loads of a
bias that queued after the operand reads of the wgmma of another warpgroup returned the bias of the
next tile, although they had been issued before the arrival (2026-11-22: 4,787 of 4,798 launches of
a ping-pong product of 64x64 tiles). A slot that only wgmma reads needs no fence: the wait for its
group is enough.
"""

from typing import Any

from tilec.dialects.nv_tileas import FenceProxyOp
from tilec.dialects.nv_tileas.ring_ops import slot_view_of
from tilec.ir.bindings import ir
from tilec.ir.structured import body_operations, enclosing_operations
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.registry import PassContext, register_kernel_pass

_READERS = ("nv_tileas.load_shared", "nv_tileas.simt_mma", "nv_tileas.warp_mma")
_RELEASED = {"nv_tileas.ring_release": 1, "nv_tileas.ring_release_until": 2}
"""Operations that release slots, and which operand is the position up to which they were read."""


@register_kernel_pass("nv-tileas-fence-reads")
def fence_reads(function: Any, context: PassContext) -> bool:
    """Put a proxy fence before every release of a slot that threads have read."""
    changed = False
    operations = kernel_operations(function)
    readers = _readers_by_position(operations)
    for release in (op for op in operations if op.name in _RELEASED):
        reads = readers.get(release.operands[_RELEASED[release.name]], [])
        if reads and not _is_fenced(release, reads):
            with ir.InsertionPoint(release), release.location:
                FenceProxyOp(space=ir.StringAttr.get("shared"))
            changed = True
    return changed


def _readers_by_position(operations: list[Any]) -> dict[Any, list[Any]]:
    """Return the operations by which threads read slots, by the position of the slot."""
    found: dict[Any, list[Any]] = {}
    for op in operations:
        if op.name in _READERS:
            for operand in op.operands:
                view = slot_view_of(operand)
                if view is not None:
                    found.setdefault(view.operands[1], []).append(op)
    return found


def _is_fenced(release: Any, reads: list[Any]) -> bool:
    """Tell whether a fence stands between the last of `reads` and the release already."""
    ops = body_operations(release.block)
    around = {op for read in reads for op in (read, *enclosing_operations(read))}
    inside = around.intersection(ops)  # others are in another branch
    for op in reversed(ops[: ops.index(release)]):
        if op in inside:
            return False
        if op.name == "nv_tileas.fence_proxy" and op.opview.space.value == "shared":
            return True
    return False
