"""Accesses of global memory, spelled with cuda_tile.

Operands that an operation of the typed program may lack come last; its attributes `masked` and
`padded` say which of them are there.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tilec.dialects import cuda_tile
from tilec.frontend.semantics import hir

_OWN_ATTRIBUTES = ("masked", "padded")
_Emit = Callable[[hir.Operation, list[Any], Any], list[Any]]


def _attributes(op: hir.Operation) -> dict[str, Any]:
    return {name: item for name, item in op.attributes.items() if name not in _OWN_ATTRIBUTES}


def _optional(op: hir.Operation, operands: list[Any]) -> dict[str, Any]:
    """Take the optional operands off the end of `operands`."""
    found: dict[str, Any] = {}
    for name, flag in (("padding", "padded"), ("mask", "masked")):
        if op.attributes.get(flag):
            found[name] = operands.pop()
    return found


def _load_tile(op: hir.Operation, operands: list[Any], where: Any) -> list[Any]:
    view, *index = operands
    return [cuda_tile.LoadViewTkoOp.build(view, index, **op.attributes, loc=where).tile]


def _store_tile(op: hir.Operation, operands: list[Any], where: Any) -> list[Any]:
    tile, view, *index = operands
    cuda_tile.StoreViewTkoOp.build(tile, view, index, **op.attributes, loc=where)
    return []


def _add_tile(op: hir.Operation, operands: list[Any], where: Any) -> list[Any]:
    tile, view, *index = operands
    cuda_tile.AtomicRedViewTkoOp.build(view, index, tile, **op.attributes, loc=where)
    return []


def _prefetch(op: hir.Operation, operands: list[Any], where: Any) -> list[Any]:
    view, *index = operands
    cuda_tile.PrefetchViewOp.build(view, index, **op.attributes, loc=where)
    return []


def _load_elements(op: hir.Operation, operands: list[Any], where: Any) -> list[Any]:
    options = _optional(op, operands)
    view, *indices = operands
    load = cuda_tile.LoadElementsTkoOp.build(view, indices, **options, **_attributes(op), loc=where)
    return [load.result]


def _store_elements(op: hir.Operation, operands: list[Any], where: Any) -> list[Any]:
    options = _optional(op, operands)
    view, value, *indices = operands
    attributes = _attributes(op)
    cuda_tile.StoreElementsTkoOp.build(view, value, indices, **options, **attributes, loc=where)
    return []


def _atomic(op: hir.Operation, operands: list[Any], where: Any) -> list[Any]:
    options = _optional(op, operands)
    view, *rest = operands
    rank = view.type.rank
    change = cuda_tile.AtomicElementsTkoOp.build(
        view, rest[:rank], rest[rank:], **options, **_attributes(op), loc=where
    )
    return [change.result]


MEMORY: Mapping[str, _Emit] = {
    "load_view_tko": _load_tile,
    "store_view_tko": _store_tile,
    "atomic_red_view_tko": _add_tile,
    "prefetch_view": _prefetch,
    "load_elements_tko": _load_elements,
    "store_elements_tko": _store_elements,
    "atomic_elements_tko": _atomic,
}
"""What builds each access and returns its results, tokens left out."""
