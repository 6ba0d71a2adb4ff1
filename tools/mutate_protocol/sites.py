"""Which operations of nv_tileas synchronise, and which of their operands and attributes are data.

Data is what an operation moves and where in an array it goes. What decides who waits for whom, for
how many, and which bytes of shared memory are meant is synchronisation.
"""

from collections.abc import Iterator
from typing import Any

from tilec.dialects.nv_tileas.ring_ops import ring_of_position
from tilec.dialects.nv_tileas.role_ops import PRODUCER_WARP
from tilec.ir.bindings import ir
from tilec.ir.structured import body_operations, defining_operation, parent_operation
from tilec.ir.walks import walk_operations

EVENTS = (
    "ring_acquire",
    "ring_wait",
    "ring_release",
    "ring_publish",
    "ring_release_until",
    "ring_advance",
    "ring_skip",
    "mbarrier_arrive_expect_tx",
    "barrier",
    "fence_proxy",
    "order_memory",
    "bulk_commit",
    "bulk_wait",
    "async_tiled_tma_load",
    "async_tiled_tma_store",
    "async_gather",
    "mbarrier_arrive_copies",
    "copy_out",
    "load_shared",
    "store_shared",
    "async_mma",
    "mma_wait",
    "mma_drain",
    "cluster_sync",
    "await_cluster",
    "cluster_send",
    "turn_start",
    "turn_take",
    "turn_pass",
    "set_registers",
    "await_partials",
    "arrive_partial",
    "reset_partials",
    "add_partial",
    "store_partial",
    "convert_layout",
    "cat",
    "extract",
)
"""What is dropped, repeated and moved."""
HANDLES = (
    "alloc_shared",
    "alloc_mbarrier",
    "create_ring",
    "ring_start",
    "ring_barrier",
    "slot_view",
    "warpgroup_view",
    "cluster_coord",
    "roles",
    "producer_warp",
)
"""What only names things: nothing happens there, but its numbers and operands count."""
DATA_ATTRIBUTES = frozenset(
    {"origin", "copy_bytes", "ragged", "unchecked", "tmaIdx", "cache_hint", "a_major", "b_major"}
)
"""What of an operation is no synchronisation: where in a tile or an array, and how it is read."""
SHAPE_ATTRIBUTES = frozenset({"operandSegmentSizes", "by_steps"})
"""What says how the operation is written down, or is a hint."""
HANDLE_TYPES = (
    "!nv_tileas.ring",
    "!nv_tileas.ring_position",
    "!nv_tileas.mbarrier",
    "!nv_tileas.smem",
    "!nv_tileas.mma_token",
    "!nv_tileaa.ptr",
)
"""Types of the values by which operations name what they synchronise on."""
CROSSING = frozenset(
    {"ring_acquire", "ring_wait", "ring_release", "ring_release_until", "ring_advance"}
    | {"mbarrier_arrive_copies", "ring_publish"}
    | {"ring_skip", "mbarrier_arrive_expect_tx", "async_tiled_tma_load", "cluster_sync"}
    | {"await_cluster", "cluster_send"}
    | {"await_partials", "arrive_partial", "reset_partials", "add_partial", "store_partial"}
)
"""Events at which a role meets others. A loop or branch without them is a matter of one role, whose
threads all take it: how often it runs decides what is computed and stored, not who waits."""
SUMS = frozenset({"async_mma", "warp_mma", "simt_mma"})
"""Operations whose result is another one when they are repeated, in whatever order all happens."""
SCALAR_BOUNDS = frozenset(
    {"ring_skip", "await_partials", "arrive_partial", "reset_partials", "add_partial"}
    | {"store_partial"}
)
"""Operations whose integers say which tile's counter, which slot or how many; no coordinates."""


def short_name(op: Any) -> str:
    """Return the name of an operation without its dialect."""
    return op.name.removeprefix("nv_tileas.")


def is_event(op: Any) -> bool:
    """Tell whether something happens at an operation that others wait for, or that waits."""
    return op.name.startswith("nv_tileas.") and short_name(op) in EVENTS


def is_site(op: Any) -> bool:
    """Tell whether the numbers of an operation belong to the protocol."""
    return op.name.startswith("nv_tileas.") and short_name(op) in (*EVENTS, *HANDLES)


def synchronises(op: Any) -> bool:
    """Tell whether an operation is an event, or a loop, branch or role around one."""
    return is_event(op) or any(
        is_event(inner)
        for region in op.regions
        for block in region.blocks
        for inner in walk_operations(block)
    )


def is_handle(value: Any) -> bool:
    """Tell whether a value names something to synchronise on."""
    text = str(value.type)
    return any(text == name or text.startswith(name + "<") for name in HANDLE_TYPES)


def visible_before(op: Any) -> Iterator[Any]:
    """Yield the values that `op` may use, the nearest ones first."""
    here = op
    while here is not None and here.name != "builtin.module":
        block = here.block
        earlier: list[Any] = []
        for other in body_operations(block):
            if other == here:
                break
            earlier.append(other)
        for other in reversed(earlier):
            yield from other.results
        yield from block.arguments
        here = parent_operation(here)


def crosses_roles(op: Any) -> bool:
    """Tell whether other roles, CTAs or loads take part in what happens inside of `op`."""
    return any(
        short_name(inner) in CROSSING
        for region in op.regions
        for block in region.blocks
        for inner in walk_operations(block)
    )


def only_reads(op: Any) -> bool:
    """Tell whether no copy in flight fills what `op` takes or names."""
    users = [use.owner.operation for result in op.results for use in result.uses]
    return all(short_name(user) != "async_tiled_tma_load" for user in (op, *users))


def holds_same_round(one: Any, other: Any) -> bool:
    """Tell whether two tiles, or two buffers, are filled for the same round of the same ring.

    Which of them is read is no question of order then.
    """
    positions = [_positions(value) for value in (one, other)]
    return bool(positions[0]) and positions[0] == positions[1]


def is_held(op: Any, tile: Any) -> bool:
    """Tell whether a tile is there while a product reads it, whether or not it should.

    Its slot is waited for before the product, and released after the wait for the product.
    """
    view = defining_operation(tile)
    if short_name(op) != "async_mma" or view is None or short_name(view) != "slot_view":
        return False
    ops = body_operations(op.block)
    uses = [use.owner.operation for result in op.results for use in result.uses]
    ends = [ops.index(user) for user in uses if short_name(user) == "mma_wait" and user in ops]
    before, after = ops[: ops.index(op)], ops[max(ends, default=len(ops)) :]
    return all(
        any(short_name(other) == name and other.operands[1] == view.operands[1] for other in part)
        for name, part in (("ring_wait", before), ("ring_release", after))
    )


def _positions(value: Any) -> set[Any]:
    """Return at which positions a tile, or of which rings the slots of a buffer, are taken.

    A buffer of one slot is that slot at every position.
    """
    op = defining_operation(value)
    if op is not None and short_name(op) == "slot_view":
        buffer, position = op.operands
        return {ring_of_position(position) if _has_one_slot(buffer) else position}
    users = (use.owner.operation for use in value.uses)
    views = [user for user in users if short_name(user) == "slot_view"]
    return {ring_of_position(view.operands[1]) for view in views}


def _has_one_slot(buffer: Any) -> bool:
    op = defining_operation(buffer)
    return op is not None and "slots" in op.attributes and op.attributes["slots"].value == 1


def carries_handles(op: Any) -> bool:
    """Tell whether an operation passes on values that name something: loops and terminators."""
    return op.name in ("scf.for", "scf.while", "scf.yield", "scf.condition")


def role_of(op: Any) -> str:
    """Return who runs an operation: for the description of a mutant."""
    here = op
    while (parent := parent_operation(here)) is not None:
        if parent.name == PRODUCER_WARP:
            return "producer warp"
        if parent.name == "nv_tileas.roles":
            return "producer" if here.block == parent.regions[0].blocks[0] else "consumer"
        here = parent
    return "kernel"


def integer_of(attribute: Any) -> int | None:
    """Return the value of an integer attribute that is no truth value; None for others."""
    if not isinstance(attribute, ir.IntegerAttr):
        return None
    return None if str(attribute.type) == "i1" else ir.IntegerAttr(attribute).value
