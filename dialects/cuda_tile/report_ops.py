"""Operations by which a kernel reports to the host."""

from typing import Any, Optional

from tilec.dialects.common.report_ops import template_error
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


class PrintOp(TileOperation, name="print"):
    """Print a text with at most one value in it.

    Attributes:
        value: Optional; a tile or a scalar.
        template: Format string of Python, with a field for the value if there is one.
        dtype: Element type of the value by its name in the language, as integers are signless
            here; empty without a value.
        starts: 1 where the coordinates of the block go in front, else 0 (i64).
    """

    template: ir.StringAttr
    dtype: ir.StringAttr
    starts: ir.IntegerAttr
    value: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional

    def find_error(self) -> str | None:
        """Return a message when value, field and type do not match."""
        return template_error(self)

    @classmethod
    def build(
        cls, value: Any | None, template: str, dtype: str, *, starts: bool, **where: Any
    ) -> Any:
        """Build the operation."""
        return cls(
            value=value,
            template=ir.StringAttr.get(template),
            dtype=ir.StringAttr.get(dtype),
            starts=ir.IntegerAttr.get(ir.IntegerType.get_signless(64), int(starts)),
            **where,
        )
