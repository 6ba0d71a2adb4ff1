"""Place shared-memory buffers, scratch areas and barriers; number the named barriers.

Before:  %b = alloc_shared {slots = 4} : !nv_tileas.smem<...>; %f = alloc_mbarrier {slots = 4}
After:   %b = alloc_shared {slots = 4, offset = 0}; %f = alloc_mbarrier {slots = 4, offset = 131072}

Tile buffers come first, each aligned to its swizzle pattern, then one scratch area that operations
which move a tile through shared memory share (they are separated by barriers of their role; where
teams ping-pong, each has an area of its own), then the mbarriers.
Named barrier 0 is the whole CTA; a role with fewer threads than the CTA gets an id of its own, and
so does each of its warpgroups.
The kernel's `shared_bytes` and `block_threads` are recorded in its metadata.
"""

from typing import Any

from tilec.dialects.nv_tileas.epilogue_ops import is_per_warpgroup
from tilec.dialects.nv_tileas.tma_ops import box_bytes
from tilec.ir.attributes import write_kernel_facts
from tilec.ir.bindings import ir
from tilec.ir.structured import walk_operations
from tilec.layout.modes import WARP_LANES
from tilec.passes.analysis.facts.exchanges import exchanged_bytes, needs_exchange
from tilec.passes.analysis.kernels import (
    cluster_of_spec,
    kernel_functions,
    kernel_operations,
    read_spec,
    reject,
)
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.registry import PassContext, register_pass
from tilec.support.fast_dataclasses import dataclass

MBARRIER_BYTES = 8
"""Size and alignment of an mbarrier object (PTX ISA, mbarrier)."""
SLOT_ALIGNMENT = 128
"""Least alignment of a TMA destination (PTX ISA, cp.async.bulk.tensor)."""
WHOLE_CTA = 0
CONSUMERS = 1
"""Named barrier of the consumer role when there is a producer role, too, or of its first team; the
next ones belong to the other teams, then to the warpgroups."""
VECTOR_BYTES = 16
"""Widest shared-memory access of one thread (PTX ISA, ld and st)."""
_SCRATCH_OPS = ("nv_tileas.convert_layout", "nv_tileas.cat", "nv_tileas.extract")
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


@register_pass("nv-tileas-assign-buffers")
def assign_buffers(module: Any, context: PassContext) -> None:
    """Give every buffer, scratch area and barrier its place."""
    for function in kernel_functions(module):
        spec = read_spec(function) or {}
        ops = kernel_operations(function)
        used = _place(ops)
        if used > context.target.shared_memory_bytes:
            raise _over_budget(function, ops, used, context)
        _number_barriers(ops, spec["producer_warps"] > 0)
        warps = spec["producer_warps"] + spec["consumer_warps"] * spec.get("teams", 1)
        rows, columns = cluster_of_spec(spec)
        write_kernel_facts(
            function,
            shared_bytes=used,
            block_threads=WARP_LANES * warps,
            cluster=[rows * columns, 1, 1],
            cluster_tiles=[rows, columns],
            dependent_launch=True,
        )


def _place(ops: list[Any]) -> int:
    arena = _Arena()
    for op in (op for op in ops if op.name == "nv_tileas.alloc_shared"):
        layout = layout_of_shared(op.results[0].type)
        size = slot_bytes(op.results[0].type) * ir.IntegerAttr(op.attributes["slots"]).value
        _set_offset(op, arena.take(size, max(SLOT_ALIGNMENT, layout.alignment)))
    scratch = [op for op in ops if uses_scratch(op)]
    if scratch:
        _place_scratch(arena, scratch, _team_count(ops))
    for op in (op for op in ops if op.name == "nv_tileas.alloc_mbarrier"):
        slots = ir.IntegerAttr(op.attributes["slots"]).value
        _set_offset(op, arena.take(MBARRIER_BYTES * slots, MBARRIER_BYTES))
    return arena.size


def _team_count(ops: list[Any]) -> int:
    return max((op.opview.team_count for op in ops if op.name == "nv_tileas.roles"), default=1)


def _place_scratch(arena: _Arena, users: list[Any], teams: int) -> None:
    largest = max(scratch_bytes(op) for op in users)
    each = largest if teams == 1 else -(-largest // SLOT_ALIGNMENT) * SLOT_ALIGNMENT
    offset = arena.take(teams * each, SLOT_ALIGNMENT)
    for op in users:
        _set_offset(op, offset)
        if teams > 1:
            op.attributes[TEAM_BYTES] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), each)


def slot_bytes(tile: Any) -> int:
    """Return the distance in bytes between the slots of a buffer of `tile` (an smem type)."""
    layout = layout_of_shared(tile)
    alignment = max(SLOT_ALIGNMENT, layout.alignment)
    return -(-layout.size_bytes // alignment) * alignment


def uses_scratch(op: Any) -> bool:
    """Tell whether `op` moves values of its role through a scratch area."""
    return op.name in _SCRATCH_OPS or needs_exchange(op)


def scratch_bytes(op: Any) -> int:
    """Return the scratch bytes of an operation: its largest tile, row-major.

    An access that exchanges its result has a tile of that, or one element. The bytes are a multiple
    of 16, because LLVM reads the end of a tile with a vector access that is wider than what is left
    of it.
    """
    if needs_exchange(op):
        size = exchanged_bytes(op)
    else:
        values = (*op.operands, *op.results)
        tiles = [v.type for v in values if isinstance(v.type, ir.RankedTensorType)]
        size = max(box_bytes(tile.shape, tile.element_type) for tile in tiles)
    return -(-size // VECTOR_BYTES) * VECTOR_BYTES


def _set_offset(op: Any, offset: int) -> None:
    op.attributes["offset"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), offset)


def _number_barriers(ops: list[Any], specialised: bool) -> None:
    identity = CONSUMERS if specialised else WHOLE_CTA
    for roles in (op for op in ops if op.name == "nv_tileas.roles"):
        first_warpgroup = CONSUMERS + roles.opview.team_count
        for op in walk_operations(roles.opview.consumer.blocks[0]):
            if op.name in ("nv_tileas.barrier", "nv_tileas.order_memory") or uses_scratch(op):
                number = first_warpgroup if is_per_warpgroup(op) else identity
                op.attributes["id"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)


def _over_budget(function: Any, ops: list[Any], used: int, context: PassContext) -> Any:
    limit = context.target.shared_memory_bytes
    parts = []
    for op in ops:
        if op.name == "nv_tileas.alloc_shared":
            tile = op.results[0].type
            slots = ir.IntegerAttr(op.attributes["slots"]).value
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
