"""Memrefs that are slices: the array that they are a part of, and where they begin in it.

A slice is a `make_memref` whose base is a `slice_base` of another memref. Threads use it like any
other memref. TMA describes whole arrays only, so it takes the whole array and adds where the slice
begins to the coordinates.
"""

from collections.abc import Sequence
from typing import Any

from tilec.ir.bindings import arith
from tilec.ir.structured import defining_operation
from tilec.support.fast_dataclasses import dataclass

SLICE_BASE = ".slice_base"


@dataclass(frozen=True)
class Start:
    """Where a slice begins along a dim: `value` (i32) and the operation that uses it."""

    dim: int
    value: Any
    op: Any


def slice_starts(memref: Any) -> list[Start]:
    """Return where slice `memref` begins, a slice of a slice included; empty for an array."""
    return _trace(memref)[1]


def extents_of(memref: Any) -> list[Any]:
    """Return the extent of each dim: a number, or the value where the type leaves it open."""
    sizes = iter(defining_operation(memref).opview.sizes)
    return [next(sizes) if extent is None else extent for extent in memref.type.shape]


def whole_array(memref: Any) -> Any:
    """Return the memref of the array that `memref` is a slice of, or `memref` itself."""
    return _trace(memref)[0]


def sliced_dims(memref: Any) -> set[int]:
    """Return the dims along which `memref` is a slice."""
    return {start.dim for start in slice_starts(memref)}


def array_coordinates(memref: Any, coords: Sequence[Any]) -> tuple[Any, ...]:
    """Return coordinates in `memref` as coordinates in its whole array, emitting additions."""
    found = list(coords)
    for start in slice_starts(memref):
        found[start.dim] = arith.addi(found[start.dim], start.value)
    return tuple(found)


def _trace(memref: Any) -> tuple[Any, list[Start]]:
    starts: list[Start] = []
    while True:
        maker = defining_operation(memref)
        base = (
            None if maker is None or not maker.operands else defining_operation(maker.operands[0])
        )
        if base is None or not base.name.endswith(SLICE_BASE):
            return memref, starts
        starts.append(Start(base.opview.dim.value, base.opview.start, base))
        memref = base.opview.memref
