"""What operations on tiles cost in the layouts of these tiles, in cycles of an SM.

A price counts the instructions that the warps issue, the passes that shared memory or the L1 cache
needs for them, the barriers, and what shuffles serve. An operation in a loop counts as often as a
loop has rounds, about. The rates are in `tilec/plan/machine.py`.
"""

from functools import lru_cache
from math import inf, prod
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.structured import enclosing_loops
from tilec.layout import LayoutError, RegisterLayout, tma_boxes
from tilec.layout.banks import SECTOR_BYTES, AccessCost, sectors
from tilec.layout.constructors import VECTOR_BITS
from tilec.layout.modes import Owner
from tilec.layout.picks import find_picks
from tilec.layout.reduction import Exchange, reduction, scan_steps
from tilec.layout.scratch import SAMPLES, access, exchange
from tilec.layout.shuffles import warp_exchange
from tilec.layout.swaps import SWAPPED_BITS, find_swaps
from tilec.passes.analysis.commutativity import keeps_order
from tilec.passes.analysis.facts.element_accesses import is_element_access
from tilec.passes.analysis.facts.runs import RUN_BYTES, are_runs_aligned, run_elements, run_length
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.plan import machine

LOAD_SHARED, STORE_SHARED = "nv_tileas.load_shared", "nv_tileas.store_shared"
TILED_LOAD, TILED_STORE = "nv_tileas.tiled_load", "nv_tileas.tiled_store"
_WORD_BITS = 32
_SWAP_INSTRUCTIONS = 3
"""Instructions of a swap of two words besides its shuffle: which one goes, and which one stays."""


def rounds_of(op: Any) -> int:
    """Return how often an operation is taken to run."""
    return machine.LOOP_ROUNDS ** len(enclosing_loops(op))


def is_access(op: Any) -> bool:
    """Tell whether threads move a tile of an operation to or from memory."""
    return op.name in (LOAD_SHARED, STORE_SHARED, TILED_LOAD, TILED_STORE) or is_element_access(op)


def accesses_global(op: Any) -> bool:
    """Tell whether threads load or store a tile in global memory, and not TMA.

    The planner asks while copies by TMA are still operations on tiles.
    """
    return op.name in (TILED_LOAD, TILED_STORE) and not op.opview.atom.is_tma


def vector_limit(op: Any) -> int:
    """Return the bits of the widest access of a thread to global memory in `op`; 0 if it has none.

    Neighbouring lanes should have neighbours of this width, not wider ones in several accesses.
    """
    if is_element_access(op):
        return min(VECTOR_BITS, max(8, moved_bits(op)) * op.opview.run)
    if not accesses_global(op):
        return 0
    width = op.opview.atom.vector_bits
    return RUN_BYTES * 8 if op.name == TILED_LOAD and run_elements(op, width) else width


def access_price(op: Any, layout: RegisterLayout) -> float:
    """Return the cycles of one run of an access to memory; infinite if the layout is not fit.

    A copy by TMA is priced as the access to shared memory that the threads will do instead.
    """
    try:
        if op.name in (TILED_LOAD, TILED_STORE) and op.opview.atom.is_tma:
            shared = tma_boxes(layout.shape, moved_bits(op))
            return _cycles(access(layout, shared, op.name == TILED_STORE), layout.num_warps)
        if op.name in (LOAD_SHARED, STORE_SHARED):
            is_store = op.name == STORE_SHARED
            slot = op.opview.destination if is_store else op.opview.source
            return _cycles(_boxed(layout, layout_of_shared(slot.type), is_store), layout.num_warps)
        return _global_price(op, layout)
    except LayoutError:
        return inf


def least_access_price(op: Any, shape: tuple[int, ...], warps: int) -> float:
    """Return the cycles of an access to memory in a layout that suits it perfectly."""
    bits = prod(shape) * moved_bits(op)
    lines = max(1.0, bits / (8 * machine.SHARED_BYTES_PER_CYCLE))
    instructions = max(warps, bits / (machine.WARP_THREADS * VECTOR_BITS))
    return lines + instructions / machine.ACCESSES_PER_CYCLE


@lru_cache(maxsize=4096)
def conversion_price(source: RegisterLayout, target: RegisterLayout, bits: int) -> float:
    """Return the cycles in which a tile changes its layout.

    Args:
        source: Its layout.
        target: The new one; that of a view of the tile may have another shape.
        bits: Size of an element.
    """
    if source == target:
        return 0.0
    if not _has_same_part(source, target):
        return inf
    warps = max(source.num_warps, target.num_warps)
    moved = _moved_in_warps(source, target, bits)
    if moved is not None:
        shuffles, instructions = moved
        return warps * (_shuffle_cycles(shuffles) + instructions / machine.ISSUE_PER_CYCLE)
    written, read = exchange(source, target, max(8, bits))
    return _cycles(written, warps) + _cycles(read, warps) + 2 * machine.NAMED_BARRIER_CYCLES


@lru_cache(maxsize=4096)
def conversion_bytes(source: RegisterLayout, target: RegisterLayout, bits: int) -> int:
    """Return the bytes of the scratch area through which a tile changes its layout.

    Args:
        source: Its layout.
        target: The new one.
        bits: Size of an element.
    """
    if source == target or _moved_in_warps(source, target, bits) is not None:
        return 0
    return tile_bytes(source, bits)


def tile_bytes(layout: RegisterLayout, bits: int) -> int:
    """Return the bytes of a tile in the scratch area, whose elements have so many bits."""
    return prod(layout.shape) * max(8, bits) // 8


def _moved_in_warps(
    source: RegisterLayout, target: RegisterLayout, bits: int
) -> tuple[int, int] | None:
    """Return the shuffles and the other instructions of a change of layout in each warp.

    None where it needs the scratch area.
    """
    picks = find_picks(source, target)
    if picks is not None:
        repacked = picks.repacked(_WORD_BITS // bits) if 8 <= bits < _WORD_BITS else 0
        return 0, max(1, picks.selects + repacked)  # of equal prices, no change is the better one
    if bits not in SWAPPED_BITS:
        return None
    words = warp_exchange(source, target, bits // 8)
    if words is not None:
        return len({fetch for word in words for fetch in word.fetches}), len(words)
    swaps = find_swaps(source, target, bits // 8)
    if swaps is None:
        return None
    repacked = swaps.words * ((not swaps.is_packed) + (swaps.order is None))
    return swaps.shuffles, _SWAP_INSTRUCTIONS * swaps.shuffles + repacked


def scratch_price(tiles: list[tuple[RegisterLayout, int]]) -> float:
    """Return the cycles in which tiles go through the scratch area, each written or read.

    Args:
        tiles: The layout of each and the size of its elements in bits.
    """
    cycles = 2.0 * machine.NAMED_BARRIER_CYCLES
    for layout, bits in tiles:
        cycles += layout.num_warps * layout.num_registers * max(8, bits) / _WORD_BITS
    return cycles


def combining_price(op: Any, layout: RegisterLayout) -> float:
    """Return the cycles of a reduction or scan of tiles in a layout; infinite if it is not fit."""
    axis, tiles = op.opview.axis.value, len(op.operands)
    try:
        if keeps_order(op):
            steps = scan_steps(layout, axis)
            exchanges = [step.exchange for step in steps]
            instructions = layout.num_registers * len(steps)
            shuffles = layout.num_registers * sum(step.owner.value == "lane" for step in steps)
        else:
            found = reduction(layout, axis)
            exchanges = [found.exchange]
            instructions = layout.num_registers
            shuffles = len(found.lane_distances) * found.result.num_registers
    except LayoutError:
        return inf
    cycles = instructions / machine.ISSUE_PER_CYCLE + _shuffle_cycles(shuffles)
    cycles *= tiles * layout.num_warps
    return cycles + sum(_exchange_price(item, tiles) for item in exchanges if item is not None)


def arithmetic_price(operations: float, layout: RegisterLayout) -> float:
    """Return the cycles in which all threads do arithmetic on each of their elements.

    Args:
        operations: How many operations on a whole tile there are.
        layout: Where copies of elements are, they are computed again.
    """
    return operations * layout.num_registers * layout.num_warps / machine.ISSUE_PER_CYCLE


def _has_same_part(source: RegisterLayout, target: RegisterLayout) -> bool:
    """Tell whether each CTA of a cluster has what it needs: no tile goes from CTA to CTA."""
    parts, wanted = (
        [mode.stride for mode in layout.modes if mode.owner is Owner.CTA]
        for layout in (source, target)
    )
    return parts == wanted or not any(any(stride) for stride in parts)


def _exchange_price(item: Exchange, tiles: int) -> float:
    registers = item.write.num_registers + item.read.num_registers
    return tiles * item.write.num_warps * registers + 2.0 * machine.NAMED_BARRIER_CYCLES


def _shuffle_cycles(count: int) -> float:
    return count * machine.WARP_THREADS / machine.SHUFFLE_PER_CYCLE


def _cycles(cost: AccessCost, warps: int) -> float:
    return warps * (cost.wavefronts + cost.instructions / machine.ACCESSES_PER_CYCLE)


def _boxed(layout: RegisterLayout, shared: Any, is_store: bool) -> AccessCost:
    """Return the cost of a tile, or of a box of one: it lies at the first box."""
    if layout.shape != shared.shape:
        layout = RegisterLayout(shared.shape, layout.modes)
    return access(layout, shared, is_store)


def _global_price(op: Any, layout: RegisterLayout) -> float:
    """Return the cycles of an access to global memory.

    What a load leaves of its sectors is in the L1 cache for the next one. A store writes parts of
    sectors to the L2 cache, each time anew: those that several accesses share cost most.
    """
    if not layout.rank:
        return 0.0
    bits, axis = max(8, moved_bits(op)), layout.rank - 1
    run = run_length(op, layout) if op.name == TILED_LOAD else 0
    width = run or layout.vector_width(axis, max(1, vector_limit(op) // bits))
    vectors = 2 if run and not are_runs_aligned(op) else 1
    accesses = vectors * (layout.num_registers // width)
    if op.name == TILED_LOAD:
        line = machine.SECTORS_PER_CYCLE * SECTOR_BYTES
        passes = accesses * -(-machine.WARP_THREADS * width * bits // 8 // line)
        return _cycles(AccessCost(accesses, passes, 0), layout.num_warps)
    found = sectors(layout, axis, width, bits // 8, SAMPLES)
    passes = sum(-(-count // machine.SECTORS_PER_CYCLE) for count in found)
    moved = layout.num_registers * machine.WARP_THREADS * bits // (8 * SECTOR_BYTES)
    again = max(0, sum(found) * accesses // len(found) - moved) * machine.REWRITTEN_SECTOR_CYCLES
    total = AccessCost(accesses, passes * accesses // len(found) + again, 0)
    return _cycles(total, layout.num_warps)


def moved_bits(op: Any) -> int:
    """Return the size of an element that an access moves, in bits."""
    if op.name in (LOAD_SHARED, STORE_SHARED):
        slot = op.opview.destination if op.name == STORE_SHARED else op.opview.source
        return element_bits(slot.type.element_type)
    return element_bits(op.opview.memref.type.element_type)
