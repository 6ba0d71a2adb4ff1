"""Operations by which a kernel reports to the host."""

from typing import Any

from tilec.dialects.cuda_tile.base import TileOperation, element_error
from tilec.ir.bindings import Operand, ir


class AssertOp(TileOperation, name="assert"):
    """Report where a condition does not hold; the kernel goes on.

    Attributes:
        condition: A tile of i1, of which every element must be true, or one i1.
        message: What to say.
    """

    condition: Operand[Any]
    message: ir.StringAttr

    def find_error(self) -> str | None:
        """Return a message when the condition is no i1."""
        if isinstance(self.condition.type, ir.IntegerType) and self.condition.type.width == 1:
            return None
        return element_error("operand", 0, self.condition.type, ("i1",), "tile of")

    @classmethod
    def build(cls, condition: Any, message: str, **where: Any) -> Any:
        """Build the operation."""
        return cls(condition=condition, message=ir.StringAttr.get(message), **where)
