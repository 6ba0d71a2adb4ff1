"""The layouts that `nv-tileas-assign-register-layouts` tries for the tiles of a group.

They follow from what is done with the tiles: the width of accesses to memory, what is reduced or
scanned, and the ways to hold 8x8 matrices.
"""

from collections.abc import Iterator
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.structured import defining_operation
from tilec.ir.values import is_tile, users_of
from tilec.layout import RegisterLayout, choose_blocked
from tilec.layout.banks import SECTOR_BYTES
from tilec.layout.candidates import candidate_layouts
from tilec.layout.constructors import VECTOR_BITS
from tilec.layout.modes import WARP_LANES
from tilec.layout.swaps import gathered
from tilec.passes.analysis.commutativity import keeps_order
from tilec.passes.analysis.facts.element_accesses import is_element_access
from tilec.passes.analysis.layouts.links import COMBINE
from tilec.passes.analysis.layouts.operations import CAT, CONVERT, EXTRACT
from tilec.passes.analysis.layouts.prices import TILED_LOAD, is_access, moved_bits, vector_limit
from tilec.plan.copies import usual_access

_WORD_BITS = 32
"""A register: where accesses are narrower, elements that fill one are tried, too, because single
elements of less take a register each."""

_NEAREST = 128
"""Values that are looked at for the loads around a tile, at most (choice: bounds a search)."""


def layouts_to_try(tiles: list[Any], warps: int, ctas: int) -> Iterator[tuple[str, RegisterLayout]]:
    """Yield layouts of a group that nothing fixes with what they are, the usual one first.

    Args:
        tiles: The tiles of the group.
        warps: Warps that hold them.
        ctas: CTAs of a cluster that hold a tile together; each has the same part in all layouts.
    """
    touching = [op for tile in tiles for op in _reached(tile)]
    held = [tile for tile in tiles if not _only_names_elements(tile)] or tiles
    bits = [element_bits(tile.type.element_type) for tile in held]
    moved = _moved_sizes(touching)
    combined = [op for op in touching if op.name in COMBINE and _has_operand(op, tiles)]
    reduced = sorted({op.opview.axis.value for op in combined})
    scanned = sorted({op.opview.axis.value for op in combined if keeps_order(op)})
    shape, narrowest = tuple(tiles[0].type.shape), min(moved, default=max(bits))

    def rows(size: int, shared_last: list[int]) -> RegisterLayout:
        return choose_blocked(shape, size, warps, None, shared_last, scanned, ctas)

    limit = usual_access([bits for bits in map(vector_limit, _loads_around(tiles)) if bits])
    if limit:
        width = max(1, limit // narrowest)
        yield f"rows of warps, in vectors of {width}", rows(VECTOR_BITS // width, [len(shape) - 1])
    yield "rows", rows(narrowest, reduced)
    if reduced:
        yield "rows that warps share", rows(narrowest, [])
    if any(op.name in (EXTRACT, CAT) for op in touching):
        yield from _rows_of_warps(shape, narrowest, warps, ctas)
    limits = {limit for limit in map(vector_limit, touching) if limit}
    limits |= {max(limit, _WORD_BITS) for limit in limits}
    widest = [VECTOR_BITS * narrowest // limit for limit in limits]
    for size in sorted({*moved, *bits, *widest} - {narrowest}):
        count = VECTOR_BITS // size
        what = f"rows, in vectors of {count} elements" if count > 1 else "rows, element by element"
        yield what, rows(size, reduced)
    if ctas == 1:
        yield from candidate_layouts(shape, narrowest, warps)


def _moved_sizes(ops: list[Any]) -> list[int]:
    """Return the bits of the elements of tiles that operations access.

    Those of single elements count where neighbours fill the widest access of a thread.
    """
    tiles = (
        item.type
        for op in ops
        if is_access(op) and not is_element_access(op)
        for item in (*op.operands, *op.results)
        if is_tile(item)
    )
    found = [element_bits(tile.element_type) for tile in tiles]
    elements = ((op, moved_bits(op)) for op in ops if is_element_access(op))
    return found + [bits for op, bits in elements if op.opview.run * bits >= VECTOR_BITS]


def _loads_around(tiles: list[Any]) -> list[Any]:
    """Return the loads that element-wise operations connect with tiles, of the nearest values."""
    found, waiting, loads = set(tiles), list(tiles), {}
    shape = list(tiles[0].type.shape)
    while waiting and len(found) < _NEAREST:
        for op in operations_around(waiting.pop(0)):
            if op.name == TILED_LOAD:
                loads[op] = None
            elif op.name == CONVERT or op.name.startswith(("arith.", "math.")):
                new = [item for item in (*op.operands, *op.results) if item not in found]
                near = [item for item in new if _has_shape(item, shape)]
                found.update(near)
                waiting += near
    return list(loads)


def _has_shape(value: Any, shape: list[int]) -> bool:
    return is_tile(value) and list(value.type.shape) == shape


def _rows_of_warps(
    shape: tuple[int, ...], bits: int, warps: int, ctas: int
) -> Iterator[tuple[str, RegisterLayout]]:
    """Yield layouts in which a warp has whole rows, if there are enough rows for all warps.

    Where rows are cut and joined again, as in a butterfly, a thread has the elements that meet in
    its registers in one of them; and between two of them, lanes exchange what they have.
    """
    inner = [axis for axis, extent in enumerate(shape) if extent > 1][1:]
    yield "rows, each in a warp", choose_blocked(shape, bits, warps, None, inner, (), ctas)
    for axis in inner:
        for size, what in ((bits, "vectors"), (VECTOR_BITS // 2, "pairs")):
            layout = choose_blocked(shape, size, warps, axis, inner, (), ctas)
            yield f"rows, each in a warp, in {what} along axis {axis}", layout


def layouts_near(tiles: list[Any], layout: RegisterLayout) -> Iterator[tuple[str, RegisterLayout]]:
    """Yield layouts that lanes of a warp make of `layout`, with what they are.

    Args:
        tiles: The tiles of a group.
        layout: A layout of a tile that it meets.
    """
    touching = [op for tile in tiles for op in operations_around(tile)]
    if not layout.rank:
        return
    sizes = {(vector_limit(op), max(8, moved_bits(op))) for op in touching if vector_limit(op)}
    for limit, bits in sorted(sizes):
        most, sector = limit // bits, 8 * SECTOR_BYTES // bits
        for width in (most >> less for less in reversed(range(most.bit_length()))):
            for run in (sector, WARP_LANES * width):
                found = gathered(layout, layout.rank - 1, width, run)
                if found is not None:
                    what = f"vectors of {width} elements" if width > 1 else "single elements"
                    yield f"{what}, which lanes swap", found


def operations_around(value: Any) -> list[Any]:
    """Return the operations that make or use a value."""
    maker = defining_operation(value)
    return users_of(value) if maker is None else [maker, *users_of(value)]


def _reached(tile: Any) -> list[Any]:
    """Return the operations that make or use a tile, also after a place where it may change."""
    found = operations_around(tile)
    ends = [end for op in found if op.name == CONVERT for end in (op.operands[0], op.results[0])]
    return [*found, *(op for end in ends if end != tile for op in operations_around(end))]


def _has_operand(op: Any, tiles: list[Any]) -> bool:
    """Tell whether an operation combines elements of `tiles`, maybe after a change of layout."""
    changed = [user for tile in tiles for user in users_of(tile)]
    moved = [other.results[0] for other in changed if other.name == CONVERT]
    return any(operand in tiles or operand in moved for operand in op.operands)


def _only_names_elements(tile: Any) -> bool:
    """Tell whether `tile` is nothing but an index or mask: vectors are made for what it names."""
    users = users_of(tile)
    return bool(users) and all(is_element_access(op) and op.opview.names(tile) for op in users)
