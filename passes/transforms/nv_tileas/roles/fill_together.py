"""Let a producer fill all of a slot before it waits for a slot of another ring.

Before:  %k = tiled_load; send %k {channel = 0}; %v = tiled_load; send %v {channel = 1}
         %d = tiled_load; send %d {channel = 2}          // received in the stage of channel 0
After:   %k = tiled_load; send %k {channel = 0}; %d = tiled_load; send %d {channel = 2}
         %v = tiled_load; send %v {channel = 1}

Tiles that are received in the same stage share a slot (`nv-tileas-insert-rings`), and a slot is
full when all of them have arrived. A producer loads in the order of the program. If a tile of
another ring comes in between, consumers wait for their slot until the other ring has an empty one,
which may be a round later. Attention to packed documents that loads keys, values and then the
numbers of the documents took 12 % longer so than with the numbers before the values (H100,
docs/measurements/2026-11-28-documents.md).

A load moves with what its place is computed from, if nothing of that has an effect, and never over
a loop or branch that loads tiles. What it must come after is an operand of it: a memory token.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from tilec.dialects.common.effects import has_effect
from tilec.ir.sequences import operations_between
from tilec.ir.structured import operations_inside
from tilec.passes.analysis.epilogue.slice_groups import slice_group
from tilec.passes.analysis.kernels import channels_of, kernel_roles
from tilec.passes.analysis.schedule.loop_graph import operands_of
from tilec.passes.analysis.schedule.marks import stage_of
from tilec.passes.registry import PassContext, register_kernel_pass

_SEND = "nv_tileas.send"


@register_kernel_pass("nv-tileas-fill-together")
def fill_together(function: Any, context: PassContext) -> bool:
    """Move the loads of producers after those that fill the same slot."""
    slots = [sends for roles in kernel_roles(function) for sends in _slots(roles)]
    changed = [_follow(*pair) for sends in slots for pair in pairwise(sends)]
    return any(changed)


def _slots(roles: Any) -> Iterable[list[Any]]:
    """Return the sends of each slot that a producer fills, in the order of the program."""
    slots: dict[Any, list[Any]] = {}
    for send, receive in channels_of(roles):
        apart = receive is not None and receive.block != send.block
        if apart and slice_group(send) is None:
            slots.setdefault((send.block, stage_of(receive)), []).append(send)
    return slots.values()


def _follow(before: Any, send: Any) -> bool:
    """Move a send and its load right after another send, if others come between; tell whether."""
    between = operations_between(before, send)
    if not any(op.name == _SEND for op in between) or any(map(_sends_inside, between)):
        return False
    needed, wanted = [send], set(operands_of(send))
    for op in reversed(between):
        if any(result in wanted for result in op.results):
            if has_effect(op):
                return False
            needed.append(op)
            wanted.update(operands_of(op))
    for op in reversed(needed):
        op.move_after(before)
        before = op
    return True


def _sends_inside(op: Any) -> bool:
    return any(inner.name == _SEND for inner in operations_inside(op))
