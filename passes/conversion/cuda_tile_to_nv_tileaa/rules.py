"""The rule table of the conversion and the state that the rules share.

Every family file registers its rules (`passes/conversion/rule_table.py`) in `RULES`.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.cuda_tile.types import PtrType as CudaTilePtrType
from tilec.dialects.cuda_tile.types import TileType, TokenType
from tilec.dialects.nv_tileaa.types import MemTokenType, PtrType
from tilec.ir.bindings import ir
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import reject
from tilec.passes.conversion.rule_table import Rule, RuleTable
from tilec.support.diagnostics import CompileError
from tilec.support.fast_dataclasses import dataclass, field

PREFIX = "cuda_tile."
FAILED = "failed to convert cuda_tile to nv_tileaa"


@dataclass(frozen=True)
class View:
    """A tensor view as a memref: the dims of the memref are those of the tensor in another order.

    Attributes:
        memref: The memref value, dims in storage order.
        order: Tensor dim of each memref dim, outermost first.
        sizes: Extent of each tensor dim: an i32 value, or an int when it is constant.
    """

    memref: Any
    order: tuple[int, ...]
    sizes: tuple[Any, ...]


@dataclass
class Conversion:
    """State of the conversion of one kernel.

    Attributes:
        metadata: The `tilec.kernel` dictionary of the kernel.
        ranges: Ranges of replacements that are integers.
        values: Original value -> its replacement.
        views: Original tensor or partition view -> its memref.
        arrays: Array -> type and memref of the first view of all of it.
    """

    metadata: dict[str, Any]
    ranges: ValueRanges
    values: dict[Any, Any] = field(default_factory=dict)
    views: dict[Any, View] = field(default_factory=dict)
    arrays: dict[str, tuple[Any, View]] = field(default_factory=dict)

    def get(self, value: Any) -> Any:
        """Return the replacement of `value`."""
        return self.values[value]

    def operands(self, op: Any) -> list[Any]:
        """Return the replacements of every operand of `op`."""
        return [self.values[operand] for operand in op.operands]


RULES: RuleTable[Conversion] = RuleTable()


def find_rule(op: Any) -> Rule[Conversion]:
    """Return the rule for a cuda_tile operation.

    Raises:
        CompileError: There is none.
    """
    rule = RULES.find(op)
    if rule is None:
        raise reject(op, "T0511", f"{FAILED}: '{op.name}' is not supported yet")
    return rule


def convert_type(type_: Any) -> Any:
    """Return the nv_tileaa counterpart of a cuda_tile type; other types stay."""
    if isinstance(type_, TileType):
        return ir.RankedTensorType.get(list(type_.shape), convert_type(type_.element_type))
    if isinstance(type_, CudaTilePtrType):
        return PtrType.of(type_.pointee)
    if isinstance(type_, TokenType):
        return MemTokenType.get()
    return type_


def create(
    name: str,
    result_types: Sequence[Any],
    operands: Sequence[Any],
    attributes: dict[str, Any] | None = None,
) -> Any:
    """Create operation `name` at the current insertion point and return it."""
    return ir.Operation.create(
        name, results=list(result_types), operands=list(operands), attributes=attributes or {}
    )


def result_types(op: Any) -> list[Any]:
    """Return the converted result types of `op`."""
    return [convert_type(result.type) for result in op.results]


def segments(op: Any) -> list[list[Any]]:
    """Return the operands of `op`, one list for each field."""
    operands = list(op.operands)
    found, start = [], 0
    for size in op.attributes["operandSegmentSizes"]:
        found.append(operands[start : start + size])
        start += size
    return found


def text(op: Any, name: str, default: str | None = None) -> Any:
    """Return string attribute `name` of `op`, or `default`."""
    attribute = op.attributes.get(name)
    return default if attribute is None else attribute.value


def constant(type_: Any, value: int) -> Any:
    """Build an integer constant and return it."""
    return create("arith.constant", [type_], [], {"value": ir.IntegerAttr.get(type_, value)}).result


def unsupported(op: Any, what: str) -> CompileError:
    """Return the error that attribute or form `what` of `op` cannot be compiled yet."""
    short = op.name.removeprefix(PREFIX)
    return reject(op, "T0510", f"{short}: {what} is not supported yet")
