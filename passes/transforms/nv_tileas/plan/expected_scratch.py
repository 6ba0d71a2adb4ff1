"""The scratch area that a kernel will have, found by assigning layouts to a copy of it."""

from typing import Any

from tilec.ir.attributes import read_kernel_fact
from tilec.passes.analysis.kernels import function_body, kernel_operations
from tilec.passes.analysis.scratch_areas import NEEDED_SCRATCH, scratch_bytes, uses_scratch
from tilec.passes.analysis.tma.scratch import may_need_scratch
from tilec.passes.transforms.nv_tileas.resources.assign_register_layouts import LayoutAssignment
from tilec.plan.model import ScratchRoom


def expected_scratch_bytes(function: Any, warps: int, room: ScratchRoom | None) -> int:
    """Return the bytes of the scratch area that each team of a kernel will have.

    Which values move between threads follows from the layouts, and these from the number of warps.
    So a copy of the kernel gets the layouts that it would have if nothing but the plan came before.
    Later passes may add a move that the copy does not have. Then the kernel is planned again, and
    what it needed is in its metadata.

    Args:
        function: A kernel before roles.
        warps: Warps of a team.
        room: Room next to the ring; None where nobody needs it.
    """
    known = read_kernel_fact(function, NEEDED_SCRATCH, 0)
    if not may_need_scratch(function):
        return known
    copy = function.operation.clone(ip=False)
    LayoutAssignment(function_body(copy), warps, room=room).run()
    users = (op for op in kernel_operations(copy) if uses_scratch(op))
    return max([known, *map(scratch_bytes, users)])
