"""Rules for shared memory: buffers, slots, and register tiles read from and written to them.

A byte address is a linear offset, made of box and in-box parts, whose 16-byte chunk index is then
XORed with low row bits (the swizzle). Where no digit of the register layout straddles a border of
the address map, the thread's part of the offset is computed once and each register adds a
constant; otherwise each access computes its own.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.barrier_ops import AllocMBarrierOp
from tilec.dialects.nv_tileas.epilogue_ops import WarpgroupViewOp
from tilec.dialects.nv_tileas.shared_ops import (
    AllocSharedOp,
    LoadSharedOp,
    SharedViewOp,
    SlotViewOp,
    StoreSharedOp,
)
from tilec.ir.attributes import elements_of, integer
from tilec.ir.bindings import arith
from tilec.layout import (
    MatrixAccesses,
    RegisterLayout,
    SharedLayout,
    Swizzle,
    move_after_swizzle,
    thread_bits,
)
from tilec.layout.matrix_accesses import PAIR
from tilec.layout.scratch import matrix_stores
from tilec.layout.shared import SWIZZLE_SOURCE_SHIFT, SWIZZLE_TARGET_SHIFT
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, tile_layout
from tilec.passes.transforms.nv_tileas.resources.assign_buffers import TEAM_BYTES, slot_bytes

VECTOR_BYTES = 16
"""Widest shared-memory access of one thread (PTX ISA, ld and st)."""


@RULES.converts(AllocSharedOp, AllocMBarrierOp)
def lower_alloc(op: Any, lowering: Lowering) -> Sequence[Any]:
    """A buffer is its address."""
    offset = integer(op, "offset")
    return [emit.byte_offset(lowering.shared, offset)]


@RULES.converts(SlotViewOp)
def lower_slot_view(op: Any, lowering: Lowering) -> Sequence[Any]:
    """The tile of a slot starts a multiple of the slot size after the start of the buffer."""
    buffer, (slot, _) = lowering.get(op.operands[0]), lowering.get(op.operands[1])
    offset = emit.multiply(slot, slot_bytes(op.results[0].type))
    return [emit.byte_offset(buffer, offset)]


@RULES.converts(WarpgroupViewOp)
def lower_warpgroup_view(op: Any, lowering: Lowering) -> Sequence[Any]:
    """The warpgroup's tiles follow those of the warpgroups before it, in this and other teams."""
    view = op.opview
    first = emit.multiply(lowering.current_role.consumer, view.slots.value)
    offset = emit.multiply(emit.add(first, view.slot.value), slot_bytes(view.buffer.type))
    return [emit.byte_offset(lowering.get(view.buffer), offset)]


@RULES.converts(SharedViewOp)
def lower_shared_view(op: Any, lowering: Lowering) -> Sequence[Any]:
    """The view starts where its source does."""
    return [lowering.get(op.operands[0])]


@RULES.converts(LoadSharedOp)
def lower_load_shared(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Read a tile, or a box of it, from its slot."""
    source = op.operands[0]
    return [
        read_tile(
            lowering,
            lowering.get(source),
            layout_of_shared(source.type),
            tile_layout(op.results[0]),
            source.type.element_type,
            box_origin(op),
        )
    ]


@RULES.converts(StoreSharedOp)
def lower_store_shared(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Write a tile or a box into a buffer."""
    tile, destination = op.operands
    shared = layout_of_shared(destination.type)
    store_tile(lowering, lowering.get(destination), shared, tile, box_origin(op))
    return ()


def store_tile(
    lowering: Lowering, base: Any, shared: SharedLayout, tile: Any, origin: Sequence[int] = ()
) -> None:
    """Emit stores of a tile of the kernel, as 8x8 matrices where its registers hold such."""
    layout = tile_layout(tile)
    matrices = matrix_stores(layout, shared)
    if matrices is None:
        write_tile(lowering, base, shared, layout, lowering.tile(tile), origin)
    else:
        _write_matrices(lowering, base, shared, matrices, tile, origin)


def _write_matrices(
    lowering: Lowering,
    base: Any,
    shared: SharedLayout,
    stores: MatrixAccesses,
    tile: Any,
    origin: Sequence[int],
) -> None:
    """Emit stores of matrices: lane 8m + i gives the address of row i of matrix m.

    Every thread of a warp takes part: roles have whole warps, and branches around a tile operation
    are uniform.
    """
    addresses = TileAddresses(lowering, base, shared, stores.rows, origin)
    lanes = emit.lane_numbers(PAIR)
    for number, matrices in enumerate(stores.registers):
        words = [lowering.tile_word(tile, first, lanes) for first in matrices]
        emit.store_matrices(addresses.at(number), words, stores.transposed)


def load_matrices(
    lowering: Lowering,
    base: Any,
    shared: SharedLayout,
    loads: MatrixAccesses,
    origin: Sequence[int],
) -> list[Any]:
    """Emit loads of a box of a tile as matrices; return an i32 for each word of the registers.

    Every thread of a warp takes part, as in `_write_matrices`.

    Args:
        lowering: The kernel.
        base: Address of the tile in shared memory.
        shared: Its layout.
        loads: The instructions.
        origin: Where the box begins; multiples of its extents.
    """
    addresses = TileAddresses(lowering, base, shared, loads.rows, origin)
    found: dict[int, Any] = {}
    for number, matrices in enumerate(loads.registers):
        words = emit.load_matrices(addresses.at(number), len(matrices), loads.transposed)
        found.update(zip(matrices, words, strict=True))
    return [word for _, word in sorted(found.items())]


def box_origin(op: Any) -> tuple[int, ...]:
    """Return where the box that `op` reads or writes begins in the tile in shared memory."""
    return tuple(elements_of(op.attributes["origin"])) if "origin" in op.attributes else ()


def scratch_area(lowering: Lowering, op: Any) -> Any:
    """Return the address of the scratch area of `op`, of this thread's team."""
    area = emit.byte_offset(lowering.shared, integer(op, "offset"))
    if TEAM_BYTES not in op.attributes:
        return area
    distance = integer(op, TEAM_BYTES)
    return emit.byte_offset(area, emit.multiply(lowering.current_role.team, distance))


def read_tile(
    lowering: Lowering,
    base: Any,
    shared: SharedLayout,
    layout: RegisterLayout,
    element: Any,
    origin: Sequence[emit.Index] = (),
) -> list[Any]:
    """Emit loads of a tile at `origin` of the shared tile; return its registers."""
    addresses = TileAddresses(lowering, base, shared, layout, origin)
    width = addresses.width
    registers: list[Any] = []
    for first in range(0, layout.num_registers, width):
        registers.extend(emit.load_vector(addresses.at(first), element, width))
    return registers


def write_tile(
    lowering: Lowering,
    base: Any,
    shared: SharedLayout,
    layout: RegisterLayout,
    registers: Sequence[Any],
    origin: Sequence[emit.Index] = (),
) -> None:
    """Emit stores of a tile at `origin` of the shared tile."""
    addresses = TileAddresses(lowering, base, shared, layout, origin)
    width = addresses.width
    for first in range(0, layout.num_registers, width):
        emit.store_vector(addresses.at(first), registers[first : first + width])


class TileAddresses:
    """Shared-memory addresses of the vector accesses of a register tile."""

    def __init__(
        self,
        lowering: Lowering,
        base: Any,
        shared: SharedLayout,
        layout: RegisterLayout,
        origin: Sequence[emit.Index],
    ) -> None:
        """Emit what all accesses have in common."""
        self.base = base
        self.shared = shared
        self.layout = layout
        known = [index if isinstance(index, int) else 0 for index in origin or [0] * layout.rank]
        is_known = all(isinstance(index, int) for index in origin)
        self.origin = known if is_known else [0] * layout.rank
        self.start = lowering.thread_coordinates(layout)
        if not is_known:
            self.start = [emit.add(a, b) for a, b in zip(self.start, origin, strict=True)]
        axis = layout.rank - 1
        limit = max(1, VECTOR_BYTES // shared.element_bytes)
        self.width = min(layout.vector_width(axis, limit), _aligned_run(shared, limit, origin))
        self.separable = is_known and is_separable(layout, shared, self.origin)
        self.thread_offset = linear_offset(shared, self.start) if self.separable else None
        self.thread_bits, self.thread_swizzled = 0, None
        if self.thread_offset is not None and shared.swizzle is not Swizzle.NONE:
            self.thread_bits = thread_bits(layout, shared)
            self.thread_swizzled = swizzled(self.thread_offset, shared.swizzle)

    def at(self, register: int) -> Any:
        """Return the address of the access that starts with `register`."""
        offsets = self.layout.register_offsets()[register]
        constant = [a + b for a, b in zip(offsets, self.origin, strict=True)]
        if self.thread_offset is not None:
            offset = self.shared.linear_offset(constant)
            parts = move_after_swizzle(self.shared, offset, self.thread_bits)
            if self.thread_swizzled is not None and parts is not None:
                mask, rest = parts
                own = _xor(self.thread_swizzled, mask)
                return emit.byte_offset(emit.byte_offset(self.base, own), rest)
            linear = emit.add(self.thread_offset, offset)
        else:
            coords = [emit.add(a, b) for a, b in zip(self.start, constant, strict=True)]
            linear = linear_offset(self.shared, coords)
        return emit.byte_offset(self.base, swizzled(linear, self.shared.swizzle))


def _xor(value: emit.Index, constant: int) -> emit.Index:
    if isinstance(value, int):
        return value ^ constant
    return arith.xori(value, emit.value(constant)) if constant else value


def _aligned_run(shared: SharedLayout, limit: int, origin: Sequence[emit.Index]) -> int:
    """Return how many elements along the last axis are contiguous and aligned in memory."""
    if any(not isinstance(index, int) for index in origin):
        return 1
    first = origin[-1] if origin else 0
    run = limit
    while run > 1 and (shared.box[-1] % run or shared.shape[-1] % run or first % run):
        run //= 2
    return run


def linear_offset(shared: SharedLayout, coords: Sequence[emit.Index]) -> emit.Index:
    """Emit the byte offset of an element before the swizzle."""
    terms = []
    for term in shared.address_terms():
        digit = emit.divide(coords[term.axis], term.divisor)
        if term.divisor * term.extent < shared.shape[term.axis]:
            digit = emit.remainder(digit, term.extent)
        terms.append(emit.multiply(digit, term.stride_bytes))
    return emit.total(terms)


def swizzled(linear: emit.Index, swizzle: Swizzle) -> emit.Index:
    """Emit the XOR of the swizzle (the slot is aligned to its pattern)."""
    if isinstance(linear, int):
        return swizzle.apply(linear)
    if swizzle is Swizzle.NONE:
        return linear
    row = arith.shrui(linear, emit.value(SWIZZLE_SOURCE_SHIFT))
    chunk = arith.andi(row, emit.value(swizzle.mask))
    return arith.xori(linear, arith.shli(chunk, emit.value(SWIZZLE_TARGET_SHIFT)))


def is_separable(
    layout: RegisterLayout, shared: SharedLayout, origin: Sequence[int] | None = None
) -> bool:
    """Tell whether the linear offset of a sum of coordinates is the sum of the linear offsets.

    That holds when, for every border of the address map, the digits below the border cannot add
    up to it and the digits above are multiples of it.

    Args:
        layout: Layout of the tile in registers.
        shared: Layout in shared memory of the tile that it is a box of.
        origin: Where the box begins; at the tile's origin by default.
    """
    for term in shared.address_terms():
        first = origin[term.axis] if origin else 0
        digits = _split_digit(first, 2, term.divisor) if first else []
        for mode in layout.modes:
            if mode.stride[term.axis]:
                digits.extend(_split_digit(mode.stride[term.axis], mode.extent, term.divisor))
        below = sum(step * (extent - 1) for step, extent in digits if step < term.divisor)
        above = (step for step, _ in digits if step >= term.divisor)
        if below >= term.divisor or any(step % term.divisor for step in above):
            return False
    return True


def _split_digit(step: int, extent: int, border: int) -> list[tuple[int, int]]:
    """Split a digit that crosses `border` into one below and one above, where it falls apart so."""
    inner, rest = divmod(border, step)
    if rest or inner <= 1 or extent <= inner or extent % inner:
        return [(step, extent)]
    return [(step, inner), (border, extent // inner)]
