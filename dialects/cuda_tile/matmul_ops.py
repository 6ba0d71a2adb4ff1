"""Matrix multiply-accumulate on tiles."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common.matmul_ops import PRECISIONS
from tilec.dialects.cuda_tile.base import (
    FLOATS,
    SIGNEDNESS,
    TileOperation,
    element_error,
    enum_error,
    same_type_error,
    set_text,
)
from tilec.ir.attributes import integer
from tilec.ir.bindings import Operand, Pure, Result, ir

ACCUMULATORS = {
    "f8E4M3FN": ("f16", "f32"),
    "f8E5M2": ("f16", "f32"),
    "f16": ("f16", "f32"),
    "bf16": ("f32",),
    "tf32": ("f32",),
    "f32": ("f32",),
    "f64": ("f64",),
}
"""Accumulator element types by the element type of the operands."""

FLOAT8 = ("f8E4M3FN", "f8E5M2")
"""Element types that the operands of a product may mix."""
_ACCUMULATOR_FLOATS = ("f16", "f32", "f64")
_RANKS = (2, 3)


class MmaOperation(TileOperation):
    """Base of the multiplications: shapes [batch x] MxK, KxN and MxN."""

    NAME = ""
    OPERANDS = ()
    RESULTS = ()

    lhs: Operand[Any]
    rhs: Operand[Any]
    acc: Operand[Any]
    result: Result[Any]

    def find_error(self) -> str | None:
        """Return the first broken rule on element types and shapes."""
        lhs, rhs, acc = self.lhs.type, self.rhs.type, self.acc.type
        kind = f"{self.NAME} operand tile type of"
        acc_kind = f"{self.NAME} acc/result tile type of"
        return (
            element_error("operand", 0, lhs, self.OPERANDS, kind)
            or element_error("operand", 1, rhs, self.OPERANDS, kind)
            or element_error("operand", 2, acc, self.RESULTS, acc_kind)
            or same_type_error(self, ("acc", "result"))
            or self.find_element_error(lhs.element_type, rhs.element_type, acc.element_type)
            or _shape_error(lhs.shape, rhs.shape, acc.shape)
        )

    def find_element_error(self, lhs: Any, rhs: Any, acc: Any) -> str | None:
        """Return what is wrong with the combination of element types."""
        del lhs, rhs, acc
        return None


def _shape_error(lhs: Sequence[int], rhs: Sequence[int], acc: Sequence[int]) -> str | None:
    if not len(lhs) == len(rhs) == len(acc):
        return "failed to verify that all of {lhs, rhs, acc} have same rank"
    if len(lhs) not in _RANKS:
        return f"expects 2-d or batched 3-d tiles, but got tiles of rank {len(lhs)}"
    row, column = len(lhs) - 2, len(lhs) - 1
    named = {"lhs": lhs, "rhs": rhs, "acc": acc}
    equal = [("lhs", column, "rhs", row), ("lhs", row, "acc", row), ("rhs", column, "acc", column)]
    if row:
        equal = [("lhs", 0, "rhs", 0), ("lhs", 0, "acc", 0), *equal]
    for first, i, second, j in equal:
        a, b = named[first], named[second]
        if a[i] != b[j]:
            return (
                f"dim {i} of {first} ({a[i]}) and dim {j} of {second} ({b[j]}) must match, but"
                f" got {first} shape ({_join(a)}) and {second} shape ({_join(b)})"
            )
    return None


def _join(shape: Sequence[int]) -> str:
    return ", ".join(str(extent) for extent in shape)


class MmaFOp(MmaOperation, name="mmaf", traits=[Pure]):
    """`lhs @ rhs + acc` on floats, accumulated in the element type of `acc`.

    Attributes (all optional):
        precision: For operands of f32: `tf32`, `tf32x3` or `bf16x3`. Absent: exact products.
        promote: For sums of f32: after at most so many elements of K, what the matrix unit has
            summed is added to `acc` in f32, which it sums less exactly itself.
    """

    NAME = "mmaf"
    OPERANDS = FLOATS
    RESULTS = _ACCUMULATOR_FLOATS

    def find_element_error(self, lhs: Any, rhs: Any, acc: Any) -> str | None:
        """Return what is wrong with the combination of element types."""
        if lhs != rhs and not {str(lhs), str(rhs)} <= set(FLOAT8):
            return "failed to verify that all of {lhs, rhs} have the same element type"
        allowed = ACCUMULATORS[str(lhs)]
        if str(acc) in allowed:
            return self._option_error(str(lhs), str(acc))
        expected = ", ".join(f"'{name}'" for name in allowed)
        return (
            f"unsupported combination of element types. Input type '{lhs}' expects"
            f" accumulator/result type to be one of {{{expected}}}, but got '{acc}'"
        )

    def _option_error(self, operand: str, acc: str) -> str | None:
        """Return what is wrong with the optional attributes."""
        if "precision" in self.attributes:
            if operand != "f32":
                return f"precision is for operands of f32, but got {operand}"
            return enum_error(self, "precision", PRECISIONS)
        if "promote" in self.attributes:
            every = integer(self, "promote")
            if every < 1 or acc != "f32":
                return f"promote must be positive, with f32 sums, but got {every} with {acc}"
        return None

    @classmethod
    def build(
        cls,
        lhs: Any,
        rhs: Any,
        acc: Any,
        *,
        precision: str | None = None,
        promote: int | None = None,
        **where: Any,
    ) -> Any:
        """Build the operation and return its result."""
        op = cls(lhs=lhs, rhs=rhs, acc=acc, result=acc.type, **where)
        set_text(op, "precision", precision)
        if promote is not None:
            i64 = ir.IntegerType.get_signless(64, op.context)
            op.attributes["promote"] = ir.IntegerAttr.get(i64, promote)
        return op.result


class MmaIOp(MmaOperation, name="mmai", traits=[Pure]):
    """`lhs @ rhs + acc` on 8-bit integers, accumulated in i32.

    Attributes:
        signedness_lhs: `signed` or `unsigned`.
        signedness_rhs: `signed` or `unsigned`.
    """

    NAME = "mmai"
    OPERANDS = ("i8",)
    RESULTS = ("i32",)

    signedness_lhs: ir.StringAttr
    signedness_rhs: ir.StringAttr

    def find_error(self) -> str | None:
        """Return the first broken rule on element types, shapes and attributes."""
        return (
            super().find_error()
            or enum_error(self, "signedness_lhs", SIGNEDNESS)
            or enum_error(self, "signedness_rhs", SIGNEDNESS)
        )

    @classmethod
    def build(
        cls,
        lhs: Any,
        rhs: Any,
        acc: Any,
        *,
        signedness_lhs: str = "signed",
        signedness_rhs: str = "signed",
        **where: Any,
    ) -> Any:
        """Build the operation and return its result."""
        return cls(
            lhs=lhs,
            rhs=rhs,
            acc=acc,
            result=acc.type,
            signedness_lhs=ir.StringAttr.get(signedness_lhs),
            signedness_rhs=ir.StringAttr.get(signedness_rhs),
            **where,
        ).result
