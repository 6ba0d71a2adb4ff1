"""Place buffers and barriers in shared memory, and number the named barriers.

Before:  alloc_shared {slots = 3}; alloc_mbarrier {slots = 3}; barrier
After:   alloc_shared {slots = 3, offset = 0}; alloc_mbarrier {slots = 3, offset = 212992}
         barrier {id = 1}

Tile buffers come first, each aligned to its swizzle pattern. A scratch area follows, which all
operations that move a tile through shared memory use; it is aligned to their swizzles. Barriers of
their role separate them, and each team of consumers has an area of its own. The mbarriers come
last.

Named barrier 0 belongs to the whole CTA. A role with fewer threads gets id 1, a second team the
next id, and the warpgroups of the consumers the ids after that. If they ping-pong, each has
another one for that.

The metadata gets the block size (`block_threads`), the bytes of shared memory (`shared_bytes`), the
CTAs of a cluster, the tiles of a cluster (`cluster_tiles`, to which the launcher rounds up the
grid), and `dependent_launch`.

Options:
    dependent_launch: Whether the kernel may start before the kernel before it has ended.
"""

from typing import Any

from tilec.dialects.nv_tileas.count_ops import COUNTER_BARRIERS
from tilec.dialects.nv_tileas.epilogue_ops import is_per_warpgroup
from tilec.dialects.nv_tileas.turn_ops import TURNS
from tilec.ir.attributes import integer, write_kernel_facts
from tilec.ir.integers import i64
from tilec.ir.walks import walk_operations
from tilec.layout.modes import WARP_LANES, WARPGROUP_WARPS
from tilec.passes.analysis.kernels import (
    cluster_of_spec,
    ctas_of_spec,
    kernel_operations,
    read_spec,
    reject,
)
from tilec.passes.analysis.scratch_areas import (
    NEEDED_SCRATCH,
    scratch_alignment,
    scratch_bytes,
    uses_scratch,
)
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.support.fast_dataclasses import dataclass

MBARRIER_BYTES = 8
"""Size and alignment of an mbarrier object (PTX ISA, mbarrier)."""
SLOT_ALIGNMENT = 128
"""Least alignment of a TMA destination (PTX ISA, cp.async.bulk.tensor)."""
WHOLE_CTA = 0
CONSUMERS = 1
"""Named barrier of the consumer role when there is a producer role, too, or of its first team; the
next ones belong to the other teams, then to the warpgroups."""
_BARRIERS = ("nv_tileas.barrier", "nv_tileas.order_memory", *COUNTER_BARRIERS)
TEAM_BYTES = "team_bytes"
"""Distance of the scratch areas of two teams, on the operations that use them."""


@dataclass
class _Arena:
    """The CTA's shared memory, filled from the start."""

    size: int = 0

    def take(self, size: int, alignment: int) -> int:
        """Reserve `size` bytes and return their offset."""
        offset = -(-self.size // alignment) * alignment
        self.size = offset + size
        return offset


@register_kernel_pass("nv-tileas-assign-buffers")
def assign_buffers(function: Any, context: PassContext) -> None:
    """Give every buffer, scratch area and barrier its place."""
    spec = read_spec(function) or {}
    ops = kernel_operations(function)
    used = _place(ops)
    if used > context.target.shared_memory_bytes:
        write_kernel_facts(function, **{NEEDED_SCRATCH: _largest_scratch(ops)})
        raise _over_budget(function, ops, used, context)
    _number_barriers(ops, spec["producer_warps"] > 0)
    warps = spec["producer_warps"] + spec["consumer_warps"] * spec.get("teams", 1)
    rows, columns = cluster_of_spec(spec)
    write_kernel_facts(
        function,
        shared_bytes=used,
        block_threads=WARP_LANES * warps,
        cluster=[rows * columns * ctas_of_spec(spec), 1, 1],
        cluster_tiles=[rows, columns],
        dependent_launch=spec.get("dependent_launch", True),
    )


def _place(ops: list[Any]) -> int:
    arena = _Arena()
    for op in (op for op in ops if op.name == "nv_tileas.alloc_shared"):
        layout = layout_of_shared(op.results[0].type)
        size = slot_bytes(op.results[0].type) * integer(op, "slots")
        _set_offset(op, arena.take(size, max(SLOT_ALIGNMENT, layout.alignment)))
    if _largest_scratch(ops):
        _place_scratch(arena, ops, _team_count(ops))
    for op in (op for op in ops if op.name == "nv_tileas.alloc_mbarrier"):
        slots = integer(op, "slots")
        _set_offset(op, arena.take(MBARRIER_BYTES * slots, MBARRIER_BYTES))
    return arena.size


def _team_count(ops: list[Any]) -> int:
    return max((op.opview.team_count for op in ops if op.name == "nv_tileas.roles"), default=1)


def _largest_scratch(ops: list[Any]) -> int:
    """Return the bytes of the scratch area of a team; 0 where nothing needs one."""
    return max((scratch_bytes(op) for op in ops if uses_scratch(op)), default=0)


def _place_scratch(arena: _Arena, ops: list[Any], teams: int) -> None:
    users = [op for op in ops if uses_scratch(op)]
    largest = _largest_scratch(users)
    alignment = max(SLOT_ALIGNMENT, *map(scratch_alignment, users))
    each = largest if teams == 1 else -(-largest // alignment) * alignment
    offset = arena.take(teams * each, alignment)
    for op in users:
        _set_offset(op, offset)
        if teams > 1:
            op.attributes[TEAM_BYTES] = i64(each)


def slot_bytes(tile: Any) -> int:
    """Return the distance in bytes between the slots of a buffer of `tile` (an smem type)."""
    layout = layout_of_shared(tile)
    alignment = max(SLOT_ALIGNMENT, layout.alignment)
    return -(-layout.size_bytes // alignment) * alignment


def _set_offset(op: Any, offset: int) -> None:
    op.attributes["offset"] = i64(offset)


def _number_barriers(ops: list[Any], specialised: bool) -> None:
    identity = CONSUMERS if specialised else WHOLE_CTA
    for roles in (op for op in ops if op.name == "nv_tileas.roles"):
        first_warpgroup = CONSUMERS + roles.opview.team_count
        warpgroups = roles.opview.consumer_warps.value // WARPGROUP_WARPS
        for op in walk_operations(roles.opview.consumer.blocks[0]):
            if op.name in _BARRIERS or op.name in TURNS or uses_scratch(op):
                number = first_warpgroup if is_per_warpgroup(op) else identity
                number = first_warpgroup + warpgroups if op.name in TURNS else number
                op.attributes["id"] = i64(number)


def _over_budget(function: Any, ops: list[Any], used: int, context: PassContext) -> Any:
    limit = context.target.shared_memory_bytes
    parts = []
    for op in ops:
        if op.name == "nv_tileas.alloc_shared":
            tile = op.results[0].type
            slots = integer(op, "slots")
            shape = "x".join(map(str, tile.shape))
            parts.append(
                f"{slots} x {shape} {tile.element_type} ({slots * slot_bytes(tile)} bytes)"
            )
    return reject(
        function,
        "T0551",
        f"the kernel needs {used} bytes of shared memory, but {context.target.name} has {limit}:"
        f" {', '.join(parts)}",
        "use smaller tiles or fewer stages",
    )
