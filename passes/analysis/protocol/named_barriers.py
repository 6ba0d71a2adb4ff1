"""Checks who meets at which named barrier.

A named barrier that threads wait at expects one number of threads (PTX ISA, barrier.cta), and
threads that come for another reason count all the same. So each number belongs to one group of
threads: the CTA, a team of a role, a warpgroup of it, or those that hand a turn to a warpgroup. An
operation names the first of a run of numbers, one for each team or warpgroup of the role
(`nv-tileas-assign-buffers`).
"""

from collections.abc import Iterator
from typing import Any

from tilec.dialects.nv_tileas.epilogue_ops import is_per_warpgroup
from tilec.dialects.nv_tileas.turn_ops import TURNS
from tilec.ir.attributes import integer
from tilec.ir.walks import walk_operations
from tilec.layout.modes import WARPGROUP_WARPS

NAMED_BARRIERS = 16
"""Named barriers of a CTA (PTX ISA, barrier.cta)."""
_WHOLE_CTA = 0
Group = tuple[str, int]
"""Threads that meet: what they are, and the number of their team or warpgroup."""
_TEAMS, _WARPGROUPS, _TURNS = "teams", "warpgroups", "turns"


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
        identity = integer(op, "id")
        kind = _kind(op)
        groups = _groups(roles, kind)
        last = identity + len(groups) - 1
        if not 0 <= identity <= last < NAMED_BARRIERS:
            return op, f"named barrier {last} does not exist"
        if identity == _WHOLE_CTA and (specialised or kind != _TEAMS):
            return op, "barrier 0 of the whole CTA is used by one role alone"
        for number, group in enumerate(groups, identity):
            other = members.setdefault(number, group)
            if _TURNS in (kind, other[0]) and kind != other[0]:
                return op, f"named barrier {identity} is used for turns and for something else"
            if other[0] != kind:
                message = f"named barrier {identity} is used by a role and by one of its warpgroups"
                return op, message
            if other != group:
                message = f"named barrier {number} is used by {kind} {other[1]} and {group[1]}"
                return op, message
    return None


def _kind(op: Any) -> str:
    if op.name in TURNS:
        return _TURNS
    return _WARPGROUPS if is_per_warpgroup(op) else _TEAMS


def _groups(roles: Any, kind: str) -> list[Group]:
    """Return who meets at an operation: a group for each number from its `id` on."""
    count = roles.opview.team_count
    if kind != _TEAMS:
        count *= max(1, roles.opview.consumer_warps.value // WARPGROUP_WARPS)
    return [(kind, number) for number in range(count)]


def _numbered(region: Any) -> Iterator[Any]:
    """Yield the operations of a role at which its threads meet."""
    for block in region.blocks:
        yield from (op for op in walk_operations(block) if _meets(op))


def _meets(op: Any) -> bool:
    return op.name.startswith("nv_tileas.") and "id" in op.attributes
