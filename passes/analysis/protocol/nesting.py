"""How large the expressions are from which the protocol check reads numbers and conditions.

A choice between two numbers holds both of them, and so does a combination of conditions. A value
that is used twice in each of many steps would be read twice as often with each step. A long chain
would be read by as many calls in each other.
"""

from typing import Any

from tilec.ir.structured import defining_operation

_CHOICES = frozenset(
    (
        "arith.andi",
        "arith.maxsi",
        "arith.minsi",
        "arith.ori",
        "arith.select",
        "arith.xori",
    )
)
_LINEAR = frozenset(
    (
        "arith.addi",
        "arith.cmpi",
        "arith.extsi",
        "arith.index_cast",
        "arith.muli",
        "arith.subi",
    )
)
_MOST_CHOICES, _MOST_STEPS = 64, 200
"""Choices in an expression, each as often as it is read, and the steps of its longest chain."""


class Nesting:
    """Tells which values are computed by few choices and steps; of a value it asks once."""

    def __init__(self) -> None:
        """Know no value."""
        self._known: dict[Any, tuple[int, int]] = {}

    def is_simple(self, value: Any) -> bool:
        """Tell whether a value is read from few choices, and in few steps."""
        pending = [value]
        while pending:
            last = pending[-1]
            operands = self._operands(last)
            missing = [operand for operand in operands if operand not in self._known]
            if last in self._known or not missing:
                self._known.setdefault(last, self._size(last, operands))
                pending.pop()
            else:
                pending += missing
        choices, steps = self._known[value]
        return choices <= _MOST_CHOICES and steps <= _MOST_STEPS

    def _operands(self, value: Any) -> list[Any]:
        op = defining_operation(value)
        return [] if op is None or op.name not in _CHOICES | _LINEAR else list(op.operands)

    def _size(self, value: Any, operands: list[Any]) -> tuple[int, int]:
        """Return the choices and steps of a value whose operands are known.

        What is not simple counts as something that is not read, which has none.
        """
        if not operands:
            return 0, 0
        sizes = [self._known[operand] for operand in operands]
        simple = [size for size in sizes if size[0] <= _MOST_CHOICES and size[1] <= _MOST_STEPS]
        own = defining_operation(value).name in _CHOICES
        choices = own + sum(choices for choices, _ in simple)
        return choices, 1 + max((steps for _, steps in simple), default=0)
