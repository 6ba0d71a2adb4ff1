"""Where the operands of a product come from: shared memory, registers, or a staging buffer.

A loaded operand is a name for a tile in shared memory. A computed A operand can stay in registers:
wgmma takes A from there (PTX ISA, wgmma.mma_async), but B from shared memory alone.
"""

from collections.abc import Iterator
from math import prod
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import box_bytes, element_bits
from tilec.ir.bindings import ir
from tilec.ir.structured import defining_operation, parent_operation, terminator
from tilec.ir.values import is_tile, makers_of
from tilec.layout import warpgroup_share
from tilec.passes.analysis.facts.element_accesses import is_element_access
from tilec.passes.analysis.facts.unit_views import (
    VIEWS,
    is_row_view,
    skip_row_views,
    skip_unit_views,
)
from tilec.passes.analysis.kernels import is_tiled_access, tiled_access
from tilec.passes.analysis.mma.copied_operands import is_copied
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.plan.operands import few_elements, fits_registers
from tilec.request.target import get_target

DOT = "nv_tileas.dot"
_ASYNC_MMA = "nv_tileas.async_mma"
_PRODUCTS = (DOT, _ASYNC_MMA, "nv_tileas.warp_mma", "nv_tileas.simt_mma")
_PERMUTE = "nv_tileas.permute"
_RECEIVE = "nv_tileas.receive"
_LOAD_SHARED = "nv_tileas.load_shared"
_SELECT, _IF = "arith.select", "scf.if"
_MASKED = "threads mask it, or fill in padding (not zeros, or of a slice without pad='array')"
_SM = get_target("sm_90a")


def loaded_operand(operand: Any) -> Any:
    """Return the tile whose place in shared memory a product reads for `operand`, if it has one.

    That is the tile which `operand` is a view of, if both have the same contiguous axis. Rows of
    the operand may be several axes of the tile.
    """
    tile = skip_row_views(operand)
    return tile if tile.type.shape[-1:] == operand.type.shape[-1:] else operand


def why_not_in_place(operand: Any) -> str | None:
    """Return why a product does not read an operand where TMA puts it; None if it does."""
    source = defining_operation(loaded_operand(operand))
    if _is_transposed(source):
        return "it is transposed"
    if source is not None and source.name in VIEWS and _is_loaded_by_tma(source.operands[0]):
        return "its columns are several axes of what is loaded"
    if source is None or not is_tiled_access(source):
        return _MASKED if _is_masked_load(loaded_operand(operand)) else "threads compute it"
    return None if tiled_access(source).uses_tma else "it is loaded without TMA"


def _is_masked_load(tile: Any) -> bool:
    """Tell whether a tile is what TMA loads, perhaps transposed, but for masked elements."""
    source = defining_operation(tile)
    if source is not None and source.name == _PERMUTE:
        return _is_masked_load(source.operands[0])
    if source is None or source.name not in (_SELECT, _IF):
        return False
    if source.name == _SELECT:
        return any(map(_is_loaded_by_tma, source.operands[1:]))
    number = ir.OpResult(tile).result_number
    sides = (terminator(region.blocks[0]).operands[number] for region in source.regions)
    return any(map(_is_loaded_by_tma, sides))


def _is_loaded_by_tma(tile: Any) -> bool:
    """Tell whether TMA loads `tile`."""
    source = defining_operation(skip_unit_views(tile))
    return source is not None and is_tiled_access(source) and tiled_access(source).uses_tma


def route_of_operand(dot: Any, number: int) -> str | None:
    """Return on which way operand `number` of a product of wgmma comes, and why.

    None for one that TMA loads, or threads copy: it is read where it lies.
    """
    operand = dot.operands[number]
    reason, name = why_not_in_place(operand), "AB"[number]
    if reason is None or is_copied_operand(dot, number):
        return None
    in_registers = stays_in_registers(dot, number)
    if _is_transposed(defining_operation(loaded_operand(operand))):
        size = box_bytes(operand.type.shape, operand.type.element_type)
        moved = f"read {size} bytes" if in_registers else f"transpose {size} bytes of shared memory"
        reason = (
            f"wgmma reads {element_bits(operand.type.element_type)}-bit elements only where K is "
            f"contiguous, so threads {moved} one by one for every product; in an array whose K is "
            "contiguous they lie as needed"
        )
    elif number == 1 and why_not_in_place(dot.operands[0]) is None:
        reason += "; the transposed product, 'mma(b.T, a.T, acc)', would keep it in registers"
    way = "comes from" if in_registers else "goes through"
    return f"operand {name} of the mma {way} registers: {reason}"


def stays_in_registers(dot: Any, number: int) -> bool:
    """Tell whether wgmma takes operand `number` of `dot` from registers.

    That is an A operand that threads compute with K along the rows. One that threads load from
    global memory goes through shared memory: its accesses are then 16 bytes wide, while those of a
    fragment have at most 4.
    """
    operand = dot.operands[number]
    if number != 0 or dot.opview.a_major.value != "k" or why_not_wgmma(dot, 1) is not None:
        return False
    if not _fits_registers(dot) or is_copied_operand(dot, number):
        return False
    source = _maker(loaded_operand(operand))
    is_loaded = source is not None and (source.name == _LOAD_SHARED or is_tiled_access(source))
    return not is_loaded and not _loads_rows(operand)


def _fits_registers(dot: Any) -> bool:
    """Tell whether a thread has room for A and what it is made from, next to the result."""
    a, result = dot.operands[0].type, dot.results[0].type
    extents = (*result.shape, a.shape[1])
    bits, result_bytes = element_bits(a.element_type), element_bits(result.element_type) // 8
    return fits_registers(extents, bits, result_bytes, _SM)


def _loads_rows(tile: Any) -> bool:
    """Tell whether threads load more than a few elements for each row to compute `tile`.

    Not where the result of a product has a part in it: its layout is that of a fragment, and what
    is combined with it is loaded, or brought, to this layout whatever becomes of the operand.
    """
    few, shape, found = few_elements(*tile.type.shape), list(tile.type.shape), False
    waiting, seen = [tile], set()
    while waiting:
        value = waiting.pop()
        op = _maker(value)
        if op is None or value in seen:
            continue
        seen.add(value)
        if op.name in _PRODUCTS:
            if list(value.type.shape) == shape and _by_wgmma(op):
                return False
            continue
        if op.name == "scf.if":
            number = ir.OpResult(value).result_number
            waiting += [terminator(region.blocks[0]).operands[number] for region in op.regions]
        if len(op.regions):
            continue
        by_threads = is_element_access(op) or (
            is_tiled_access(op) and not tiled_access(op).uses_tma
        )
        found = found or (by_threads and prod(op.results[0].type.shape) > few)
        tiles = (item for item in op.operands if is_tile(item))
        waiting.extend(() if op.name == _LOAD_SHARED or is_tiled_access(op) else tiles)
    return found


def _by_wgmma(product: Any) -> bool:
    """Tell whether a product is computed by wgmma, also before it is decided for all products."""
    return product.name == _ASYNC_MMA or (product.name == DOT and why_not_wgmma(product, 1) is None)


def _maker(tile: Any) -> Any:
    """Return the operation that makes a tile, also if the round before has loaded it; else None."""
    if (
        isinstance(tile, ir.BlockArgument)
        and tile.owner.owner.name == "scf.for"
        and tile.arg_number
    ):
        passed = terminator(tile.owner).operands[tile.arg_number - 1]
        op = defining_operation(passed)
        is_load = op is not None and (is_element_access(op) or is_tiled_access(op))
        return op if is_load else None
    return defining_operation(tile)


def _is_transposed(source: Any) -> bool:
    """Tell whether operation `source` transposes a tile that is loaded."""
    if source is None or source.name != _PERMUTE:
        return False
    loaded = defining_operation(skip_unit_views(source.operands[0]))
    return loaded is not None and is_tiled_access(loaded)


def operand_parts(dot: Any, operand: Any, warpgroups: int) -> int:
    """Return into how many parts `warpgroups` split the contiguous dimension of an operand.

    Raises:
        LayoutError: The product does not split over the warpgroups.
    """
    view = dot.opview
    m, n, _ = view.extents
    _, columns = warpgroup_share(m, n, warpgroups)
    return n // columns if operand == view.b and view.b_major.value != "k" else 1


def is_copied_operand(dot: Any, number: int) -> bool:
    """Tell whether threads copy operand `number` of `dot` into a ring by `cp.async`."""
    return is_copied(defining_operation(loaded_operand(dot.operands[number])))


def is_received(dot: Any, number: int) -> bool:
    """Tell whether operand `number` of `dot` comes to the consumers through a ring.

    It is received from a channel, or read from a slot once rings are there.
    """
    source = defining_operation(loaded_operand(dot.operands[number]))
    return source is not None and source.name in (_RECEIVE, _LOAD_SHARED)


def meets(dot: Any) -> bool:
    """Tell whether the consumers meet for `dot`, because they store an operand of it together."""
    return any(
        not (is_received(dot, number) or stays_in_registers(dot, number)) for number in (0, 1)
    )


def is_exchanged(dot: Any, number: int) -> bool:
    """Tell whether a ring can pass operand `number` of `dot` on to the next round of its loop.

    That is what threads store, and compute from another product of the round.
    """
    if is_received(dot, number) or not is_staged(dot, number):
        return False
    makers = makers_of([dot.operands[number]], lambda op: op.block == dot.block)
    return parent_operation(dot).name == "scf.for" and any(op.name == DOT for op in makers)


def is_staged(dot: Any, number: int) -> bool:
    """Tell whether threads store operand `number` of `dot` into a buffer."""
    if is_copied_operand(dot, number) or stays_in_registers(dot, number):
        return False
    return why_not_in_place(dot.operands[number]) is not None


def is_converted(dot: Any, number: int) -> bool:
    """Tell whether threads compute operand `number` of `dot` from what the round loads, no more.

    So they can compute that of the next round while the product runs.
    """
    if is_copied_operand(dot, number):
        return False
    waiting, seen = [dot.operands[number]], set[Any]()
    while waiting:
        value = waiting.pop()
        op = defining_operation(value)
        if op is None and value.owner == dot.block:
            op = _maker(value)  # what the round before has loaded
            if op is None:
                return False
        if op is None or op in seen or op.block != dot.block:
            continue
        seen.add(op)
        if op.name in _PRODUCTS or len(op.regions):
            return False
        waiting += [item for item in op.operands if is_tile(item)]
    return True


def dot_uses(tile: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (dot, operand) for every `dot` that multiplies `tile` or a view of its rows."""
    for use in tile.uses:
        op = use.owner.operation
        if op.name == DOT and use.operand_number < 2:
            yield op, tile
        elif is_row_view(op):
            yield from dot_uses(op.results[0])
