"""Map the iteration space onto CTAs.

Before:  %m = nv_tileas.get_program_id {axis = 0}      After:  %id = nv_tileas.cta_id
         %n = nv_tileas.get_program_id {axis = 1}              %m = %id / N_blocks
         ...                                                   %n = %id % N_blocks; ...

With `persistent = true` in the spec:                          %ids = nv_tileas.num_ctas
                                                    scf.for %tile = %id to %total step %ids
                                                      %m, %n = decode %tile; ...

Blocks are flattened into `gridDim.x`, so that the launcher needs one number and their order is the
compiler's choice. The order is row-major, last extent fastest, unless the spec has a `tile_group`:
then that many rows of tiles are swept column by column, every second group backwards, so that
tiles which run at the same time share operands in L2. Extents come from the kernel's grid
expressions, or from the hidden `grid` parameters when the caller gives the grid.
"""

from typing import Any

from tilec.dialects.nv_tileas import CtaIdOp, NumCtasOp
from tilec.ir.attributes import read_kernel_metadata, write_kernel_metadata
from tilec.ir.bindings import arith, ir
from tilec.ir.structured import body_operations, terminator, walk_operations
from tilec.passes.analysis.kernels import (
    function_body,
    kernel_functions,
    kernel_operations,
    read_spec,
)
from tilec.passes.registry import PassContext, register_pass
from tilec.passes.transforms.nv_tileas.grid_expressions import constant, emit_expression

_PROGRAM_ID = "nv_tileas.get_program_id"
_PROGRAM_OPS = (_PROGRAM_ID, "nv_tileas.get_num_programs")


@register_pass("nv-tileas-schedule-tiles")
def schedule_tiles(module: Any, context: PassContext) -> None:
    """Replace block coordinates by a decoding of a tile index; loop over tiles if planned."""
    for function in kernel_functions(module):
        users = [op for op in kernel_operations(function) if op.name in _PROGRAM_OPS]
        if not users:
            continue
        spec = read_spec(function) or {}
        block = function_body(function)
        with ir.InsertionPoint.at_block_begin(block), function.location:
            extents = _grid_extents(function, block)
            index = CtaIdOp.build()
        if spec.get("persistent", False):
            index = _loop_over_tiles(function, index, extents, users)
            point = ir.InsertionPoint.at_block_begin(index.owner)
        else:
            point = ir.InsertionPoint(_after(index))
        with point, function.location:
            coordinates = _decode(index, extents, spec.get("tile_group", 0))
        _replace_queries(users, coordinates, extents)


def _after(value: Any) -> Any:
    ops = body_operations(value.owner.operation.block)
    return ops[ops.index(value.owner.operation) + 1]


def _replace_queries(users: list[Any], coordinates: list[Any], extents: list[Any]) -> None:
    for op in users:
        values, missing = (coordinates, 0) if op.name == _PROGRAM_ID else (extents, 1)
        axis = ir.IntegerAttr(op.attributes["axis"]).value
        with ir.InsertionPoint(op), op.location:
            value = values[axis] if axis < len(values) else constant(missing)
        op.results[0].replace_all_uses_with(value)
        op.erase()


def _loop_over_tiles(function: Any, first: Any, extents: list[Any], users: list[Any]) -> Any:
    """Wrap what depends on the block into a loop over tiles; return the tile index."""
    block = function_body(function)
    moved = _tile_operations(block, users)
    with ir.InsertionPoint(terminator(block)), function.location:
        total = extents[0]
        for extent in extents[1:]:
            total = arith.muli(total, extent)
        loop = ir.Operation.create("scf.for", operands=[first, total, NumCtasOp.build()], regions=1)
        body = loop.regions[0].blocks.append(first.type, arg_locs=[function.location])
        end = ir.Operation.create("scf.yield", ip=ir.InsertionPoint(body))
    for op in moved:
        op.move_before(end)
    metadata = read_kernel_metadata(function)
    metadata["persistent"] = True
    write_kernel_metadata(function, metadata)
    return body.arguments[0]


def _tile_operations(block: Any, users: list[Any]) -> list[Any]:
    """Return the operations of `block` that differ from tile to tile, or have effects."""
    varying: set[Any] = set()
    moved = []
    for op in body_operations(block)[:-1]:
        nested = [op, *(o for r in op.regions for b in r.blocks for o in walk_operations(b))]
        depends = any(operand in varying for inner in nested for operand in inner.operands)
        effects = any(inner.name.startswith("nv_tileas.tiled_") for inner in nested)
        queries = any(inner in users and inner.name == _PROGRAM_ID for inner in nested)
        if depends or effects or queries:
            varying.update(op.results)
            moved.append(op)
    return moved


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
        return [emit_expression(text, names) for text in metadata["grid"]]
    return [value for value in hidden if value is not None]


def _decode(index: Any, extents: list[Any], group: int) -> list[Any]:
    """Split a tile index into one coordinate per extent."""
    if group and len(extents) == 2:
        return _decode_grouped(index, extents[0], extents[1], group)
    rest = index
    reversed_coordinates = []
    for extent in reversed(extents[1:]):
        reversed_coordinates.append(arith.remui(rest, extent))
        rest = arith.divui(rest, extent)
    return [rest, *reversed(reversed_coordinates)]


def _decode_grouped(index: Any, rows: Any, columns: Any, group: int) -> list[Any]:
    """Sweep `group` rows of tiles column by column, every second group backwards."""
    width = arith.muli(constant(group), columns)
    number = arith.divui(index, width)
    inside = arith.remui(index, width)
    first = arith.muli(number, constant(group))
    height = arith.minui(arith.subi(rows, first), constant(group))
    row = arith.addi(first, arith.remui(inside, height))
    column = arith.divui(inside, height)
    last = arith.subi(columns, constant(1))
    backwards = arith.cmpi(arith.CmpIPredicate.eq, arith.remui(number, constant(2)), constant(1))
    return [row, arith.select(backwards, arith.subi(last, column), column)]
