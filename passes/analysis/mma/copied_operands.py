"""Operands of products that threads copy to shared memory as they are, by `cp.async`.

TMA copies boxes of an array. Threads can copy what it cannot, such as gathered rows or rows of an
odd pitch, without their registers: `cp.async` copies 4, 8 or 16 bytes from global to shared memory,
and zeros what it is told to leave out (PTX ISA, cp.async: `cp-size` and `src-size`).
"""

from collections.abc import Iterator
from math import prod
from typing import Any

from tilec.dialects.cute.registry import CP_ASYNC_BYTES, ELEMENT_BITS
from tilec.ir.removal import is_read
from tilec.ir.structured import body_operations, parent_operation
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts.constants import is_zeros
from tilec.passes.analysis.facts.memory_tokens import follows_store
from tilec.passes.analysis.facts.round_places import place_in_round
from tilec.passes.analysis.facts.unit_views import is_unit_view
from tilec.passes.analysis.kernels import kernel_operations, tiled_access
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.plan.machine import WARPGROUP_THREADS
from tilec.plan.registers import MAX_CONSUMERS

ATOM, ASYNC_COPY = "atom", "cp_async"
"""Attribute of a gather that threads perform by `cp.async`, and the kind of atom that it holds."""
GATHERS = ("nv_tileaa.gather", "nv_tileas.gather")
_GATHER, _LOAD = "nv_tileaa.gather", "nv_tileaa.tiled_load"
_DOTS = ("nv_tileaa.dot", "nv_tileas.dot")
_OPERANDS = 2


def is_copied(op: Any) -> bool:
    """Tell whether `op` is a gather whose elements threads copy to shared memory by `cp.async`."""
    return op is not None and op.name in GATHERS and ATOM in op.attributes


def copied_gathers(loop: Any) -> list[Any]:
    """Return the gathers in the body of a loop that threads copy to shared memory, in order.

    Args:
        loop: Any operation; one that is no counted loop has none.
    """
    if loop.name != "scf.for":
        return []
    return list(filter(is_copied, body_operations(loop.regions[0].blocks[0])))


def operand_loads(function: Any) -> list[Any]:
    """Return the loads of tiles by threads that are just operands of products in their rounds."""
    return [
        op
        for op in kernel_operations(function)
        if (op.name == _GATHER or (op.name == _LOAD and not tiled_access(op).uses_tma))
        and is_tile(op.results[0])
        and why_not_operand(op) is None
    ]


def why_not_operand(load: Any) -> str | None:
    """Return why the tile of a load is not just an operand of products in its round; else None.

    Args:
        load: A gather or tiled load of nv_tileaa.
    """
    loop = parent_operation(load)
    if loop is None or loop.name != "scf.for":
        return "it is not in a loop"
    if is_read(load.opview.token):
        return "other accesses wait for it"
    uses = list(_uses(load.results[0]))
    if not uses or not all(op.name in _DOTS and number < _OPERANDS for op, number in uses):
        return "threads compute with it"
    if any(op.block != load.block for op, _ in uses):
        return "the product is in a loop or branch inside of the loop"
    defects = (why_not_wgmma(op, 1) for op, _ in uses)
    return next(filter(None, defects), None)


def why_not_copied(gather: Any) -> str | None:
    """Return why threads cannot copy what a gather loads some rounds ahead; None if they can.

    Args:
        gather: A gather of nv_tileaa, of which `why_not_operand` says nothing.
    """
    access = gather.opview
    if follows_store(gather):
        return "it comes after a store to its array"
    if access.ACCESS.order_of(gather) != "weak":
        return "its memory order is not weak"
    if access.padding is not None and not is_zeros(access.padding):
        return "cp.async pads with zeros alone"
    if copy_bytes(gather) not in CP_ASYNC_BYTES:
        return (
            f"runs of {copy_bytes(gather)} bytes lie next to each other; cp.async takes"
            f" {min(CP_ASYNC_BYTES)} or more"
        )
    size = prod(gather.results[0].type.shape) * copy_bytes(gather) // access.run
    if size < min(CP_ASYNC_BYTES) * MAX_CONSUMERS * WARPGROUP_THREADS:
        return f"a tile of {size} bytes has less than {min(CP_ASYNC_BYTES)} for some threads"
    if place_in_round(gather, gather.block) is None:
        return "where it lies depends on what the loop loads or carries"
    return None


def copy_bytes(gather: Any) -> int:
    """Return the bytes that lie next to each other at a multiple of their number."""
    element = str(gather.opview.memref.type.element_type)
    return gather.opview.run * ELEMENT_BITS[element] // 8


def _uses(tile: Any) -> Iterator[tuple[Any, int]]:
    """Yield the operations that use a tile, also with dims of extent 1 before its rows."""
    for use in tile.uses:
        op = use.owner.operation
        if is_unit_view(op) and op.results[0].type.shape[-1:] == tile.type.shape[-1:]:
            yield from _uses(op.results[0])
        else:
            yield op, use.operand_number
