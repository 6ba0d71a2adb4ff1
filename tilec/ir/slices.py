"""Constant indices of `extract`: the slice that they name, if they name one."""

from typing import Any

from tilec.ir.attributes import integer
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
    pairs = zip(_constant_indices(op), slice_counts(op), strict=True)
    for axis, (number, count) in enumerate(pairs):
        if number is not None and not 0 <= number < count:
            message = index_message(number, axis, count)
            raise CompileError(error("T0576", message, source_span(op.location), hint=INDEX_HINT))


def constant_origin(op: Any) -> tuple[int, ...] | None:
    """Return where the slice of an `extract` begins in its tile; None if that is known later.

    Args:
        op: An `extract` of any dialect; a constant index of it names a slice.
    """
    numbers = _constant_indices(op)
    if None in numbers:
        return None
    extents = op.results[0].type.shape
    return tuple((n or 0) * extent for n, extent in zip(numbers, extents, strict=True))


def _constant_indices(op: Any) -> list[int | None]:
    """Return the indices of an `extract`, None for each that is no constant."""
    makers = map(defining_operation, list(op.operands)[1:])
    return [
        integer(maker, "value") if maker is not None and maker.name == "arith.constant" else None
        for maker in makers
    ]
