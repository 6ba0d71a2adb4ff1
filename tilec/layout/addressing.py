"""Swizzled addresses of a register tile: what a thread computes once, and what is a constant.

The address of an element is `swizzle.apply(thread + constant)`, where `thread` is the linear offset
of the thread's part of the coordinate and `constant` that of the register. A swizzle is linear over
bits. Where the two parts have no bit of the swizzle pattern in common, the sum is their union, and
the constant moves out of the swizzle: registers of a thread share few addresses and differ by
immediates.
"""

from functools import lru_cache, reduce
from operator import or_

from tilec.layout.modes import Owner
from tilec.layout.register import RegisterLayout
from tilec.layout.shared import SharedLayout


@lru_cache(maxsize=64)
def thread_bits(registers: RegisterLayout, shared: SharedLayout) -> int:
    """Return the bits inside the swizzle pattern that some thread's part of the offset has.

    Args:
        registers: Layout of the tile in registers.
        shared: Layout of the same tile in shared memory, whose linear offsets are sums over the
            modes of `registers`.
    """
    offsets = {0}
    for term in registers.thread_terms():
        if term.owner is not Owner.CTA:  # those of a cluster have tiles of their own
            steps = [
                shared.linear_offset([digit * stride for stride in term.stride])
                for digit in range(term.extent)
            ]
            offsets = {offset + step for offset in offsets for step in steps}
    return reduce(or_, offsets) % shared.swizzle.alignment


def move_after_swizzle(shared: SharedLayout, constant: int, bits: int) -> tuple[int, int] | None:
    """Return what is left of a constant after the swizzle of a thread's offset.

    Args:
        shared: Layout of the tile in shared memory.
        constant: Linear byte offset of a register.
        bits: What `thread_bits` returned.

    Returns:
        (mask, rest) such that `swizzle.apply(t + constant) == (swizzle.apply(t) ^ mask) + rest` for
        every thread's offset t; None where bits of the two may collide.
    """
    inside = constant % shared.swizzle.alignment
    if inside & bits:
        return None
    return shared.swizzle.apply(inside), constant - inside
