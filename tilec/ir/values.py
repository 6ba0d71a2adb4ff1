"""What values are, and where they are made and used."""

from collections.abc import Callable, Iterable
from math import prod
from typing import Any

from tilec.ir.bindings import ir


def is_tile(value: Any) -> bool:
    """Tell whether a value is a tile in registers."""
    return isinstance(value.type, ir.RankedTensorType)


def element_count(value: Any) -> int:
    """Return the elements of a tile; 1 for other values."""
    return prod(value.type.shape) if is_tile(value) else 1


def block_of(value: Any) -> Any:
    """Return the block that makes a value, by an operation or as an argument."""
    return value.owner if isinstance(value, ir.BlockArgument) else value.owner.operation.block


def origin_of(value: Any, is_passed: Callable[[Any], bool]) -> Any:
    """Return the value from which operations with `is_passed` make `value`, of their first operand.

    Args:
        value: The value.
        is_passed: Tells whether to go on to the first operand of an operation.
    """
    while not isinstance(value, ir.BlockArgument) and is_passed(value.owner.operation):
        value = value.owner.operation.operands[0]
    return value


def makers_of(
    values: Iterable[Any], is_followed: Callable[[Any], bool] = lambda op: True
) -> list[Any]:
    """Return the operations that compute `values`, as far back as operations are followed.

    Args:
        values: The values.
        is_followed: Tells of an operation whether it counts, and what its operands are made by.
    """
    found: dict[Any, None] = {}
    pending = list(values)
    while pending:
        value = pending.pop()
        op = None if isinstance(value, ir.BlockArgument) else value.owner.operation
        if op is not None and op not in found and is_followed(op):
            found[op] = None
            pending += op.operands
    return list(found)


def users_of(value: Any) -> list[Any]:
    """Return the operations that use a value: one that uses it twice, twice."""
    return [use.owner.operation for use in value.uses]


def only_use(value: Any) -> Any | None:
    """Return the use of a value that is used once."""
    uses = list(value.uses)
    return uses[0] if len(uses) == 1 else None
