"""Operations by name: who executes what.

An operation family registers its operations in one of two ways. A *value operation* computes its
results from its operands alone; its maker reads the attributes once and returns a function over
NumPy values. A *structured operation* (control flow, block ids) gets the builder and returns a
step, which reads and writes the frame itself.
"""

from collections.abc import Callable
from typing import Any

Frame = list[Any]
"""The values of one running block, indexed by the slots that `builder.Builder` hands out."""

Step = Callable[[Frame], None]
"""One operation with its attributes decoded and its slots fixed."""

Maker = Callable[[Any], Callable[..., Any]]
"""Reads an operation once; returns the function from operand values to the result value (or to a
tuple of result values when there are several)."""

StepMaker = Callable[[Any, Any], Step | None]
"""Reads an operation once, given the builder; returns its step, or None when nothing runs."""

VALUE_OPS: dict[str, Maker] = {}
STRUCTURED_OPS: dict[str, StepMaker] = {}


def value_op(*names: str) -> Callable[[Maker], Maker]:
    """Register the decorated maker for the operations called `names`."""

    def register(maker: Maker) -> Maker:
        for name in names:
            VALUE_OPS[name] = maker
        return maker

    return register


def value_ops(functions: dict[str, Callable[..., Any]]) -> None:
    """Register operations that have no attributes: name -> function over the operand values."""
    for name, function in functions.items():
        VALUE_OPS[name] = _constant_maker(function)


def structured_op(*names: str) -> Callable[[StepMaker], StepMaker]:
    """Register the decorated step maker for the operations called `names`."""

    def register(maker: StepMaker) -> StepMaker:
        for name in names:
            STRUCTURED_OPS[name] = maker
        return maker

    return register


def _constant_maker(function: Callable[..., Any]) -> Maker:
    return lambda _op: function
