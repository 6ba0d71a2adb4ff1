"""Positions in rings, which go through all that a role does."""

from collections.abc import Callable
from typing import Any

from tilec.dialects.nv_tileas import RingStartOp
from tilec.ir.bindings import ir
from tilec.ir.structured import thread_value
from tilec.passes.analysis.kernels import role_block


def thread_position(
    ring: Any, user: Any, step: Callable[[Any], Any], *, advances: bool = True
) -> None:
    """Give `user` a position in a ring, from the start of its role on, round after round.

    Args:
        ring: The ring.
        user: An operation of a role.
        step: Takes the position before `user` and returns that after it; it may erase `user`.
        advances: Whether the two may differ.
    """
    block = role_block(user)
    with ir.InsertionPoint.at_block_begin(block), user.location:
        start = RingStartOp.build(ring)
    if advances:
        thread_value(block, start, user, step)
    else:
        step(start)
