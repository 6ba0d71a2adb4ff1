"""Checks where buffers, scratch areas and mbarriers of a kernel lie in shared memory.

Nothing here trusts the pass that placed them. A rule of the hardware names its source.

* Whatever is placed has an offset, aligned as its uses ask for, inside of `shared_bytes`.
* No two places overlap. All of them are in use from the start of the kernel to its end, but for
  scratch areas: what moves a tile through one leaves it after a barrier of its threads, so
  areas of the same threads may be one.
* A buffer or barrier that a ring indexes has a slot for each of its stages, and belongs to that
  ring alone; one that warpgroups index has a run of slots for each of them, and is no ring's.
"""

from collections.abc import Iterator
from typing import Any

from tilec.ir.attributes import integer_or, read_kernel_fact
from tilec.ir.errors import source_span
from tilec.ir.structured import defining_operation
from tilec.layout import Swizzle
from tilec.layout.modes import WARP_LANES, WARPGROUP_WARPS
from tilec.passes.analysis.kernels import kernel_operations
from tilec.passes.analysis.protocol.events import Violation
from tilec.passes.analysis.scratch_areas import (
    VECTOR_BYTES,
    scratch_alignment,
    scratch_bytes,
    uses_scratch,
)
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.transforms.nv_tileas.resources.assign_buffers import (
    MBARRIER_BYTES,
    SLOT_ALIGNMENT,
    TEAM_BYTES,
    slot_bytes,
)
from tilec.support.fast_dataclasses import dataclass

DESCRIPTOR_ALIGNMENT = 16
"""Unit of addresses in a matrix descriptor (PTX ISA, wgmma matrix descriptor format)."""
_INDEXED = ("nv_tileas.slot_view", "nv_tileas.warpgroup_view")
_VIEWS = (*_INDEXED, "nv_tileas.shared_view")
_TMA = ("nv_tileas.async_tiled_tma_load", "nv_tileas.async_tiled_tma_store")


@dataclass(frozen=True)
class Place:
    """Some bytes of shared memory.

    Attributes:
        op: What they belong to.
        name: What to call it.
        start: First byte.
        size: How many bytes.
        alignment: What `start` must be a multiple of.
        sharers: Threads whose scratch areas may be the same; empty where it is nobody else's.
    """

    op: Any
    name: str
    start: int
    size: int
    alignment: int
    sharers: str = ""

    @property
    def end(self) -> int:
        """The byte after the last one."""
        return self.start + self.size

    def overlaps(self, other: "Place") -> bool:
        """Tell whether the two must not have the bytes that both have."""
        if self.sharers and self.sharers == other.sharers:
            return False
        return self.start < other.end and other.start < self.end


class Placement:
    """The places of a kernel, and the first rule that they break.

    Attributes:
        violation: What is wrong first; None where nothing is.
    """

    def __init__(self, function: Any, limit: int, file: str) -> None:
        """Check a kernel.

        Args:
            function: The kernel function.
            limit: Bytes of shared memory that a CTA of the target can have.
            file: Name of the file that MLIR calls `-`.
        """
        self.violation: Violation | None = None
        self._file = file
        self._ops = kernel_operations(function)
        roles = [op for op in self._ops if op.name == "nv_tileas.roles"]
        self._teams = max((op.opview.team_count for op in roles), default=1)
        warps = max((op.opview.consumer_warps.value for op in roles), default=WARPGROUP_WARPS)
        self._warpgroups = max(1, warps // WARPGROUP_WARPS) * self._teams
        for op in roles:
            self._check_threads(op, read_kernel_fact(function, "block_threads"))
        places = list(self._places())
        self._check_bounds(places, read_kernel_fact(function, "shared_bytes"), limit)
        self._check_overlaps(places)
        for op in (op for op in self._ops if op.name == "nv_tileas.create_ring"):
            self._check_ring(op)
        for op in self._ops:
            if op.name == "nv_tileas.alloc_shared":
                self._check_slots(op)
            elif op.name in _INDEXED:
                self._check_buffer(op)

    def _report(self, op: Any, message: str) -> None:
        if self.violation is None:
            where = str(source_span(op.location, self._file) or "")
            self.violation = Violation(where, message)

    def _check_threads(self, roles: Any, threads: int | None) -> None:
        view = roles.opview
        warps = view.producer_warps.value + view.consumer_warps.value * view.team_count
        if threads is not None and threads != WARP_LANES * warps:
            message = f"roles of {warps} warps in a kernel of {threads} threads"
            self._report(roles, message)

    def _places(self) -> Iterator[Place]:
        for op in self._ops:
            if op.name == "nv_tileas.alloc_shared":
                tile = op.results[0].type
                size = slot_bytes(tile) * op.opview.slots.value
                alignment = buffer_alignment(op.results[0])
                yield self._place(op, _name(tile), size, alignment)
            elif op.name == "nv_tileas.alloc_mbarrier":
                size = MBARRIER_BYTES * op.opview.slots.value
                yield self._place(op, "an mbarrier", size, MBARRIER_BYTES)
            elif uses_scratch(op):
                yield from self._scratch(op)

    def _place(self, op: Any, name: str, size: int, alignment: int) -> Place:
        if "offset" not in op.attributes:
            self._report(op, f"{name} has no place in shared memory")
        return Place(op, name, integer_or(op, "offset", 0), size, alignment)

    def _scratch(self, op: Any) -> Iterator[Place]:
        """Yield the scratch area of each team."""
        size, each, alignment = (
            scratch_bytes(op),
            integer_or(op, TEAM_BYTES, 0),
            scratch_alignment(op),
        )
        first = self._place(op, "a scratch area", size, alignment)
        for team in range(self._teams):
            start = first.start + team * each
            yield Place(op, first.name, start, size, alignment, f"team {team}")

    def _check_bounds(self, places: list[Place], total: int | None, limit: int) -> None:
        if total is not None and total > limit:
            self._report(self._ops[0], f"{total} bytes of shared memory, of at most {limit}")
        for place in places:
            if place.start % place.alignment:
                self._report(
                    place.op,
                    f"{place.name} lies at offset {place.start}, but needs a multiple of"
                    f" {place.alignment}",
                )
            if place.start < 0 or (total is not None and place.end > total):
                self._report(
                    place.op,
                    f"{place.name} takes bytes {place.start} to {place.end - 1} of shared memory,"
                    f" but the kernel has {total}",
                )

    def _check_overlaps(self, places: list[Place]) -> None:
        ordered = sorted(places, key=lambda place: place.start)
        for index, place in enumerate(ordered):
            for other in ordered[index + 1 :]:
                if other.start >= place.end:
                    break
                if place.overlaps(other):
                    self._report(
                        other.op,
                        f"{other.name} at offset {other.start} overlaps {place.name} at"
                        f" {place.start} to {place.end - 1}",
                    )

    def _check_ring(self, ring: Any) -> None:
        stages = ring.opview.stages.value
        for barriers in ring.operands:
            alloc = defining_operation(barriers)
            if alloc is None or alloc.name != "nv_tileas.alloc_mbarrier":
                self._report(ring, "a ring's barriers are no mbarriers of their own")
                continue
            slots = alloc.opview.slots.value
            if slots != stages:
                self._report(ring, f"a ring of {stages} stages has {slots} mbarriers")
            if len(list(barriers.uses)) != 1:
                self._report(ring, "an mbarrier of a ring is also used directly")

    def _check_slots(self, alloc: Any) -> None:
        """Check that whatever indexes a buffer finds as many slots as it takes for given."""
        slots, tile = alloc.opview.slots.value, alloc.results[0].type
        rings, ways = set(), set()
        for use in alloc.results[0].uses:
            view = use.owner.operation
            ways.add(view.name if view.name in _INDEXED else "")
            if view.name == "nv_tileas.slot_view":
                ring = _ring_of(view.operands[1])
                if ring is None:
                    self._report(view, "a slot of a position that is no ring's")
                    continue
                rings.add(ring)
                wanted = ring.owner.opview.stages.value
                what = f"a ring of {wanted} stages"
            elif view.name == "nv_tileas.warpgroup_view":
                wanted = view.opview.slots.value * self._warpgroups
                what = f"{self._warpgroups} warpgroups with {view.opview.slots.value} tiles each"
                self._check_smaller(view, tile)
            else:
                wanted, what = 1, "what takes it as one tile"
            if wanted != slots:
                self._report(view, f"{_name(tile)} has {slots} slots, but is used by {what}")
        if len(ways) > 1:
            self._report(alloc, f"{_name(tile)} is divided into slots in {len(ways)} ways")
        if len(rings) > 1:
            self._report(alloc, f"{_name(tile)} is indexed by positions of {len(rings)} rings")

    def _check_buffer(self, view: Any) -> None:
        """Check that what has slots is a buffer, not a tile of one."""
        alloc = defining_operation(view.operands[0])
        if alloc is None or alloc.name != "nv_tileas.alloc_shared":
            self._report(view, "what is indexed is no buffer")

    def _check_smaller(self, view: Any, whole: Any) -> None:
        """Check a tile that takes the place of a larger one."""
        layout = layout_of_shared(view.results[0].type)
        if layout.size_bytes > slot_bytes(whole) or slot_bytes(whole) % layout.alignment:
            self._report(view, f"a tile of {layout.size_bytes} bytes does not fit {_name(whole)}")


def find_placement_error(function: Any, limit: int, file: str) -> Violation | None:
    """Return the first rule that the placement of a kernel breaks, or None.

    Args:
        function: The kernel function.
        limit: Bytes of shared memory that a CTA of the target can have.
        file: Name of the file that MLIR calls `-`.
    """
    return Placement(function, limit, file).violation


def buffer_alignment(buffer: Any) -> int:
    """Return the alignment that the uses of a buffer, or of a view of it, ask for.

    A swizzle permutes address bits, so whatever knows it needs the pattern to start with the slot
    (PTX ISA, "Swizzling modes" of tensors). TMA takes multiples of 128 bytes
    (cp.async.bulk.tensor), a descriptor of wgmma holds multiples of 16, and threads access up to 16
    bytes at once (ld and st).
    """
    layout = layout_of_shared(buffer.type)
    found = VECTOR_BYTES if layout.swizzle is Swizzle.NONE else layout.alignment
    for use in buffer.uses:
        user = use.owner.operation
        if user.name in _VIEWS:
            found = max(found, buffer_alignment(user.results[0]))
        elif user.name in _TMA:
            found = max(found, SLOT_ALIGNMENT, layout.alignment)
        elif user.name == "nv_tileas.async_mma":
            found = max(found, DESCRIPTOR_ALIGNMENT)
    return found


def _ring_of(position: Any) -> Any:
    """Return the ring of a position, as far as its definition tells; None where it does not."""
    from tilec.dialects.nv_tileas.ring_ops import ring_of_position

    try:
        ring = ring_of_position(position)
    except (AttributeError, IndexError):
        return None
    made = defining_operation(ring)
    return ring if made is not None and made.name == "nv_tileas.create_ring" else None


def _name(tile: Any) -> str:
    return f"the {'x'.join(map(str, tile.shape))} {tile.element_type} buffer"
