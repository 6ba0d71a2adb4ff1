"""Map the iteration space onto the flattened grid.

Before:  %m = nv_tileas.get_program_id {axis = 0}      After:  %id = nv_tileas.cta_id
         %n = nv_tileas.get_program_id {axis = 1}              %m = %id / N_blocks
                                                               %n = %id % N_blocks

Blocks are flattened into `gridDim.x`, last extent fastest, so that the launcher needs one number
and the order of blocks is the compiler's choice. Extents come from the kernel's grid expressions,
or from the hidden `grid` parameters when the caller gives the grid.
"""

import ast
from typing import Any

from tilec.diagnostics import InternalCompilerError
from tilec.dialects.nv_tileas import CtaIdOp
from tilec.ir.attributes import read_kernel_metadata
from tilec.ir.bindings import arith, ir
from tilec.passes.analysis.kernels import function_body, kernel_functions, kernel_operations
from tilec.passes.registry import PassContext, register_pass

_PROGRAM_OPS = ("nv_tileas.get_program_id", "nv_tileas.get_num_programs")


@register_pass("nv-tileas-schedule-tiles")
def schedule_tiles(module: Any, context: PassContext) -> None:
    """Replace block coordinates by a decoding of the flattened block index."""
    for function in kernel_functions(module):
        users = [op for op in kernel_operations(function) if op.name in _PROGRAM_OPS]
        if not users:
            continue
        block = function_body(function)
        with ir.InsertionPoint.at_block_begin(block), function.location:
            extents = _grid_extents(function, block)
            coordinates = _decode(CtaIdOp.build(), extents)
        for op in users:
            values, missing = (coordinates, 0) if op.name == _PROGRAM_OPS[0] else (extents, 1)
            axis = ir.IntegerAttr(op.attributes["axis"]).value
            with ir.InsertionPoint(op), op.location:
                value = values[axis] if axis < len(values) else _constant(missing)
            op.results[0].replace_all_uses_with(value)
            op.erase()


def _grid_extents(function: Any, block: Any) -> list[Any]:
    """Emit the grid extents; axes behind the last one have extent 1."""
    metadata = read_kernel_metadata(function)
    names: dict[str, Any] = {}
    hidden: list[Any] = [None, None, None]
    for param, argument in zip(metadata.get("params", []), block.arguments, strict=False):
        if param["kind"] in ("dim", "scalar"):
            names[param["name"]] = argument
        elif param["kind"] == "grid":
            hidden[param["axis"]] = argument
    if metadata.get("grid"):
        return [_emit_expression(text, names) for text in metadata["grid"]]
    return [value for value in hidden if value is not None]


def _decode(index: Any, extents: list[Any]) -> list[Any]:
    """Split a row-major flat index into one coordinate per extent."""
    rest = index
    reversed_coordinates = []
    for extent in reversed(extents[1:]):
        reversed_coordinates.append(arith.remui(rest, extent))
        rest = arith.divui(rest, extent)
    return [rest, *reversed(reversed_coordinates)]


def _constant(value: int) -> Any:
    return arith.constant(ir.IntegerType.get_signless(32), value)


def _emit_expression(text: str, names: dict[str, Any]) -> Any:
    return _emit_node(ast.parse(text, mode="eval").body, names)


def _emit_node(node: ast.expr, names: dict[str, Any]) -> Any:
    match node:
        case ast.Constant(value=int(value)):
            return _constant(value)
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _BINARY:
            return _BINARY[type(operator)](_emit_node(left, names), _emit_node(right, names))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return arith.subi(_constant(0), _emit_node(operand, names))
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
