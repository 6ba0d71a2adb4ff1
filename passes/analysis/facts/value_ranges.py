"""Between which numbers the integer values of a kernel lie; those of a tile share one range.

Integers have no sign and wrap around, so a range holds whole numbers that are equal to the value
modulo 2^width: `N + 63` of an extent N goes up to 2^31 + 62, and what reads it as signed or as
unsigned says so. Loops carry values of any size.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tilec.ir.attributes import read_kernel_metadata
from tilec.ir.bindings import ir
from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts import intervals
from tilec.passes.analysis.facts.host_expressions import (
    EXTENTS,
    extent_range,
    parameter_range,
    parameter_ranges,
)
from tilec.passes.analysis.facts.intervals import Range

Transfer = Callable[[list[Range], list[int]], Range]
_INDEX_BITS = 64


def _width(value: Any) -> int | None:
    """Return the bits of an integer value, or of the elements of a tile; None for other types."""
    type_ = value.type
    if isinstance(type_, ir.RankedTensorType):
        type_ = type_.element_type
    if isinstance(type_, ir.IndexType):
        return _INDEX_BITS
    return ir.IntegerType(type_).width if isinstance(type_, ir.IntegerType) else None


def _signed(function: Callable[..., Range]) -> Transfer:
    """Return the transfer function of an operation that reads its operands as signed."""
    return lambda operands, widths: function(
        *(
            intervals.wrapped(item, intervals.signed_limits(width))
            for item, width in zip(operands, widths, strict=True)
        )
    )


def _unsigned(function: Callable[..., Range]) -> Transfer:
    """Return the transfer function of an operation that reads its operands as unsigned."""
    return lambda operands, widths: function(
        *(
            intervals.wrapped(item, intervals.unsigned_limits(width))
            for item, width in zip(operands, widths, strict=True)
        )
    )


def _plain(function: Callable[..., Range]) -> Transfer:
    """Return the transfer function of an operation on whole numbers that wraps its result."""
    return lambda operands, _: function(*operands)


def _division(quotient: intervals.Division) -> Callable[[Range, Range], Range]:
    return lambda dividend, divisor: intervals.divide(quotient, dividend, divisor)


def _masked(operands: list[Range], widths: list[int]) -> Range:
    """Return the range of a bitwise `and`: not above any operand that is not negative."""
    read = [
        intervals.wrapped(item, intervals.signed_limits(width))
        for item, width in zip(operands, widths, strict=True)
    ]
    limits = [high for low, high in read if low >= 0]
    return (0, min(limits)) if limits else intervals.signed_limits(widths[0])


def _shifted(value: Range, amount: Range) -> Range:
    """Return the range of a shift to the right by an amount that is in range."""
    if amount[0] < 0:
        return min(value[0], 0), max(value[1], 0)
    return intervals.hull([(low >> n, high >> n) for low, high in [value] for n in amount])


def _joined(operands: list[Range], _: list[int]) -> Range:
    return intervals.hull(operands)


def _chosen(operands: list[Range], _: list[int]) -> Range:
    return intervals.hull(operands[1:])


_TRANSFER: dict[str, Transfer] = {
    "arith.addi": _plain(intervals.add),
    "arith.subi": _plain(intervals.subtract),
    "arith.muli": _plain(intervals.multiply),
    "arith.divsi": _signed(_division(intervals.truncated_quotient)),
    "arith.floordivsi": _signed(_division(intervals.floor_quotient)),
    "arith.ceildivsi": _signed(_division(intervals.ceil_quotient)),
    "arith.divui": _unsigned(_division(intervals.floor_quotient)),
    "arith.ceildivui": _unsigned(_division(intervals.ceil_quotient)),
    "arith.remsi": _signed(intervals.truncated_remainder),
    "arith.remui": _unsigned(intervals.truncated_remainder),
    "arith.minsi": _signed(intervals.least),
    "arith.maxsi": _signed(intervals.largest),
    "arith.minui": _unsigned(intervals.least),
    "arith.maxui": _unsigned(intervals.largest),
    "arith.andi": _masked,
    "arith.shrsi": _signed(_shifted),
    "arith.shrui": _unsigned(_shifted),
    "arith.select": _chosen,
    "arith.extsi": _signed(lambda value: value),
    "arith.extui": _unsigned(lambda value: value),
    "arith.index_cast": _signed(lambda value: value),
    "arith.trunci": _plain(lambda value: value),
    "nv_tileaa.view": _plain(lambda value: value),
    "nv_tileaa.permute": _plain(lambda value: value),
    "nv_tileaa.broadcast": _plain(lambda value: value),
    "nv_tileaa.splat": _plain(lambda value: value),
    "nv_tileaa.cat": _joined,
}
"""Range of the result from the ranges and widths of the operands, by operation name."""


class ValueRanges:
    """Ranges of the integer values of one kernel, computed on demand."""

    def __init__(self, entry: Any, metadata: Mapping[str, Any]) -> None:
        """Read what the metadata says about parameters and grid.

        Args:
            entry: Block of the kernel, whose arguments are its parameters.
            metadata: The `tilec.kernel` dictionary; may lack anything.
        """
        params = metadata.get("params") or []
        self._known: dict[Any, Range] = {}
        for param, argument in zip(params, entry.arguments, strict=False):
            if param.get("kind") in ("dim", "grid", "scalar") and _width(argument) is not None:
                self._known[argument] = self._fitting(parameter_range(param), argument)
        names = parameter_ranges(params)
        self._grid = [extent_range(text, names) for text in metadata.get("grid") or []]

    @classmethod
    def of_kernel(cls, function: Any) -> "ValueRanges":
        """Return the ranges of the values of a kernel function."""
        return cls(function.regions[0].blocks[0], read_kernel_metadata(function))

    def of(self, value: Any) -> Range:
        """Return a range of numbers one of which is `value`, modulo 2^width."""
        pending = [value]  # a chain of operations may be longer than the stack of Python is deep
        while pending:
            current = pending[-1]
            missing = [item for item in self._inputs(current) if item not in self._known]
            if current in self._known or not missing:
                self._known.setdefault(current, self._compute(current))
                pending.pop()
            else:
                pending.extend(missing)
        return self._known[value]

    def signed(self, value: Any) -> Range:
        """Return the range of `value`, an integer, read as signed."""
        width = _width(value) or _INDEX_BITS
        return intervals.wrapped(self.of(value), intervals.signed_limits(width))

    def unsigned(self, value: Any) -> Range:
        """Return the range of `value`, an integer, read as unsigned."""
        width = _width(value) or _INDEX_BITS
        return intervals.wrapped(self.of(value), intervals.unsigned_limits(width))

    def never_negative(self, value: Any) -> bool:
        """Tell whether `value`, read as signed, is provably at least 0."""
        return self.signed(value)[0] >= 0

    def _inputs(self, value: Any) -> list[Any]:
        """Return the values that the range of `value` follows from."""
        if isinstance(value, ir.BlockArgument):
            loop = _loop_of(value)
            return [] if loop is None else list(loop.operands)[:2]
        op = defining_operation(value)
        if op.name == "scf.if":
            return _yielded(op, ir.OpResult(value).result_number)
        if op.name in _TRANSFER and len(op.results) == 1:
            return [operand for operand in op.operands if _width(operand) is not None]
        return [op.operands[0]] if op.name.endswith(".assume") else []

    def _compute(self, value: Any) -> Range:
        if isinstance(value, ir.BlockArgument):
            return self._fitting(self._of_argument(value), value)
        op = defining_operation(value)
        inputs = self._inputs(value)
        if op.name == "arith.constant":
            attribute = _only_number(op.attributes["value"])
            known = isinstance(attribute, ir.IntegerAttr)
            return (attribute.value, attribute.value) if known else self._unknown(value)
        if op.name == "scf.if":
            return self._fitting(intervals.hull([self._known[item] for item in inputs]), value)
        if op.name == "nv_tileaa.make_range":
            start = op.opview.start.value
            return start, start + value.type.shape[0] - 1
        if op.name.endswith(".get_program_id"):
            return 0, max(self._extent(op.attributes["axis"].value) - 1, 0)
        if op.name.endswith(".get_num_programs"):
            return 1, self._extent(op.attributes["axis"].value)
        if op.name.endswith(".assume") and _width(value) is not None:
            return self._known[inputs[0]]
        if not inputs or len(inputs) != len(op.operands):
            return self._unknown(value)
        ranges, widths = [self._known[item] for item in inputs], [_width(i) or 1 for i in inputs]
        return self._fitting(_TRANSFER[op.name](ranges, widths), value)

    def _of_argument(self, argument: Any) -> Range:
        """Return the range of a loop variable; what loops carry is not followed."""
        loop = _loop_of(argument)
        if loop is None:
            return self._unknown(argument)
        lower, upper = self.signed(loop.operands[0]), self.signed(loop.operands[1])
        return lower[0], max(lower[0], upper[1] - 1)

    def _extent(self, axis: int) -> int:
        """Return the largest extent of the grid along `axis`."""
        if not self._grid:
            return EXTENTS[1]
        return self._grid[axis][1] if axis < len(self._grid) else 1

    def _fitting(self, found: Range, value: Any) -> Range:
        """Return `found`, or all numbers where it says no more than the type does."""
        limits = self._unknown(value)
        return found if found[1] - found[0] <= limits[1] - limits[0] else limits

    @staticmethod
    def _unknown(value: Any) -> Range:
        return intervals.signed_limits(_width(value) or _INDEX_BITS)


def _only_number(attribute: Any) -> Any:
    """Return the attribute of a number; of a tile with one number everywhere that of this one."""
    if isinstance(attribute, ir.DenseElementsAttr) and attribute.is_splat:
        return attribute.get_splat_value()
    return attribute


def _loop_of(argument: Any) -> Any:
    """Return the `scf.for` that a block argument is the variable of; None for other arguments."""
    loop = argument.owner.owner.operation
    return loop if loop.name == "scf.for" and argument.arg_number == 0 else None


def _yielded(branch: Any, number: int) -> list[Any]:
    """Return what a result of an `scf.if` may be: what either of its blocks yields."""
    blocks = [region.blocks[0] for region in branch.regions]
    return [block.operations[len(block.operations) - 1].operands[number] for block in blocks]
