"""Check that nothing in shared memory overlaps, is misaligned or is too small.

Changes nothing. The pass computes again, from the uses of each buffer, scratch area and mbarrier
(`tilec.passes.analysis.protocol.placement`), what `nv-tileas-assign-buffers` has decided:

- Everything has an offset inside of `shared_bytes`.
- Everything is aligned: to 128 bytes for TMA, to the pattern of its swizzle (up to 1024), to 16 for
  matrix descriptors, to 8 for mbarriers.
- Nothing overlaps, except scratch areas of the same threads.
- A ring has a barrier and a slot for each stage, and a warpgroup has a run of slots of its own.
- The roles have as many warps as the kernel has threads.

The protocol check relies on this: it takes for granted that a slot belongs to one ring. The first
violation is an internal error that names the source line.
"""

from functools import partial
from typing import Any

from tilec.passes.analysis.kernels import kernel_functions
from tilec.passes.registry import PassContext, register_pass

NAME = "nv-tileas-verify-placement"


@register_pass(NAME)
def verify_placement(module: Any, context: PassContext) -> bool:
    """Check the shared memory of every kernel."""
    context.check(NAME, module, partial(_check, context))
    return False


def _check(context: PassContext, module: Any) -> None:
    # Maybe while LLVM works.
    from tilec.passes.analysis.protocol.placement import find_placement_error
    from tilec.passes.analysis.protocol.rejection import reject

    limit = context.target.shared_memory_bytes
    for function in kernel_functions(module):
        reject(find_placement_error(function, limit, context.buffer), NAME)
