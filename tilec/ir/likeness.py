"""Operations that are like others."""

from collections.abc import Sequence
from typing import Any

from tilec.ir.bindings import ir


def like(
    op: Any,
    operands: Sequence[Any],
    results: Sequence[Any] | None = None,
    *,
    regions: int = 0,
    **changed: Any,
) -> Any:
    """Create an operation like `op` on other operands, at the insertion point; return it.

    Args:
        op: The operation, whose name, attributes and location the new one has.
        operands: Those of the new one.
        results: Types of its results; None for those of `op`.
        regions: How many it has, without blocks.
        changed: Attributes that are others.
    """
    return ir.Operation.create(
        op.name,
        results=[result.type for result in op.results] if results is None else results,
        operands=operands,
        attributes=dict(op.attributes.items()) | changed,
        regions=regions,
        loc=op.location,
    )
