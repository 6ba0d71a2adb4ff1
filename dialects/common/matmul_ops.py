"""Base class of the matrix-multiply operation of nv_tileaa and nv_tileas."""

from typing import Any

from tilec.dialects.common.shape_ops import check_tiles, is_tile_of
from tilec.dialects.common.verify import is_float, report, shape_text, total
from tilec.ir.bindings import Operand, Pure, Result, ext, ir

SIGNEDNESS = ("signed", "unsigned")


class DotBase(ext.Operation, traits=[Pure]):
    """Matrix multiply-accumulate: `A @ B + C`, plain or batched (a leading dim).

    Attributes:
        a_major: `k`: A is MxK (default); `m`: A is KxM, its storage order.
        b_major: `n`: B is KxN (default); `k`: B is NxK, its storage order.
        signedness_a: signed or unsigned; for integers only.
        signedness_b: signed or unsigned; for integers only.
    """

    a: Operand[Any]
    b: Operand[Any]
    c: Operand[Any]
    d: Result[Any]
    a_major: ir.StringAttr
    b_major: ir.StringAttr

    @property
    def extents(self) -> tuple[int, int, int]:
        """M, N and K of one matrix product, in elements."""
        rows, columns = self.d.type.shape[-2:]
        return rows, columns, self.a.type.shape[-1 if self.a_major.value == "k" else -2]

    @total
    def verify_invariants(self) -> bool:
        """Report operand types, shapes or attributes that make no matrix product."""
        types = (self.a.type, self.b.type, self.c.type, self.d.type)
        if not check_tiles(self, *types):
            return False
        return self._verify_major() and self._verify_elements() and self._verify_shapes()

    def _verify_major(self) -> bool:
        if self.a_major.value not in ("k", "m"):
            return report(self, f"a_major must be k or m, but got {self.a_major.value}")
        if self.b_major.value not in ("k", "n"):
            return report(self, f"b_major must be k or n, but got {self.b_major.value}")
        return True

    def _verify_elements(self) -> bool:
        a, b, c, d = (value.type.element_type for value in (self.a, self.b, self.c, self.d))
        floats = [is_float(element) for element in (a, b, c, d)]
        if any(floats) != all(floats):
            return report(
                self,
                "expected the element types of A, B, C, and D to be"
                " either all integers or all floats.",
            )
        if a.width != b.width:
            return report(
                self, f"expects #A and #B have same bit width but got {a.width} and {b.width}"
            )
        return _verify_float_accumulator(self, a, c) if floats[0] else self._verify_signedness()

    def _verify_signedness(self) -> bool:
        for operand in ("a", "b"):
            name = f"signedness_{operand}"
            if name not in self.attributes or self.attributes[name].value not in SIGNEDNESS:
                return report(self, f"expect signedness attribute for operand {operand.upper()}")
        return True

    def _verify_shapes(self) -> bool:
        result = list(self.d.type.shape)
        rank = len(result)
        if rank not in (2, 3):
            return report(
                self,
                f"expects rank-2 or rank-3 tensor for result, but got ({shape_text(result)})",
            )
        a, b = list(self.a.type.shape), list(self.b.type.shape)
        if len(a) != rank or len(b) != rank or a[:-2] != b[:-2]:
            return report(self, "expects the shape of operand #A and #B to be compatible")
        rows, a_inner = a[-2:] if self.a_major.value == "k" else a[-2:][::-1]
        b_inner, columns = b[-2:] if self.b_major.value == "n" else b[-2:][::-1]
        if a_inner != b_inner:
            return report(self, "expects the shape of operand #A and #B to be compatible")
        fits = is_tile_of(self.c.type, result, self.d.type.element_type)
        if result != [*a[:-2], rows, columns] or not fits:
            return report(
                self, "expects the shape of operand #C is compatible with operands #A and #B"
            )
        return True

    @classmethod
    def build(
        cls,
        a: Any,
        b: Any,
        c: Any,
        *,
        a_major: str = "k",
        b_major: str = "n",
        signedness: tuple[str, str] | None = None,
        **where: Any,
    ) -> Any:
        """Build the op and return D.

        Args:
            a: Left operand.
            b: Right operand.
            c: Accumulator; D has its type.
            a_major: Order of A, `k` or `m`.
            b_major: Order of B, `n` or `k`.
            signedness: Of A and of B, for integers.
            **where: Location and insertion point.
        """
        op = cls(
            a=a,
            b=b,
            c=c,
            d=c.type,
            a_major=ir.StringAttr.get(a_major),
            b_major=ir.StringAttr.get(b_major),
            **where,
        )
        if signedness is not None:
            op.attributes["signedness_a"] = ir.StringAttr.get(signedness[0])
            op.attributes["signedness_b"] = ir.StringAttr.get(signedness[1])
        return op.d


def _verify_float_accumulator(op: Any, operand: Any, accumulator: Any) -> bool:
    """Report an accumulator type that the operand type does not allow."""
    if isinstance(operand, ir.F64Type):
        return isinstance(accumulator, ir.F64Type) or report(
            op, f"expects #C element type to be f64, but got {accumulator}"
        )
    half = isinstance(accumulator, ir.F16Type)
    full = isinstance(accumulator, ir.F32Type)
    if isinstance(operand, ir.F16Type) or operand.width == 8:
        return (
            half
            or full
            or report(op, f"expects #C element type to be either f32 or f16, but got {accumulator}")
        )
    return full or report(op, f"expects #C element type to be f32, but got {accumulator}")
