"""Element-wise comparison and selection."""

from typing import Any

from tilec.dialects.cuda_tile.base import (
    BASE_FLOATS,
    INTEGERS,
    NUMBERS,
    SIGNEDNESS,
    TileOperation,
    element_error,
    enum_error,
    same_shape_error,
    same_type_error,
)
from tilec.dialects.cuda_tile.types import TileType
from tilec.ir.bindings import Operand, Pure, Result, ir

PREDICATES = (
    "equal",
    "not_equal",
    "less_than",
    "less_than_or_equal",
    "greater_than",
    "greater_than_or_equal",
)
ORDERINGS = ("ordered", "unordered")
"""What a comparison with a NaN gives: false, or true."""

_BOOLEAN = ("i1",)


class CompareOperation(TileOperation):
    """Base of the comparisons; the result is an i1 tile."""

    ELEMENTS = ()

    lhs: Operand[Any]
    rhs: Operand[Any]
    result: Result[Any]
    predicate: ir.StringAttr

    def find_error(self) -> str | None:
        """Return the first broken rule on types or attributes."""
        return (
            element_error("operand", 0, self.lhs.type, self.ELEMENTS, "tile of")
            or same_type_error(self, ("lhs", "rhs"))
            or element_error("result", 0, self.result.type, _BOOLEAN, "tile of")
            or self._find_shape_error()
            or enum_error(self, "predicate", PREDICATES)
            or enum_error(self, "ordering", ORDERINGS)
            or enum_error(self, "signedness", SIGNEDNESS)
        )

    def _find_shape_error(self) -> str | None:
        if self.result.type.shape == self.lhs.type.shape:
            return None
        return "failed to verify that Result type has i1 element type and same shape as operands"


def _common_fields(predicate: str, lhs: Any, rhs: Any) -> dict[str, Any]:
    return {
        "lhs": lhs,
        "rhs": rhs,
        "result": TileType.of(lhs.type.shape, ir.IntegerType.get_signless(1)),
        "predicate": ir.StringAttr.get(predicate),
    }


class CmpFOp(CompareOperation, name="cmpf", traits=[Pure]):
    """Compare floats.

    Attributes:
        predicate: One of `PREDICATES`.
        ordering: `ordered` (false when an operand is NaN) or `unordered` (true then).
    """

    ELEMENTS = BASE_FLOATS

    ordering: ir.StringAttr

    @classmethod
    def build(
        cls, predicate: str, lhs: Any, rhs: Any, *, ordering: str = "ordered", **where: Any
    ) -> Any:
        """Build the operation and return its result."""
        fields = _common_fields(predicate, lhs, rhs)
        return cls(ordering=ir.StringAttr.get(ordering), **fields, **where).result


class CmpIOp(CompareOperation, name="cmpi", traits=[Pure]):
    """Compare integers.

    Attributes:
        predicate: One of `PREDICATES`.
        signedness: `signed` or `unsigned`.
    """

    ELEMENTS = INTEGERS

    signedness: ir.StringAttr

    @classmethod
    def build(
        cls, predicate: str, lhs: Any, rhs: Any, *, signedness: str = "signed", **where: Any
    ) -> Any:
        """Build the operation and return its result."""
        fields = _common_fields(predicate, lhs, rhs)
        return cls(signedness=ir.StringAttr.get(signedness), **fields, **where).result


class SelectOp(TileOperation, name="select", traits=[Pure]):
    """`lhs` where `cond` is set, else `rhs`."""

    cond: Operand[Any]
    lhs: Operand[Any]
    rhs: Operand[Any]
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the first broken rule on types."""
        return (
            element_error("operand", 0, self.cond.type, _BOOLEAN, "tile of")
            or element_error("operand", 1, self.lhs.type, NUMBERS, "tile of")
            or same_type_error(self, ("lhs", "rhs", "result"))
            or same_shape_error([("cond", self.cond), ("result", self.result)])
        )

    @classmethod
    def build(cls, cond: Any, lhs: Any, rhs: Any, **where: Any) -> Any:
        """Build the operation and return its result."""
        return cls(cond=cond, lhs=lhs, rhs=rhs, result=lhs.type, **where).result
