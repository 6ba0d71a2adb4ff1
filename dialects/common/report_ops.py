"""Base classes of the operations by which a kernel reports to the host."""

from typing import Any, Optional

from tilec.dialects.common.effects import Reports
from tilec.dialects.common.verify import is_i32, report, total
from tilec.ir.bindings import Operand, ext, ir
from tilec.request.prints import check_format
from tilec.support.dtypes import DTYPES


class AssertBase(ext.Operation, traits=[Reports]):
    """Report where a condition does not hold; the kernel goes on.

    Attributes:
        condition: A tile of i1, of which every element must be true, or one i1.
        x: Coordinate of the block along axis 0 of the grid.
        y: The same along axis 1.
        z: The same along axis 2.
        message: What to say.
    """

    condition: Operand[Any]
    x: Operand[Any]
    y: Operand[Any]
    z: Operand[Any]
    message: ir.StringAttr

    @total
    def verify_invariants(self) -> bool:
        """Report a condition that is no i1, or coordinates that are no i32."""
        kind = self.condition.type
        element = kind.element_type if isinstance(kind, ir.RankedTensorType) else kind
        if not isinstance(element, ir.IntegerType) or element.width != 1:
            return report(self, f"expects a condition of i1, but got {kind}")
        for value in (self.x, self.y, self.z):
            if not is_i32(value.type):
                return report(self, f"expects coordinates of i32, but got {value.type}")
        return True


def template_error(op: Any) -> str | None:
    """Return what is wrong with the template and the type of a print, or None."""
    try:
        fields = len(list(check_format(op.template.value)))
    except ValueError as failure:
        return f"template is no format string: {failure}"
    values, name = int(op.value is not None), op.dtype.value
    if fields != values:
        return f"expects {values} fields in the template, but got {fields}"
    if values and name not in DTYPES:
        return f"unknown element type '{name}'"
    return None


class PrintBase(ext.Operation, traits=[Reports]):
    """Print a text with at most one value in it.

    Attributes:
        x: Coordinate of the block along axis 0 of the grid.
        y: The same along axis 1.
        z: The same along axis 2.
        value: Optional; a tile or a scalar.
        template: Format string of Python, with a field for the value if there is one.
        dtype: Element type of the value by its name in the language; empty without a value.
        starts: 1 where the coordinates of the block go in front, else 0 (i64).
    """

    x: Operand[Any]
    y: Operand[Any]
    z: Operand[Any]
    template: ir.StringAttr
    dtype: ir.StringAttr
    starts: ir.IntegerAttr
    value: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional

    @total
    def verify_invariants(self) -> bool:
        """Report a field that does not match the value, or coordinates that are no i32."""
        for value in (self.x, self.y, self.z):
            if not is_i32(value.type):
                return report(self, f"expects coordinates of i32, but got {value.type}")
        message = template_error(self)
        return message is None or report(self, message)
