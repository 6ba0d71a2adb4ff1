"""The layouts of the sources and results of operations that move no value between threads."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from tilec.dialects.nv_tileas.shared_ops import ConvertLayoutOp
from tilec.dialects.nv_tileas.tile_ops import CatOp, ExtractOp, ReduceOp, ScanOp
from tilec.ir.bindings import ir
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
PERMUTE = "nv_tileas.permute"
BROADCAST = "nv_tileas.broadcast"
COMBINE = (ReduceOp.OPERATION_NAME, ScanOp.OPERATION_NAME)
KNOWN_LAYOUTS = 32768
"""Layouts that are kept for later searches: each plan takes two, and a search for the 64 largest of
8192 numbers asks for 12,000 sources and 12,000 results (choice)."""


Form = tuple[str, tuple[int, ...], tuple[int, ...], Any]
"""What of an operation decides its layouts: name, extents of its first operand and result, and what
its attributes and its body say. A kernel has many operations of one form, as in a sort."""


def form_of(op: Any) -> Form:
    """Return the form of a shape operation, reduction or scan."""
    view, details = op.opview, ()
    if op.name == PERMUTE:
        details = tuple(view.permutation)
    elif op.name == SLICE:
        details = tuple(view.origin)
    elif op.name == PART:
        details = (tuple(view.origin), view.axis.value)
    elif op.name in COMBINE:
        details = (view.axis.value, keeps_order(op))
    return op.name, _extents(op.operands[0]), _extents(op.results[0]), details


def _extents(value: Any) -> tuple[int, ...]:
    return tuple(value.type.shape) if isinstance(value.type, ir.RankedTensorType) else ()


def combined_layout(op: Any, source: RegisterLayout) -> RegisterLayout | None:
    """Return the layout of what a reduction or scan returns; None where the source's is no good."""
    return combined_layout_of(form_of(op), source)


def source_layout(op: Any, result: RegisterLayout) -> RegisterLayout | None:
    """Return the layout of a shape operation's source that makes the operation free."""
    return source_layout_of(form_of(op), result)


def result_layout(op: Any, source: RegisterLayout) -> RegisterLayout | None:
    """Return the layout of a shape operation's result that makes the operation free."""
    return result_layout_of(form_of(op), source)


@lru_cache(maxsize=KNOWN_LAYOUTS)
def combined_layout_of(form: Form, source: RegisterLayout) -> RegisterLayout | None:
    """Do what `combined_layout` does, for a form."""
    name, _, _, (axis, is_ordered) = form
    try:
        if is_ordered:
            scan_steps(source, axis)
        if name == ReduceOp.OPERATION_NAME:
            return reduction(source, axis).result
    except LayoutError:
        return None
    return source


@lru_cache(maxsize=KNOWN_LAYOUTS)
def source_layout_of(form: Form, result: RegisterLayout) -> RegisterLayout | None:
    """Do what `source_layout` does, for a form."""
    name, shape, _, details = form
    if name == PERMUTE:
        return result.permute(_inverse(list(details)))
    if name == BROADCAST:
        return result.broadcast_source(shape)[0]
    if name in (CONVERT, PART):
        return None
    try:
        return sliced_from(result, shape) if name == SLICE else result.reshape(shape)
    except LayoutError:
        return None


@lru_cache(maxsize=KNOWN_LAYOUTS)
def result_layout_of(form: Form, source: RegisterLayout) -> RegisterLayout | None:
    """Do what `result_layout` does, for a form."""
    name, _, shape, details = form
    if name == PERMUTE:
        return source.permute(list(details))
    if name == BROADCAST:
        return None
    if name == CONVERT:
        return source
    try:
        if name == SLICE:
            return tile_slice(source, shape, details).layout
        if name == PART:
            return warpgroup_part(source, shape, *details).layout
        return source.reshape(shape)
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
