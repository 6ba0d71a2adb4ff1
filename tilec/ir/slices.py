"""Constant indices of `cuda_tile.extract` that name no slice of their tile."""

from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.errors import source_span
from tilec.ir.structured import defining_operation
from tilec.request.wait_records import INDEX_HINT, index_message
from tilec.support.diagnostics import CompileError, error


def slice_counts(op: Any) -> list[int]:
    """Return how many slices the tile of an `extract` has along every axis."""
    whole, part = op.operands[0].type.shape, op.results[0].type.shape
    return [extent // step for extent, step in zip(whole, part, strict=True)]


def check_constant_indices(op: Any) -> None:
    """Refuse an `extract` with a constant index out of range.

    Raises:
        CompileError: There is one (T0576).
    """
    for axis, (index, count) in enumerate(
        zip(list(op.operands)[1:], slice_counts(op), strict=True)
    ):
        maker = defining_operation(index)
        if maker is None or maker.name != "arith.constant":
            continue
        number = ir.IntegerAttr(maker.attributes["value"]).value
        if not 0 <= number < count:
            message = index_message(number, axis, count)
            raise CompileError(error("T0576", message, source_span(op.location), hint=INDEX_HINT))
