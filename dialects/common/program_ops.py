"""Base classes of the operations that read the position of a block in the launch grid."""

from typing import Any

from tilec.dialects.common.verify import is_i32, report, total
from tilec.ir.bindings import Pure, Result, ext, ir

GRID_AXES = 3
I32_BITS = 32


class GridQueryBase(ext.Operation, traits=[Pure]):
    """Return one i32 about a grid axis.

    Attributes:
        axis: 0 (x), 1 (y) or 2 (z), i32.
    """

    value: Result[Any]
    axis: ir.IntegerAttr

    @total
    def verify_invariants(self) -> bool:
        """Report an axis that does not exist or a result that is no i32."""
        if not 0 <= self.axis.value < GRID_AXES:
            return report(self, f"axis must be 0, 1 or 2, but got {self.axis.value}")
        if not is_i32(self.value.type):
            return report(self, f"expects an i32 result, but got {self.value.type}")
        return True

    @classmethod
    def build(cls, axis: int, **where: Any) -> Any:
        """Build the op and return its i32."""
        i32 = ir.IntegerType.get_signless(I32_BITS)
        return cls(value=i32, axis=ir.IntegerAttr.get(i32, axis), **where).value


class GetProgramIdBase(GridQueryBase):
    """Return the coordinate of this block along a grid axis."""


class GetNumProgramsBase(GridQueryBase):
    """Return the number of blocks along a grid axis."""
