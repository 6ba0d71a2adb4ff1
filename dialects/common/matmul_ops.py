"""Base class of the matrix-multiply operation of nv_tileaa and nv_tileas."""

from typing import Any

from tilec.dialects.common.shape_ops import check_tiles, is_tile_of
from tilec.dialects.common.verify import is_float, report, shape_text, total
from tilec.ir.attributes import integer
from tilec.ir.bindings import Operand, Pure, Result, ext, ir
from tilec.support.mma_atoms import ProductTypes

SIGNEDNESS = ("signed", "unsigned")
PRECISIONS = ("tf32", "tf32x3", "bf16x3")
"""How f32 may be multiplied on the tensor cores: by its leading 10 bits of mantissa, or as three
products of leading and remaining bits, in tf32 or bf16."""
PRODUCT_ATTRIBUTES = ("signedness_a", "signedness_b", "precision", "k_part")
"""Attributes of a product that say what is multiplied, and how."""


def product_types(op: Any, accumulator: Any) -> ProductTypes:
    """Return the element types that a product multiplies.

    Args:
        op: A product with operands `a` and `b`. Absent attributes have their defaults: `precision`
            multiplies f32 exactly, `signedness_a` and `signedness_b` are signed.
        accumulator: Its accumulator.
    """

    def attribute(name: str) -> str | None:
        return ir.StringAttr(op.attributes[name]).value if name in op.attributes else None

    tiles = (op.a, op.b, accumulator)
    a, b, c = (str(tile.type.element_type) for tile in tiles)
    signs = [attribute(f"signedness_{name}") or SIGNEDNESS[0] for name in ("a", "b")]
    return ProductTypes.of((a, b, c), attribute("precision"), (signs[0], signs[1]))


def k_part(op: Any) -> tuple[int, int]:
    """Return the first and the number of the elements of K that a product multiplies."""
    if "k_part" in op.attributes:
        first, count = ir.DenseI64ArrayAttr(op.attributes["k_part"])
        return first, count
    return 0, op.a.type.shape[-1 if op.a_major.value == "k" else -2]


def copy_product(source: Any, target: Any) -> None:
    """Give product `target` the attributes of `source` that say what is multiplied."""
    for name in PRODUCT_ATTRIBUTES:
        if name in source.attributes:
            target.attributes[name] = source.attributes[name]


class DotBase(ext.Operation, traits=[Pure]):
    """Matrix multiply-accumulate: `A @ B + C`, plain or batched (a leading dim).

    Attributes:
        a_major: `k`: A is MxK (default); `m`: A is KxM, its storage order.
        b_major: `n`: B is KxN (default); `k`: B is NxK, its storage order.
        signedness_a: signed or unsigned; for integers only.
        signedness_b: signed or unsigned; for integers only.
        precision: Optional, for f32 only: one of `PRECISIONS`. Absent: exact products.
        promote: Optional, for f32 sums only: at most so many elements of K are summed before the
            sum is added to the accumulator in f32.
        k_part: Optional: first and number of the elements of K that are multiplied, all by default.
    """

    a: Operand[Any]
    b: Operand[Any]
    c: Operand[Any]
    d: Result[Any]
    a_major: ir.StringAttr
    b_major: ir.StringAttr

    @property
    def product_types(self) -> ProductTypes:
        """The element types that are multiplied."""
        return product_types(self, self.c)

    @property
    def extents(self) -> tuple[int, int, int]:
        """M, N and K of one matrix product, in elements."""
        rows, columns = self.d.type.shape[-2:]
        return rows, columns, k_part(self)[1]

    @total
    def verify_invariants(self) -> bool:
        """Report operand types, shapes or attributes that make no matrix product."""
        types = (self.a.type, self.b.type, self.c.type, self.d.type)
        if not check_tiles(self, *types):
            return False
        return (
            self._verify_major()
            and self._verify_elements()
            and self._verify_shapes()
            and self._verify_options()
        )

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

    def _verify_options(self) -> bool:
        """Report a precision, promotion or part of K that the product cannot have."""
        if "precision" in self.attributes:
            name = ir.StringAttr(self.attributes["precision"]).value
            if name not in PRECISIONS or not isinstance(self.a.type.element_type, ir.F32Type):
                return report(
                    self, f"precision must be one of {', '.join(PRECISIONS)}, with f32 operands"
                )
        if "promote" in self.attributes:
            every = integer(self, "promote")
            if every < 1 or not isinstance(self.d.type.element_type, ir.F32Type):
                return report(self, "promote must be positive, with f32 sums")
        first, count = k_part(self)
        whole = self.a.type.shape[-1 if self.a_major.value == "k" else -2]
        if first < 0 or count < 1 or first + count > whole:
            return report(self, f"k_part must lie in the {whole} elements of K")
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
