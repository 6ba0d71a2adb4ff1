"""Where values are made and used."""

from collections.abc import Callable
from typing import Any

from tilec.ir.bindings import ir


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


def only_use(value: Any) -> Any | None:
    """Return the use of a value that is used once."""
    uses = list(value.uses)
    return uses[0] if len(uses) == 1 else None
