"""Loads, stores and the tokens that order them.

Blocks run one after another and operations in program order, which every token order allows: a
token needs no value here.
"""

from collections.abc import Callable
from typing import Any

from tilec.interpreter.element_ops import CHANGES
from tilec.interpreter.registry import structured_op, value_op, value_ops

Function = Callable[..., Any]


@value_op("cuda_tile.load_view_tko")
def _load_view(op: Any) -> Function:
    rank, offsets = len(op.results[0].type.shape), "element_offsets" in op.attributes
    return lambda view, *rest: (view.load(rest[:rank], offsets), None)


@value_op("cuda_tile.store_view_tko")
def _store_view(op: Any) -> Function:
    rank, offsets = len(op.operands[0].type.shape), "element_offsets" in op.attributes
    return lambda tile, view, *rest: view.store(tile, rest[:rank], offsets)


@value_op("cuda_tile.atomic_red_view_tko")
def _combine_with_view(op: Any) -> Function:
    change = CHANGES[op.attributes["mode"].value]
    rank, offsets = len(op.operands[0].type.tile), "element_offsets" in op.attributes

    def evaluate(view: Any, *rest: Any) -> None:
        view.combine(change, rest[rank], rest[:rank], offsets)

    return evaluate


@structured_op("cuda_tile.prefetch_view")
def _prefetch_view(_op: Any, _builder: Any) -> None:
    """NumPy arrays are as close as they can be."""


def _no_value(*_tokens: Any) -> None:
    """Tokens carry no value."""


value_ops({"cuda_tile.make_token": _no_value, "cuda_tile.join_tokens": _no_value})
