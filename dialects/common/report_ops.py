"""Base classes of the operations by which a kernel reports to the host."""

from typing import Any

from tilec.dialects.common.effects import Reports
from tilec.dialects.common.verify import is_i32, report, total
from tilec.ir.bindings import Operand, ext, ir


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
