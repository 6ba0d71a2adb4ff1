"""Where values are made and used."""

from typing import Any

from tilec.ir.bindings import ir


def block_of(value: Any) -> Any:
    """Return the block that makes a value, by an operation or as an argument."""
    return value.owner if isinstance(value, ir.BlockArgument) else value.owner.operation.block


def only_use(value: Any) -> Any | None:
    """Return the use of a value that is used once."""
    uses = list(value.uses)
    return uses[0] if len(uses) == 1 else None
