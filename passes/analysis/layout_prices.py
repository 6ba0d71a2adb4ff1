"""What the memory accesses of a tile cost in a layout, if it is transposed between load and store.

A tile that is loaded and stored in one order has one best layout: vectors along the axis that is
contiguous. A `permute` makes another axis contiguous, and then every layout is a compromise. The
price of a layout is the number of accesses that the warps issue and of passes that memory needs for
them, summed over all accesses that the layout reaches without a conversion. An access in a loop
counts as often as a loop has rounds, about.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.structured import defining_operation, enclosing_loops
from tilec.layout import (
    LayoutError,
    RegisterLayout,
    access_cost,
    matrix_store_cost,
    matrix_stores,
)
from tilec.layout.banks import sectors
from tilec.passes.analysis.operation_layouts import result_layout, source_layout
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.support.fast_dataclasses import dataclass

PERMUTE = "nv_tileas.permute"
_FREE = (PERMUTE, "nv_tileas.view", "nv_tileas.broadcast")
_LOAD_SHARED, _STORE_SHARED = "nv_tileas.load_shared", "nv_tileas.store_shared"
_GLOBAL = ("nv_tileas.tiled_load", "nv_tileas.tiled_store")
_ROUNDS = 8
"""Rounds that a loop is taken to have."""
_VECTOR_BYTES = 16
"""Widest access of a thread to shared memory (PTX ISA, ld.shared)."""
_SECTORS_PER_PASS = 4
"""Sectors of 32 bytes that one pass of the L1 cache serves: a line (Nsight Compute documentation,
memory tables)."""


@dataclass(frozen=True)
class Groups:
    """Tiles that share a layout, as `nv-tileas-assign-register-layouts` groups them.

    Attributes:
        root_of: Returns the tile that stands for the group of a tile.
        members_of: Returns the tiles of a group.
        layouts: The layouts that are fixed already, by group.
    """

    root_of: Callable[[Any], Any]
    members_of: Callable[[Any], Iterable[Any]]
    layouts: Mapping[Any, RegisterLayout]


def price(root: Any, layout: RegisterLayout, groups: Groups) -> int | None:
    """Return the price of a layout for a group.

    Returns:
        None where no permutation is reached, or where an access has no known price.
    """
    reached = _reached(root, layout, groups)
    accesses: dict[Any, RegisterLayout] = {}
    permuted = False
    for group, held in reached.items():
        for op in _around(groups.members_of(group)):
            permuted |= op.name == PERMUTE
            if op.name in (_LOAD_SHARED, _STORE_SHARED, *_GLOBAL):
                accesses[op] = held
    if not permuted or len(accesses) == 1:  # one access has one order, whatever is permuted
        return None
    try:
        return sum(_access_price(op, held) for op, held in accesses.items())
    except LayoutError:
        return None


def _reached(root: Any, layout: RegisterLayout, groups: Groups) -> dict[Any, RegisterLayout]:
    """Return the groups that a layout reaches through operations that move nothing."""
    reached, pending = {root: layout}, [root]
    while pending:
        group = pending.pop()
        for op in _around(groups.members_of(group)):
            if op.name not in _FREE:
                continue
            source, result = (groups.root_of(tile) for tile in (op.operands[0], op.results[0]))
            forward = source == group
            other = result if forward else source
            found = (result_layout if forward else source_layout)(op, reached[group])
            if found is not None and other not in reached and other not in groups.layouts:
                reached[other] = found
                pending.append(other)
    return reached


def _around(tiles: Iterable[Any]) -> list[Any]:
    """Return the operations that make or use a tile, each once."""
    found: dict[Any, None] = {}
    for tile in tiles:
        maker = defining_operation(tile)
        if maker is not None:
            found[maker] = None
        found.update(dict.fromkeys(use.owner.operation for use in tile.uses))
    return list(found)


def _access_price(op: Any, layout: RegisterLayout) -> int:
    rounds = _ROUNDS ** len(enclosing_loops(op))
    if op.name in _GLOBAL:
        return rounds * _global_price(op, layout)
    return rounds * _shared_price(op, layout)


def _shared_price(op: Any, layout: RegisterLayout) -> int:
    """Return the accesses and passes of one warp."""
    is_store = op.name == _STORE_SHARED
    slot = op.opview.destination if is_store else op.opview.source
    shared = layout_of_shared(slot.type)
    stores = matrix_stores(layout, shared) if is_store else None
    if stores is not None:
        cost = matrix_store_cost(stores, shared, warps=1)
    else:
        limit = max(1, _VECTOR_BYTES // shared.element_bytes)
        width = layout.vector_width(layout.rank - 1, limit)
        cost = access_cost(layout, shared, layout.rank - 1, width, warps=1)
    return cost.instructions + cost.wavefronts


def _global_price(op: Any, layout: RegisterLayout) -> int:
    """Return the accesses and passes of one warp."""
    access = op.opview
    bits = element_bits(access.memref.type.element_type)
    width = layout.vector_width(layout.rank - 1, max(1, access.atom.vector_bits // bits))
    touched = sectors(layout, layout.rank - 1, width, bits // 8)
    return sum(1 + -(-count // _SECTORS_PER_PASS) for count in touched)
