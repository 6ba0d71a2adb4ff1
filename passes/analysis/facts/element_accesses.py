"""Accesses to single elements: which a producer may repeat, and what they keep a kernel from."""

from collections.abc import Iterable
from typing import Any

from tilec.dialects.common.accesses import global_access, must_happen
from tilec.dialects.common.element_ops import ElementAccessBase
from tilec.ir.removal import is_read
from tilec.ir.structured import STRUCTURED, backward_slice
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts.memory_tokens import follows_store, is_token
from tilec.passes.analysis.kernels import function_body


def is_element_access(op: Any) -> bool:
    """Tell whether `op` is a gather, a scatter or an atomic operation, of any dialect."""
    return isinstance(op.opview, ElementAccessBase)


def element_effect(ops: Iterable[Any]) -> Any:
    """Return the first access to single elements that must happen exactly once, or None."""
    return next((op for op in ops if is_element_access(op) and must_happen(op)), None)


def is_repeatable(op: Any) -> bool:
    """Tell whether every role may perform access `op` for itself, and gets the same.

    That is a weak load of one element that nothing in the kernel writes.
    """
    if not is_element_access(op) or must_happen(op):
        return False
    if is_tile(op.results[0]):
        return False
    return not is_read(op.opview.token) and not follows_store(op)


NEEDS_TILE = "where it lies, or whether it is loaded, depends on a tile, which a producer lacks"
"""Why a producer cannot load a tile (see `depends_on_tile`)."""


def depends_on_tile(load: Any, function: Any) -> bool:
    """Tell whether a tile decides where, or whether, tiled load `load` loads."""
    return any(
        is_tile(value)
        for op in _decisive_operations(load, function)
        for value in (*op.results, *op.operands)
    )


def why_not_produced(load: Any, function: Any) -> str | None:
    """Return why a producer role cannot compute where, or whether, to load a tile; else None."""
    if depends_on_tile(load, function):
        return NEEDS_TILE
    for op in _decisive_operations(load, function):
        if global_access(op) is not None and not is_repeatable(op):
            return "where a tile lies depends on an element that the kernel changes or waits for"
    return None


def _decisive_operations(load: Any, function: Any) -> list[Any]:
    """Return what computes where, or whether, tiled load `load` loads."""
    ops = backward_slice([load], function_body(function), is_token).ops
    return [op for op in ops if op != load and op.name not in STRUCTURED]


def element_beyond_grid(ops: Iterable[Any]) -> Any:
    """Return an access that a tile outside of the grid must not perform, or None.

    Loads that are checked give padding there, which nobody uses.
    """
    for op in ops:
        if is_element_access(op) and (must_happen(op) or op.opview.unchecked):
            return op
    return None
