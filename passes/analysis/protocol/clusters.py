"""Checks that the CTAs of a cluster agree on who loads which share of a tile.

* All operations know the same cluster, that of the kernel.
* The CTAs along the axis of a multicast have one tile in common. Where each of them begins to load
  it is the same but for its share: a coordinate moves by one share from a CTA to the next along
  that axis, and no other one does.
* The roles compute the same tile. Where two of them compute a number from the place of the CTA in
  the same way, they take the same axis.
* Nothing reaches into another CTA before its barriers are initialised.
"""

from typing import Any

from tilec.dialects.nv_tileas.cluster_ops import AwaitClusterOp, ClusterSendOp, cluster_of
from tilec.ir.attributes import integer, read_kernel_fact
from tilec.ir.structured import (
    body_operations,
    defining_operation,
    operations_inside,
    parent_operation,
)
from tilec.ir.walks import walk_operations
from tilec.layout.modes import Owner
from tilec.passes.analysis.facts.index_ranges import constant_value
from tilec.passes.analysis.kernels import ctas_of_spec, kernel_operations, read_spec
from tilec.passes.analysis.tma.multicast import dependences, multicast_axis, share_axis
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared, register_layout_of

COORD = "nv_tileas.cluster_coord"
_LOAD = "nv_tileas.async_tiled_tma_load"
_RELEASE = "nv_tileas.ring_release"
_DEPTH = 3
"""Operations away from the place of a CTA at which two roles are compared."""
Found = tuple[Any, str]
"""An operation and what is wrong with it."""


def find_cluster_error(function: Any) -> Found | None:
    """Return an operation of a kernel whose cluster or axis is wrong and why, or None."""
    ops = kernel_operations(function)
    return (
        _find_other_cluster(ops, _known_cluster(function))
        or _find_wrong_share(ops)
        or _find_disagreement(ops)
        or _find_early_reach(ops)
    )


def _known_cluster(function: Any) -> tuple[int, int] | None:
    """Return the rows and columns of CTAs of a kernel; None where nothing tells."""
    tiles = read_kernel_fact(function, "cluster_tiles")
    ctas = ctas_of_spec(read_spec(function) or {})
    if ctas > 1:
        return ctas, 1
    return tuple(tiles) if tiles else None


def _find_other_cluster(ops: list[Any], known: tuple[int, int] | None) -> Found | None:
    for op in ops:
        if not op.name.startswith("nv_tileas.") or "cluster" not in op.attributes:
            continue
        own = cluster_of(op)
        known = known or own
        if own != known:
            return op, f"a cluster of {own} in one of {known} CTAs"
        if op.name == COORD and own[integer(op, "axis")] == 1:
            return op, f"a cluster of {own} CTAs has one of them along axis {integer(op, 'axis')}"
    return None


def _find_wrong_share(ops: list[Any]) -> Found | None:
    coords = {op for op in ops if op.name == COORD}
    for load in ops:
        axis = multicast_axis(load) if load.name == _LOAD else None
        if axis is None:
            continue
        along = {op for op in coords if integer(op, "axis") == axis}
        wanted = _share(load, axis)
        for number, coord in enumerate(load.opview.coords):
            step = _Steps(along).of(coord)
            expected = wanted.get(number, 0)
            if step != expected:
                found = "an unknown number" if step is None else str(step)
                message = (
                    f"CTAs along cluster axis {axis} share a tile, but coordinate {number} of what"
                    f" they load of it moves by {found} from one to the next, not by {expected}"
                )
                return load, message
    return None


def _share(load: Any, axis: int) -> dict[int, int]:
    """Return by how many elements a coordinate moves from the share of one CTA to the next."""
    layout, peers = layout_of_shared(load.opview.destination.type), cluster_of(load)[axis]
    cut = share_axis(layout, peers)
    return {} if cut is None else {cut: layout.shape[cut] // peers}


class _Steps:
    """Says by how much values grow with a coordinate of the CTA in its cluster."""

    def __init__(self, coords: set[Any]) -> None:
        """Take the operations that return the coordinate."""
        self._coords = coords

    def of(self, value: Any) -> int | None:
        """Return by how much `value` grows from one CTA to the next; None where that varies."""
        op = defining_operation(value)
        if op in self._coords:
            return 1
        if not dependences([value], self._coords):
            return 0
        if op is None:
            return None
        steps = [self.of(operand) for operand in op.operands]
        if None in steps or op.name not in ("arith.addi", "arith.subi", "arith.muli"):
            return None
        first, second = (step or 0 for step in steps)
        if op.name != "arith.muli":
            return first + second if op.name == "arith.addi" else first - second
        factors = [constant_value(operand) for operand in op.operands]
        if factors[1] is not None:
            return first * factors[1]
        return None if factors[0] is None else second * factors[0]


def _find_early_reach(ops: list[Any]) -> Found | None:
    """Find what reaches into other CTAs before the wait for their barriers, if there is one."""
    waits = [op for op in ops if op.name == AwaitClusterOp.OPERATION_NAME]
    if not waits:
        return None
    first = waits[0]
    if len(waits) > 1 or parent_operation(first).name != "nv_tileas.roles":
        return waits[-1], "the CTAs of a cluster wait for each other's barriers once"
    before = body_operations(first.block)
    before = before[: before.index(first)]
    inside = {inner for op in before for inner in (op, *operations_inside(op))}
    after = set(walk_operations(first.block)) - inside
    early = [op for op in ops if op not in after and _reaches_out(op)]
    if early:
        return early[0], "this reaches into CTAs whose barriers may not be initialised"
    return None


def is_sent_by_all_warps(op: Any) -> bool:
    """Tell whether `op` sends to other CTAs, and each warp has elements of its own for them."""
    if op.name != ClusterSendOp.OPERATION_NAME:
        return False
    terms = register_layout_of(op.operands[0]).replica_terms()
    return not any(term.owner in (Owner.WARP, Owner.WARPGROUP) for term in terms)


def _reaches_out(op: Any) -> bool:
    """Tell whether an operation reaches into other CTAs."""
    if op.name == _LOAD:
        return multicast_axis(op) is not None
    if op.name == _RELEASE:
        ring = defining_operation(op.operands[0])
        return ring is None or cluster_of(ring) != (1, 1)
    return op.name == ClusterSendOp.OPERATION_NAME


def _find_disagreement(ops: list[Any]) -> Found | None:
    """Find two roles that take different axes where they compute the same."""
    for roles in (op for op in ops if op.name == "nv_tileas.roles"):
        first, second = (_axes_by_use(region) for region in roles.regions)
        for use, (axes, _) in first.items():
            others, op = second.get(use, (axes, None))
            if op is not None and axes != others:
                return op, "the roles take the place of the CTA along different cluster axes"
    return None


def _axes_by_use(region: Any) -> dict[Any, tuple[set[int], Any]]:
    """Return which axes are taken where, and an operation that does."""
    found: dict[Any, tuple[set[int], Any]] = {}
    for block in region.blocks:
        for op in walk_operations(block):
            if op.name == COORD:
                for use in _uses(op.results[0], 2):
                    axes, _ = found.setdefault(use, (set(), op))
                    axes.add(integer(op, "axis"))
    return found


def _uses(value: Any, depth: int) -> list[Any]:
    """Return what is computed from `value`, written without the names of values."""
    found = []
    for use in value.uses:
        user = use.owner.operation
        if not user.name.startswith("arith."):
            continue
        own = [None if item == value else _shape(item, _DEPTH) for item in user.operands]
        here = (user.name, *own)
        found.append(here)
        if depth > 1:
            found += [(here, further) for further in _uses(user.results[0], depth - 1)]
    return found


def _shape(value: Any, depth: int) -> Any:
    """Return how `value` is computed, as far as `depth` operations back."""
    op = defining_operation(value)
    if op is None:
        return "carried"
    if op.name == "arith.constant":
        return str(op.attributes["value"])
    if depth == 0 or op.name.startswith("scf."):
        return op.name
    return (op.name, *(_shape(item, depth - 1) for item in op.operands))
