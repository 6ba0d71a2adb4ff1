"""The layouts of the sources and results of operations that move no value between threads."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.shared_ops import ConvertLayoutOp
from tilec.dialects.nv_tileas.tile_ops import CatOp, ExtractOp, ReduceOp
from tilec.ir.slices import constant_origin
from tilec.layout import (
    LayoutError,
    RegisterLayout,
    TilePart,
    sliced_from,
    tile_slice,
    warpgroup_part,
)
from tilec.layout.reduction import reduction, scan_steps
from tilec.passes.analysis.commutativity import keeps_order
from tilec.passes.analysis.tma.shared_layouts import has_register_layout, register_layout_of

CAT = CatOp.OPERATION_NAME
CONVERT = ConvertLayoutOp.OPERATION_NAME
EXTRACT = ExtractOp.OPERATION_NAME
PART = "nv_tileas.tile_part"
SLICE = "nv_tileas.tile_slice"


def combined_layout(op: Any, source: RegisterLayout) -> RegisterLayout | None:
    """Return the layout of what a reduction or scan returns; None where the source's is no good."""
    axis = op.opview.axis.value
    try:
        if keeps_order(op):
            scan_steps(source, axis)
        if op.name == ReduceOp.OPERATION_NAME:
            return reduction(source, axis).result
    except LayoutError:
        return None
    return source


def source_layout(op: Any, result: RegisterLayout) -> RegisterLayout | None:
    """Return the layout of a shape operation's source that makes the operation free."""
    shape = tuple(op.operands[0].type.shape)
    if op.name == "nv_tileas.permute":
        return result.permute(_inverse(list(op.opview.permutation)))
    if op.name == "nv_tileas.broadcast":
        return result.broadcast_source(shape)[0]
    if op.name in (CONVERT, PART):
        return None
    try:
        if op.name == SLICE:
            return sliced_from(result, shape)
        return result.reshape(shape)
    except LayoutError:
        return None


def part_of(op: Any, source: RegisterLayout) -> TilePart:
    """Return what a `tile_part` or `tile_slice` takes from a tile with layout `source`.

    Raises:
        LayoutError: The registers of `source` do not make it up.
    """
    part = op.opview
    shape = tuple(op.results[0].type.shape)
    if op.name == SLICE:
        return tile_slice(source, shape, tuple(part.origin))
    return warpgroup_part(source, shape, tuple(part.origin), part.axis.value)


def result_layout(op: Any, source: RegisterLayout) -> RegisterLayout | None:
    """Return the layout of a shape operation's result that makes the operation free."""
    if op.name == "nv_tileas.permute":
        return source.permute(list(op.opview.permutation))
    if op.name == "nv_tileas.broadcast":
        return None
    if op.name == CONVERT:
        return source
    try:
        if op.name in (PART, SLICE):
            return part_of(op, source).layout
        return source.reshape(tuple(op.results[0].type.shape))
    except LayoutError:
        return None


def extracted_part(op: Any, source: RegisterLayout) -> TilePart | None:
    """Return which registers of a tile with layout `source` an `extract` takes.

    None where the slice is not made of whole registers of every thread, or not known.
    """
    origin = constant_origin(op)
    if origin is None:
        return None
    try:
        return tile_slice(source, tuple(op.results[0].type.shape), origin)
    except LayoutError:
        return None


def extracts_registers(op: Any) -> bool:
    """Tell whether an `extract` only names registers; not before its tiles have layouts."""
    ends = (op.operands[0], op.results[0])
    if not all(map(has_register_layout, ends)):
        return False
    source, result = map(register_layout_of, ends)
    part = extracted_part(op, source)
    return part is not None and part.layout == result


def joined_parts(op: Any, result: RegisterLayout) -> list[TilePart] | None:
    """Return which registers of the result of a `cat` each of its operands makes up.

    None where the operands are not made of whole registers of every thread.
    """
    origin, parts = [0] * result.rank, []
    dim = op.opview.dim.value
    try:
        for operand in op.operands:
            parts.append(tile_slice(result, tuple(operand.type.shape), tuple(origin)))
            origin[dim] += operand.type.shape[dim]
    except LayoutError:
        return None
    return parts


def joined_layouts(op: Any, result: RegisterLayout) -> list[RegisterLayout] | None:
    """Return the layouts of the operands of a `cat` that make it free, or None."""
    parts = joined_parts(op, result)
    return None if parts is None else [part.layout for part in parts]


def joins_registers(op: Any) -> bool:
    """Tell whether a `cat` only names registers of its operands; not before they have layouts."""
    if not has_register_layout(op.results[0]):
        return False
    have = [register_layout_of(operand) for operand in op.operands]
    return joined_layouts(op, register_layout_of(op.results[0])) == have


def named_layout(op: Any, sources: Sequence[RegisterLayout]) -> RegisterLayout | None:
    """Return a layout of the result in which a `cat` or `extract` only names registers.

    None where there is none.

    Args:
        op: The operation.
        sources: The layouts of its tiles.
    """
    if op.name == EXTRACT:
        part = extracted_part(op, sources[0])
        return None if part is None else part.layout
    try:
        whole = sliced_from(sources[0], op.results[0].type.shape)
    except LayoutError:
        return None
    return whole if joined_layouts(op, whole) == list(sources) else None


def _inverse(permutation: list[int]) -> list[int]:
    return [permutation.index(axis) for axis in range(len(permutation))]
