"""Emission of a kernel's grid expressions: the numbers that the launcher computes, in the kernel.

The launcher computes with whole numbers of 64 bits (`tilec/runtime/launch/expressions.py`), and an
extent has at most 31. So a step is taken in 64 bits where its operands or its result may not fit in
32 and count in full: the low 32 bits of sums, differences and products need only those of their
operands.
"""

import ast
from collections.abc import Mapping
from typing import Any

from tilec.ir.bindings import arith, ir
from tilec.ir.integers import constant
from tilec.passes.analysis.facts import intervals
from tilec.passes.analysis.facts.host_expressions import expression_range, parameter_range
from tilec.passes.analysis.facts.intervals import Range
from tilec.support.diagnostics import InternalCompilerError
from tilec.support.dtypes import DTYPES
from tilec.support.fast_dataclasses import dataclass

NARROW, WIDE = 32, 64


@dataclass(frozen=True)
class Named:
    """An integer parameter that grid expressions may name.

    Attributes:
        value: Its value.
        range: Between which numbers it lies.
        signed: Whether its bits are read as signed.
    """

    value: Any
    range: Range
    signed: bool

    @classmethod
    def of(cls, value: Any, param: Mapping[str, Any]) -> "Named":
        """Return the parameter that the entry `param` of the metadata describes."""
        dtype = DTYPES.get(param.get("dtype", ""))
        if dtype is None and param["kind"] == "scalar":
            return cls(value, intervals.signed_limits(ir.IntegerType(value.type).width), True)
        return cls(value, parameter_range(param), dtype is None or dtype.signed)


def emit_expression(text: str, names: Mapping[str, Named]) -> Any:
    """Emit `text` over `names` and return the i32 result, which the launcher has accepted."""
    return _Emission(names).narrow(ast.parse(text.strip(), mode="eval").body)


class _Emission:
    """Emits one expression."""

    def __init__(self, names: Mapping[str, Named]) -> None:
        self._names = names
        self._ranges = {name: item.range for name, item in names.items()}

    def _fits(self, node: ast.expr) -> bool:
        limits = intervals.signed_limits(NARROW)
        return intervals.is_within(expression_range(node, self._ranges), limits)

    def exact(self, node: ast.expr) -> Any:
        """Emit `node` in as many bits as it may need."""
        match node:
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _WRAPPING:
                if not self._fits(node):
                    return _WRAPPING[type(operator)](self.wide(left), self.wide(right))
                return self.narrow(node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                if not self._fits(node):
                    return arith.subi(constant(0, WIDE), self.wide(operand))
                return self.narrow(node)
            case ast.Name() | ast.Subscript() if (name := ast.unparse(node)) in self._names:
                return _as_number(self._names[name])
        return self._full(node)

    def narrow(self, node: ast.expr) -> Any:
        """Emit the low 32 bits of `node`."""
        match node:
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _WRAPPING:
                return _WRAPPING[type(operator)](self.narrow(left), self.narrow(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return arith.subi(constant(0), self.narrow(operand))
        return _resized(self.exact(node), NARROW)

    def wide(self, node: ast.expr) -> Any:
        """Emit `node` in 64 bits."""
        return _resized(self.exact(node), WIDE)

    def _full(self, node: ast.expr) -> Any:
        """Emit what needs its operands in full."""
        match node:
            case ast.Constant(value=int(value)):
                return constant(value, NARROW if self._fits(node) else WIDE)
            case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
                return arith.floordivsi(*self._operands(node, left, right))
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                return self._remainder(left, right, *self._operands(node, left, right))
            case ast.Call(func=ast.Name(id=name), args=args) if name in _CALLS:
                first, *rest = self._operands(node, *args)
                for item in rest:
                    first = _CALLS[name](first, item)
                return first
        raise InternalCompilerError(
            f"grid expression '{ast.unparse(node)}' has no lowering",
            pass_name="nv-tileas-schedule-tiles",
        )

    def _operands(self, node: ast.expr, *operands: ast.expr) -> list[Any]:
        """Emit the operands of `node` in one width, which its result fits, too."""
        if all(map(self._fits, (node, *operands))):
            return [self.narrow(operand) for operand in operands]
        return [self.wide(operand) for operand in operands]

    def _remainder(self, left: ast.expr, right: ast.expr, dividend: Any, divisor: Any) -> Any:
        """Emit a remainder that has the sign of the divisor."""
        rest = arith.remsi(dividend, divisor)
        if all(expression_range(node, self._ranges)[0] >= 0 for node in (left, right)):
            return rest
        zero = arith.constant(rest.type, 0)
        is_inexact = arith.cmpi(arith.CmpIPredicate.ne, rest, zero)
        differs = arith.cmpi(arith.CmpIPredicate.slt, arith.xori(rest, divisor), zero)
        raised = arith.addi(rest, divisor)
        return arith.select(arith.andi(is_inexact, differs), raised, rest)


def _as_number(named: Named) -> Any:
    """Emit a parameter in 32 or 64 bits, so that it has its value as a signed number."""
    width = ir.IntegerType(named.value.type).width
    if named.signed:
        return named.value if width >= NARROW else _resized(named.value, NARROW)
    if width < WIDE:
        wanted = NARROW if width < NARROW else WIDE
        return arith.extui(ir.IntegerType.get_signless(wanted), named.value)
    return named.value


def _resized(value: Any, width: int) -> Any:
    """Emit a signed number in another width."""
    before = ir.IntegerType(value.type).width
    if before == width:
        return value
    type_ = ir.IntegerType.get_signless(width)
    return arith.extsi(type_, value) if before < width else arith.trunci(type_, value)


_WRAPPING: dict[type[ast.operator], Any] = {
    ast.Add: arith.addi,
    ast.Sub: arith.subi,
    ast.Mult: arith.muli,
}
_CALLS: dict[str, Any] = {
    "cdiv": arith.ceildivsi,
    "min": arith.minsi,
    "max": arith.maxsi,
}
