"""Slices of loads and stores: which group they belong to and their place in its sequence."""

from typing import Any

from tilec.ir.attributes import integer, integer_or
from tilec.ir.integers import i64

_GROUP = "slice_group"
_NUMBER = "slice"


def mark_slice(op: Any, group: int, number: int) -> None:
    """Make `op` belong to slice `number` of group `group` of its kernel."""
    op.attributes[_GROUP] = i64(group)
    op.attributes[_NUMBER] = i64(number)


def slice_group(op: Any) -> int | None:
    """Return the group that `op` is a slice of; None for a whole tile."""
    return integer_or(op, _GROUP, None)


def slice_number(op: Any) -> int:
    """Return which slice of its group `op` belongs to."""
    return integer(op, _NUMBER)


def copy_slice(source: Any, target: Any) -> None:
    """Make `target` belong to the slice that `source` belongs to, if any."""
    for name in (_GROUP, _NUMBER):
        if name in source.attributes:
            target.attributes[name] = source.attributes[name]
