"""Which operations move values through the scratch area of a role, and how many bytes they need.

The threads of the role meet at a barrier after they have written, and at another one after they
have read: then the next operation may use the area. A conversion of a layout in which every element
stays in its warp needs neither: threads pick among their registers (`tilec/layout/picks.py`), or
lanes exchange words (`tilec/layout/shuffles.py`) or swap them (`tilec/layout/swaps.py`).
"""

from typing import Any

from tilec.dialects.nv_tileas.tile_ops import ReduceOp, ScanOp
from tilec.dialects.nv_tileas.tma_ops import box_bytes, element_bits
from tilec.ir.bindings import ir
from tilec.ir.values import is_tile
from tilec.layout import SharedLayout
from tilec.layout.picks import Picks, find_picks
from tilec.layout.reduction import Exchange, reduction, scan_steps
from tilec.layout.scratch import scratch_layout
from tilec.layout.shuffles import PickedWord, warp_exchange
from tilec.layout.swaps import SWAPPED_BITS, Swaps, find_swaps
from tilec.passes.analysis.commutativity import keeps_order
from tilec.passes.analysis.facts.exchanges import exchanged_bytes, needs_exchange
from tilec.passes.analysis.layouts.operations import (
    CAT,
    EXTRACT,
    extracts_registers,
    joins_registers,
)
from tilec.passes.analysis.tma.shared_layouts import has_register_layout, register_layout_of

NEEDED_SCRATCH = "scratch_bytes"
"""Entry of the metadata: the scratch area of a team that an earlier plan turned out to need."""
VECTOR_BYTES = 16
"""Widest shared-memory access of one thread (PTX ISA, ld and st)."""
_CONVERT = "nv_tileas.convert_layout"


def warp_exchange_of(op: Any) -> tuple[PickedWord, ...] | Swaps | Picks | None:
    """Return how threads pick, exchange or swap words in a `convert_layout`; None for scratch."""
    ends = (op.operands[0], op.results[0])
    if op.name != _CONVERT or not all(map(has_register_layout, ends)):
        return None
    source, result = map(register_layout_of, ends)
    picks = find_picks(source, result)
    kind = op.operands[0].type.element_type
    bits = element_bits(kind)
    is_bool = isinstance(kind, ir.IntegerType) and ir.IntegerType(kind).width == 1
    if picks is not None or bits not in SWAPPED_BITS or is_bool:
        return picks
    words = warp_exchange(source, result, bits // 8)
    return find_swaps(source, result, bits // 8) if words is None else words


def uses_scratch(op: Any) -> bool:
    """Tell whether an operation moves values through the scratch area, between barriers."""
    if op.name == CAT:
        return not joins_registers(op)
    if op.name == EXTRACT:
        return not extracts_registers(op)
    if op.name == _CONVERT and warp_exchange_of(op) is not None:
        return False
    return op.name == _CONVERT or needs_exchange(op) or bool(exchanges_of(op))


def places_of(op: Any) -> SharedLayout:
    """Return where the tile of a `convert_layout` lies in the scratch area."""
    source, result = op.operands[0], op.results[0]
    bits = element_bits(source.type.element_type)
    return scratch_layout(register_layout_of(source), register_layout_of(result), bits)


def scratch_alignment(op: Any) -> int:
    """Return to how many bytes the scratch area of an operation must be aligned.

    Before layouts are known, that of a plain tile.
    """
    ends = (op.operands[0], op.results[0]) if op.name == _CONVERT else ()
    is_plain = not ends or ends[0].type.shape != ends[1].type.shape
    is_plain = is_plain or not all(map(has_register_layout, ends))
    return VECTOR_BYTES if is_plain else places_of(op).alignment


def barrier_count(op: Any) -> int:
    """Return how often the threads of the role meet in an operation."""
    return 2 * len(exchanges_of(op)) or 2 * uses_scratch(op)


def exchanges_of(op: Any) -> list[Exchange]:
    """Return what a reduction or scan hands over between warps; nothing for other operations."""
    if op.name not in (ReduceOp.OPERATION_NAME, ScanOp.OPERATION_NAME):
        return []
    layout, axis = register_layout_of(op.operands[0]), op.opview.axis.value
    if keeps_order(op):
        found = [step.exchange for step in scan_steps(layout, axis)]
    else:
        found = [reduction(layout, axis).exchange]
    return [exchange for exchange in found if exchange is not None]


def exchange_bytes(exchange: Exchange, element: Any) -> int:
    """Return the scratch bytes that handing over one element type takes."""
    size = box_bytes(exchange.shape, element)
    return -(-size // VECTOR_BYTES) * VECTOR_BYTES


def scratch_bytes(op: Any) -> int:
    """Return the scratch bytes of an operation: its largest tile, row-major, or what it exchanges.

    They are a multiple of 16, because LLVM reads the end of a tile with a vector access that is
    wider than what is left of it.
    """
    if needs_exchange(op):
        size = exchanged_bytes(op)
        return -(-size // VECTOR_BYTES) * VECTOR_BYTES
    exchanges = exchanges_of(op)
    if exchanges:
        kinds = [operand.type.element_type for operand in op.operands]
        return max(sum(exchange_bytes(item, kind) for kind in kinds) for item in exchanges)
    tiles = [v.type for v in (*op.operands, *op.results) if is_tile(v)]
    size = max(box_bytes(tile.shape, tile.element_type) for tile in tiles)
    return -(-size // VECTOR_BYTES) * VECTOR_BYTES
