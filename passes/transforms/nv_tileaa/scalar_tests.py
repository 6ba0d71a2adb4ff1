"""Conditions on scalars, as code and as text."""

from functools import reduce
from typing import Any

from tilec.ir.attributes import integer, read_kernel_fact
from tilec.ir.bindings import arith, ir
from tilec.ir.integers import constant
from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts.linear import Linear
from tilec.passes.analysis.facts.mask_tests import All, Condition, Flag, Positive
from tilec.passes.analysis.facts.round_floats import USUAL
from tilec.passes.analysis.kernels import function_body

_BOOL_BITS = 1
_INFIX = {"arith.addi": "+", "arith.subi": "-", "arith.muli": "*"}
_DEEPEST = 3
"""Operations within each other that a text shows."""


def emit_condition(condition: Condition) -> Any:
    """Emit a condition and return its scalar bool."""
    if isinstance(condition, Positive):
        added, taken = condition.expression.parts()
        sums = [_emit_sum(part, condition.width) for part in (taken, added)]
        return arith.cmpi(arith.CmpIPredicate.slt, *sums)
    if isinstance(condition, Flag):
        if condition.wanted:
            return condition.value
        return arith.xori(condition.value, constant(1, _BOOL_BITS))
    join = arith.andi if isinstance(condition, All) else arith.ori
    return reduce(join, [emit_condition(part) for part in condition.parts])


def emit_usual(scalar: Any) -> Any:
    """Emit whether a scalar is positive, and neither very small nor very large."""
    least, most = (arith.constant(scalar.type, number) for number in USUAL)
    above = arith.cmpf(arith.CmpFPredicate.OGE, scalar, least)
    return arith.andi(above, arith.cmpf(arith.CmpFPredicate.OLE, scalar, most))


def _emit_sum(expression: Linear, width: int) -> Any:
    """Emit an expression, term by term and the constant last."""
    sums = [_emit_term(value, factor, width) for value, factor in expression.terms]
    if expression.constant or not sums:
        sums.append(constant(expression.constant, width))
    return reduce(arith.addi, sums)


def _emit_term(value: Any, factor: int, width: int) -> Any:
    if value.type.width < width:
        value = arith.extsi(ir.IntegerType.get_signless(width), value)
    return value if factor == 1 else arith.muli(value, constant(factor, width))


class ScalarNames:
    """Describes the scalars of one kernel."""

    def __init__(self, function: Any) -> None:
        """Read the names of the parameters of `function`."""
        arguments = function_body(function).arguments
        params = read_kernel_fact(function, "params", [])
        self._names = {
            argument: param.get("name", "?")
            for argument, param in zip(arguments, params, strict=False)
        }

    def text_of(self, condition: Condition) -> str:
        """Return a condition as text."""
        if isinstance(condition, Positive):
            added, taken = condition.expression.parts()
            return f"{self._sum(taken)} < {self._sum(added)}"
        if isinstance(condition, Flag):
            name = self._scalar(condition.value, 0)
            return name if condition.wanted else f"not {name}"
        texts = [self.text_of(part) for part in condition.parts]
        if isinstance(condition, All):
            return " and ".join(texts)
        return "(" + " or ".join(texts) + ")"

    def _sum(self, expression: Linear) -> str:
        texts = []
        for value, factor in expression.terms:
            name = self._scalar(value, 0)
            texts.append(name if factor == 1 else f"{factor} * {name}")
        if expression.constant or not texts:
            texts.append(str(expression.constant))
        return " + ".join(texts)

    def _scalar(self, value: Any, depth: int) -> str:
        """Return a scalar as text; `...` stands for what is computed in another way."""
        if value in self._names:
            return self._names[value]
        op = defining_operation(value)
        if op is None:
            is_round = value.owner.owner.operation.name == "scf.for" and value.arg_number == 0
            return "round" if is_round else "..."
        if op.name == "arith.constant":
            return str(integer(op, "value"))
        if op.name == "nv_tileaa.get_program_id":
            return f"block[{op.attributes['axis'].value}]"
        if op.name in _INFIX and depth < _DEEPEST:
            left, right = (self._scalar(operand, depth + 1) for operand in op.operands)
            text = f"{left} {_INFIX[op.name]} {right}"
            return f"({text})" if depth and op.name != "arith.muli" else text
        return "..."
