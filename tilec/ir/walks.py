"""Walks through the operations of a block."""

import contextlib
from collections.abc import Iterator
from typing import Any

from tilec.ir.bindings import ir


class _Reading:
    """The walks of the body of a `reading`, by block; None outside of it.

    Whoever works on IR holds the lock of the compiler, so there is one body at a time.
    """

    walks: dict[Any, list[Any]] | None = None


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Walk through a block once in the body, which changes no operation of it.

    An analysis that asks ten questions about a kernel walks through it ten times.
    """
    before = _Reading.walks
    _Reading.walks = {} if before is None else before
    try:
        yield
    finally:
        _Reading.walks = before


def walk_operations(block: Any) -> list[Any]:
    """Return every operation under `block`, each one before the operations inside it.

    The list survives insertions and erasures. The passes of a kernel need it a hundred times. MLIR
    makes it quickly, and quicker from the owner of a block than from each operation in it.
    """
    if _Reading.walks is None:
        return _walk(block)
    found = _Reading.walks.get(block)
    if found is None:
        found = _Reading.walks[block] = _walk(block)
    return found.copy()


def _walk(block: Any) -> list[Any]:
    found: list[Any] = []
    order, go_on = ir.WalkOrder.PRE_ORDER, ir.WalkResult.ADVANCE
    owner = block.owner.operation
    is_only = len(owner.regions) == 1 and len(owner.regions[0].blocks) == 1
    for op in [owner] if is_only else block.operations:
        op.operation.walk(lambda op: found.append(op) or go_on, order)
    return found[1:] if is_only else found
