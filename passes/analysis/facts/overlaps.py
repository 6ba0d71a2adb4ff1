"""Loads of tiles of one array that overlap, as those of a stencil do."""

from collections.abc import Sequence
from typing import Any

from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts.index_ranges import constant_value
from tilec.passes.analysis.kernels import tiled_access

_SIGNS = {"arith.addi": 1, "arith.subi": -1}


def overlapping_loads(loads: Sequence[Any]) -> dict[Any, int]:
    """Return how many loads of a block overlap, for each one that overlaps another one.

    They load tiles of one shape from one array, whose coordinates differ by constants.

    Args:
        loads: Tiled loads of nv_tileaa.
    """
    groups: dict[Any, list[tuple[Any, tuple[int, ...]]]] = {}
    for load in loads:
        access = tiled_access(load)
        places = [_split(value) for value in load.opview.coords]
        bases = tuple(base for base, _ in places)
        key = (load.block, access.view, tuple(access.tile_type.shape), bases)
        groups.setdefault(key, []).append((load, tuple(number for _, number in places)))
    found: dict[Any, int] = {}
    for (_, _, shape, _), members in groups.items():
        meeting = [load for load, place in members if _meets_another(place, members, shape)]
        found.update(dict.fromkeys(meeting, len(meeting)))
    return found


def _meets_another(
    place: tuple[int, ...], members: Sequence[tuple[Any, tuple[int, ...]]], shape: tuple[int, ...]
) -> bool:
    """Tell whether a tile shares elements with another one that begins elsewhere."""
    return any(
        other != place and all(abs(a - b) < n for a, b, n in zip(place, other, shape, strict=True))
        for _, other in members
    )


def _split(value: Any) -> tuple[Any, int]:
    """Return a scalar as a value and the constant that is added to it."""
    total = 0
    while (op := defining_operation(value)) is not None and op.name in _SIGNS:
        left, right = op.operands
        if op.name == "arith.addi" and constant_value(left) is not None:
            left, right = right, left
        number = constant_value(right)
        if number is None:
            break
        value, total = left, total + _SIGNS[op.name] * number
    number = constant_value(value)
    return (value, total) if number is None else (None, total + number)
