"""Rules for operations that build or reshape tiles, and for layout conversions."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.epilogue_ops import TilePartOp, TileSliceOp
from tilec.dialects.nv_tileas.shared_ops import ConvertLayoutOp
from tilec.dialects.nv_tileas.tile_ops import (
    BroadcastOp,
    CatOp,
    ExtractOp,
    MakeRangeOp,
    PermuteOp,
    SplatOp,
    ViewOp,
)
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import arith, ir
from tilec.ir.slices import slice_counts
from tilec.layout import SharedLayout
from tilec.layout.picks import Picks
from tilec.layout.shared import row_major
from tilec.layout.swaps import Swaps
from tilec.passes.analysis.facts.extracts import open_axes
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.layouts.operations import extracted_part, joined_parts, part_of
from tilec.passes.analysis.scratch_areas import places_of, uses_scratch, warp_exchange_of
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.exchange import (
    exchange_in_warps,
    pick_registers,
    swap_in_warps,
)
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, tile_layout
from tilec.passes.conversion.nv_tileas_to_llvm.memory.shared_memory import (
    read_tile,
    scratch_area,
    store_tile,
    write_tile,
)
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import role_barrier


@RULES.converts(SplatOp)
def lower_splat(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Every register holds the scalar."""
    scalar = lowering.get(op.operands[0])
    return [[scalar] * tile_layout(op.results[0]).num_registers]


@RULES.converts(MakeRangeOp)
def lower_make_range(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Every register holds its coordinate plus the start."""
    layout = tile_layout(op.results[0])
    start = op.opview.start.value
    element = op.results[0].type.element_type
    base = lowering.thread_coordinates(layout)[0]
    registers = []
    for (offset,) in layout.register_offsets():
        index = emit.value(emit.add(base, offset + start))
        registers.append(_resize(index, element))
    return [registers]


def _resize(index: Any, element: Any) -> Any:
    width = ir.IntegerType(element).width
    if width == 32:
        return index
    return arith.extsi(element, index) if width > 32 else arith.trunci(element, index)


@RULES.converts(PermuteOp, ViewOp)
def lower_relabel(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Registers stay; find each one under its coordinate in the result's layout.

    The layouts of both sides describe the same map from threads, but canonical forms may order
    registers differently.
    """
    return [lowering.tile(op.operands[0])]


@RULES.converts(BroadcastOp)
def lower_broadcast(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Each register takes the source register that it is a copy of."""
    source = lowering.tile(op.operands[0])
    layout = tile_layout(op.results[0])
    _, register_map = layout.broadcast_source(tuple(op.operands[0].type.shape))
    return [[source[index] for index in register_map]]


@RULES.converts(TilePartOp, TileSliceOp)
def lower_tile_part(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Pick the registers that hold the part or slice."""
    source = lowering.tile(op.operands[0])
    part = part_of(op, tile_layout(op.operands[0]))
    return [[source[register] for register in part.registers]]


def plain_layout(tile: Any) -> SharedLayout:
    """Return the row-major layout of a tile in a scratch area."""
    return row_major(tuple(tile.shape), element_bits(tile.element_type))


@RULES.converts(ConvertLayoutOp)
def lower_convert_layout(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Pick registers, exchange or swap words in each warp, or go through the scratch area."""
    source, result = op.operands[0], op.results[0]
    words = warp_exchange_of(op)
    if isinstance(words, Picks):
        return [pick_registers(lowering, words, lowering.tile(source))]
    if isinstance(words, Swaps):
        return [swap_in_warps(lowering, words, lowering.tile(source))]
    if words is not None:
        return [exchange_in_warps(lowering, words, lowering.tile(source))]
    scratch, element = scratch_area(lowering, op), source.type.element_type
    if source.type.shape == result.type.shape:
        written = read = places_of(op)
    else:  # a view: both sides have their elements in row-major order
        written, read = plain_layout(source.type), plain_layout(result.type)
    store_tile(lowering, scratch, written, source)
    role_barrier(lowering, op)
    tile = read_tile(lowering, scratch, read, tile_layout(result), element)
    role_barrier(lowering, op)
    return [tile]


@RULES.converts(CatOp)
def lower_cat(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Name the registers of both tiles, or join the tiles in the scratch area and read them."""
    result = op.results[0]
    if not uses_scratch(op):
        return [_joined(op, lowering)]
    scratch, plain = scratch_area(lowering, op), plain_layout(result.type)
    origin = [0] * len(result.type.shape)
    for operand in op.operands:
        layout = tile_layout(operand)
        write_tile(lowering, scratch, plain, layout, lowering.tile(operand), tuple(origin))
        origin[op.opview.dim.value] += operand.type.shape[op.opview.dim.value]
    role_barrier(lowering, op)
    element = result.type.element_type
    tile = read_tile(lowering, scratch, plain, tile_layout(result), element)
    role_barrier(lowering, op)
    return [tile]


def _joined(op: Any, lowering: Lowering) -> list[Any]:
    """Return the registers of the operands of a `cat` in the order of its result."""
    layout = tile_layout(op.results[0])
    registers: list[Any] = [None] * layout.num_registers
    for operand, part in zip(op.operands, joined_parts(op, layout) or (), strict=True):
        for number, register in zip(part.registers, lowering.tile(operand), strict=True):
            registers[number] = register
    return registers


def _slice_numbers(lowering: Lowering, op: Any) -> list[emit.Index]:
    """Return the indices of an `extract`, and see to those that are out of range.

    What such a one gives is undefined, but the access stays inside the scratch area.
    """
    function = lowering.function
    ranges = ValueRanges.of_kernel(function)
    counts, numbers = slice_counts(op), [lowering.get(index) for index in list(op.operands)[1:]]
    for axis in open_axes(op, ranges):
        if lowering.debug is not None:
            lowering.debug.check_index(op, axis, numbers[axis], counts[axis])
        numbers[axis] = arith.minui(numbers[axis], emit.value(counts[axis] - 1))
    return [0 if count == 1 else n for count, n in zip(counts, numbers, strict=True)]


@RULES.converts(ExtractOp)
def lower_extract(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Name registers, or write the tile to the scratch area and read the slice at its place."""
    source, result = op.operands[0], op.results[0]
    part = None if uses_scratch(op) else extracted_part(op, tile_layout(source))
    if part is not None:
        registers = lowering.tile(source)
        return [[registers[number] for number in part.registers]]
    scratch, plain = scratch_area(lowering, op), plain_layout(source.type)
    write_tile(lowering, scratch, plain, tile_layout(source), lowering.tile(source))
    role_barrier(lowering, op)
    steps = result.type.shape
    origin = tuple(map(emit.multiply, _slice_numbers(lowering, op), steps))
    element = source.type.element_type
    tile = read_tile(lowering, scratch, plain, tile_layout(result), element, origin)
    role_barrier(lowering, op)
    return [tile]
