"""Checks who meets at which named barrier.

A named barrier that threads wait at expects one number of threads (PTX ISA, barrier.cta), and
threads that come for another reason count all the same. So each number belongs to one group of
threads: the CTA, a team of a role, or a warpgroup of it. An operation names the first of a run of
numbers, one for each team or warpgroup of the role (`nv-tileas-assign-buffers`).
"""

from collections.abc import Iterator
from typing import Any

from tilec.dialects.nv_tileas.epilogue_ops import is_per_warpgroup
from tilec.ir.bindings import ir
from tilec.ir.structured import walk_operations
from tilec.layout.modes import WARPGROUP_WARPS

NAMED_BARRIERS = 16
"""Named barriers of a CTA (PTX ISA, barrier.cta)."""
_WHOLE_CTA = 0
Group = tuple[bool, int]
"""Threads that meet: whether they are one warpgroup, and the number of it or of their team."""


def find_barrier_error(ops: list[Any]) -> tuple[Any, str] | None:
    """Return an operation whose named barrier is wrong and what is wrong with it, or None.

    Args:
        ops: The operations of a kernel.
    """
    for roles in (op for op in ops if op.name == "nv_tileas.roles"):
        for op in _numbered(roles.opview.producer):
            return op, "one thread of the producer cannot meet others at a named barrier"
        found = _consumer_error(roles)
        if found is not None:
            return found
    return None


def _consumer_error(roles: Any) -> tuple[Any, str] | None:
    specialised = roles.opview.producer_warps.value > 0
    members: dict[int, Group] = {}
    for op in _numbered(roles.opview.consumer):
        identity = ir.IntegerAttr(op.attributes["id"]).value
        own = is_per_warpgroup(op)
        groups = _groups(roles, own)
        last = identity + len(groups) - 1
        if not 0 <= identity <= last < NAMED_BARRIERS:
            return op, f"named barrier {last} does not exist"
        if identity == _WHOLE_CTA and (specialised or own):
            return op, "barrier 0 of the whole CTA is used by one role alone"
        for number, group in enumerate(groups, identity):
            other = members.setdefault(number, group)
            if other[0] != own:
                message = f"named barrier {identity} is used by a role and by one of its warpgroups"
                return op, message
            if other != group:
                what = "warpgroups" if own else "teams"
                message = f"named barrier {number} is used by {what} {other[1]} and {group[1]}"
                return op, message
    return None


def _groups(roles: Any, own: bool) -> list[Group]:
    """Return who meets at an operation: a group for each number from its `id` on."""
    count = roles.opview.team_count
    if own:
        count *= max(1, roles.opview.consumer_warps.value // WARPGROUP_WARPS)
    return [(own, number) for number in range(count)]


def _numbered(region: Any) -> Iterator[Any]:
    """Yield the operations of a role at which its threads meet."""
    for block in region.blocks:
        yield from (op for op in walk_operations(block) if _meets(op))


def _meets(op: Any) -> bool:
    return op.name.startswith("nv_tileas.") and "id" in op.attributes
