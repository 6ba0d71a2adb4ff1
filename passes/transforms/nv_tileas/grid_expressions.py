"""Emission of a kernel's grid expressions as i32 arithmetic."""

import ast
from typing import Any

from tilec.diagnostics import InternalCompilerError
from tilec.ir.bindings import arith, ir


def constant(value: int) -> Any:
    """Emit an i32 constant."""
    return arith.constant(ir.IntegerType.get_signless(32), value)


def emit_expression(text: str, names: dict[str, Any]) -> Any:
    """Emit `text` over the values of `names` and return the i32 result."""
    return _emit_node(ast.parse(text, mode="eval").body, names)


def _emit_node(node: ast.expr, names: dict[str, Any]) -> Any:
    match node:
        case ast.Constant(value=int(value)):
            return constant(value)
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Subscript() if (name := ast.unparse(node)) in names:  # A.shape[0]
            return names[name]
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _BINARY:
            return _BINARY[type(operator)](_emit_node(left, names), _emit_node(right, names))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return arith.subi(constant(0), _emit_node(operand, names))
        case ast.Call(func=ast.Name(id=name), args=args) if name in _CALLS:
            first, *rest = [_emit_node(argument, names) for argument in args]
            for item in rest:
                first = _CALLS[name](first, item)
            return first
    raise InternalCompilerError(
        f"grid expression '{ast.unparse(node)}' has no lowering",
        pass_name="nv-tileas-schedule-tiles",
    )


_BINARY: dict[type[ast.operator], Any] = {
    ast.Add: arith.addi,
    ast.Sub: arith.subi,
    ast.Mult: arith.muli,
    ast.FloorDiv: arith.floordivsi,
    ast.Mod: arith.remsi,
}
_CALLS: dict[str, Any] = {
    "cdiv": arith.ceildivsi,
    "min": arith.minsi,
    "max": arith.maxsi,
}
