"""What tiles read that differ only in coordinates which their costs do not depend on."""

from collections.abc import Iterable
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import box_bytes
from tilec.ir.attributes import read_kernel_fact
from tilec.passes.analysis.early_ends import may_end_early
from tilec.passes.analysis.facts.slices import slice_starts, whole_array
from tilec.passes.analysis.kernels import TiledAccess, kernel_operations
from tilec.passes.analysis.reuse import axis_of, is_input
from tilec.passes.analysis.schedule.tile_graph import PROGRAM_ID
from tilec.passes.analysis.tile_costs import Digit, TileCosts, UnknownCostError, tile_costs
from tilec.passes.analysis.tma.multicast import dependences
from tilec.support.fast_dataclasses import dataclass


@dataclass(frozen=True)
class FreeArray:
    """An array of which loops of tiles with other free digits read other parts.

    Attributes:
        memref: The memref of the whole array.
        dims: The dims in which their coordinates differ, and the extents of a tile in them.
    """

    memref: Any
    dims: dict[int, int]


@dataclass(frozen=True)
class FreeReads:
    """What loops of tiles read that differ only in free digits.

    Attributes:
        apart: Arrays of which they read other parts.
        apart_bytes: Bytes of the tiles of those that a round reads.
        shared_bytes: Bytes of the tiles that a round of each of them reads, the same for all.
    """

    apart: tuple[FreeArray, ...]
    apart_bytes: int
    shared_bytes: int


def free_reads(function: Any, costs: TileCosts, accesses: Iterable[TiledAccess]) -> FreeReads:
    """Return what loops of tiles read that differ only in free digits.

    Args:
        function: The kernel.
        costs: What a tile costs.
        accesses: The loads and stores of the kernel.
    """
    free = _Free(function, costs)
    found: dict[Any, dict[int, int]] = {}
    volume = {True: 0, False: 0}
    for access in filter(is_input, accesses):
        extents = access.tile_type.shape
        dims = {dim: extents[dim] for dim, place in _places(access).items() if free.decides(place)}
        volume[bool(dims)] += _loaded_bytes(access)
        if dims:
            found.setdefault(whole_array(access.view), {}).update(dims)
    arrays = tuple(FreeArray(memref, dims) for memref, dims in found.items())
    return FreeReads(arrays, volume[True], volume[False])


def sharing_last(
    function: Any, costs: TileCosts, accesses: Iterable[TiledAccess]
) -> tuple[Digit, ...]:
    """Return the digits of items, those last along which loops of tiles load the most in common.

    Items of neighbouring numbers run at the same time if they cost about the same, and the last
    digit is the fastest. With sequences as the fastest digit, 16 sequences of 1024 tokens read
    their keys from memory again and again (docs/measurements/2026-11-28-documents.md).
    """
    loads = list(filter(is_input, accesses))

    def apart_bytes(digit: Digit) -> int:
        axis = {
            op
            for op in kernel_operations(function)
            if op.name == PROGRAM_ID and axis_of(op) == digit.axis
        }
        return sum(
            _loaded_bytes(access)
            for access in loads
            if any(dependences(place, axis, bounds=False) for place in _places(access).values())
        )

    return tuple(sorted(costs.digits, key=apart_bytes, reverse=True))


def order_of_tiles(function: Any, accesses: Iterable[TiledAccess]) -> dict[str, Any]:
    """Return what the planner needs to know about the order of tiles, by field of its problem."""
    known = {"ends_early": may_end_early(function)}
    if not read_kernel_fact(function, "grid"):
        return known | {"why_not_ordered": "the caller gives the grid"}
    try:
        costs = tile_costs(function)
    except UnknownCostError as reason:
        return known | {"why_not_ordered": str(reason)}
    reads = free_reads(function, costs, accesses)
    return known | {
        "why_not_ordered": None,
        "equal_tiles": costs.are_equal,
        "leaves_tiles_out": not costs.always_act,
        "apart_bytes": reads.apart_bytes,
        "shared_bytes": reads.shared_bytes,
    }


def _places(access: TiledAccess) -> dict[int, list[Any]]:
    """Return what decides where a tile begins, for each dim of the array."""
    begin = {start.dim: [start.value] for start in slice_starts(access.view)}
    return {dim: [coord, *begin.get(dim, [])] for dim, coord in enumerate(access.coords)}


def _loaded_bytes(access: TiledAccess) -> int:
    return box_bytes(access.tile_type.shape, access.tile_type.element_type)


class _Free:
    """The free digits of the coordinates of a block."""

    def __init__(self, function: Any, costs: TileCosts) -> None:
        queries = [op for op in kernel_operations(function) if op.name == PROGRAM_ID]
        divisors = {digit.axis: digit.divisor for digit in costs.digits}
        self._queries = {op for op in queries if divisors.get(axis_of(op), op) is not None}
        self._quotients = {
            use.owner.operation
            for op in self._queries
            for use in op.results[0].uses
            if _is_quotient(use.owner.operation, divisors.get(axis_of(op)))
        }

    def decides(self, values: list[Any]) -> bool:
        """Tell whether a free digit decides about values."""
        sources = self._queries | self._quotients
        return bool(dependences(values, sources, bounds=False) & self._queries)


def _is_quotient(op: Any, divisor: Any) -> bool:
    return divisor is not None and "div" in op.name and op.operands[1] == divisor
