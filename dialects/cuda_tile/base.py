"""What the operation families of cuda_tile share: verification and optional attributes."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common.tile_shape import find_extent_error
from tilec.dialects.common.verify import verify_fields
from tilec.dialects.cuda_tile.dialect import CudaTile
from tilec.dialects.cuda_tile.types import TileType, spell
from tilec.ir.bindings import ir

SIGNEDNESS = ("signed", "unsigned")
OVERFLOW = ("none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap")
"""Which wrap-around an integer operation promises not to have."""
BASE_FLOATS = ("f16", "bf16", "f32", "f64")
"""Element types with floating-point arithmetic."""
FLOATS = (*BASE_FLOATS, "tf32", "f8E4M3FN", "f8E5M2")
"""Every floating-point element type; the last three only convert, move and multiply matrices."""
INTEGERS = ("i1", "i8", "i16", "i32", "i64")
NUMBERS = (*INTEGERS, *FLOATS)


class TileOperation(CudaTile.Operation):
    """Base of the operations: a rule is broken when `find_error` returns a message."""

    def verify_invariants(self) -> bool:
        """Report the first broken rule at the location of the operation."""
        return verify_fields(self, lambda: self.find_error() or self.find_result_error())

    def find_error(self) -> str | None:
        """Return what is wrong with the operation, or None."""
        return None

    def find_result_error(self) -> str | None:
        """Return what is wrong with the extents of the result tiles.

        Operands need no check: every tile is the result of some operation.
        """
        for result in self.results:
            tile = result.type
            if isinstance(tile, TileType):
                message = find_extent_error(tile.tensor.shape, self)
                if message is not None:
                    return message
        return None

    def text(self, name: str, default: str = "") -> str:
        """Return string attribute `name`, or `default` when it is absent or no string."""
        attributes = self.attributes
        if name not in attributes:
            return default
        attribute = attributes[name]
        return attribute.value if isinstance(attribute, ir.StringAttr) else str(attribute)


def element_error(kind: str, index: int, type_: Any, names: Sequence[str], what: str) -> str | None:
    """Return the message for a value whose type is not a tile of one of the element types.

    Args:
        kind: `operand` or `result`.
        index: Number of the operand or result.
        type_: Type of the value.
        names: MLIR names of the element types that are allowed.
        what: What the value must be, for example `tile of`.
    """
    if isinstance(type_, TileType) and str(type_.element_type) in names:
        return None
    return f"{kind} #{index} must be {what} {' or '.join(names)} values, but got '{spell(type_)}'"


def enum_error(op: TileOperation, name: str, allowed: Sequence[str]) -> str | None:
    """Return what is wrong with string attribute `name` of `op`; an absent one is fine."""
    if name not in op.attributes or op.text(name) in allowed:
        return None
    expected = ", ".join(f"'{item}'" for item in allowed)
    return f"expected {name} to be one of: {{{expected}}}, got: '{op.text(name)}'"


def set_text(op: Any, name: str, value: str | None) -> None:
    """Set optional string attribute `name` unless `value` is None."""
    if value is not None:
        op.attributes[name] = ir.StringAttr.get(value)


def set_unit(op: Any, name: str, present: bool) -> None:
    """Set optional unit attribute `name` when `present`."""
    if present:
        op.attributes[name] = ir.UnitAttr.get()


def same_type_error(op: Any, names: Sequence[str]) -> str | None:
    """Return the message when the types of the named values of `op` are not all the same."""
    types = [getattr(op, name).type for name in names]
    if all(type_ == types[0] for type_ in types):
        return None
    return f"failed to verify that all of {{{', '.join(names)}}} have same type"


def same_shape_error(named: Sequence[tuple[str, Any]]) -> str | None:
    """Return the message for tile values (name, value) whose shapes are not all the same."""
    first = named[0][1].type.tensor.shape
    if all(value.type.tensor.shape == first for _, value in named[1:]):
        return None
    names = ", ".join(name for name, _ in named)
    return f"failed to verify that all of {{{names}}} have same shape"
