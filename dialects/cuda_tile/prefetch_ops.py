"""Requests to bring tiles closer before they are loaded."""

from typing import Any, Sequence  # noqa: UP035 - ext reads typing.Sequence

from tilec.dialects.common.effects import Hints
from tilec.dialects.common.verify import is_i32
from tilec.dialects.cuda_tile.base import TileOperation, set_unit
from tilec.dialects.cuda_tile.types import TileViewType, spell
from tilec.ir.bindings import Operand, ir


class PrefetchViewOp(TileOperation, name="prefetch_view", traits=[Hints]):
    """Ask for one tile of a view to be in L2 when it is loaded. No value depends on it.

    Operands:
        view: Partition view or strided view.
        index: Which tile, one i32 per dimension, read as unsigned.

    Attributes:
        allow_tma: Optional; false forbids TMA.
        element_offsets: Optional unit attribute; the indices count elements, and are signed.
    """

    view: Operand[Any]
    index: Sequence[Operand[Any]]

    def find_error(self) -> str | None:
        """Return the first broken rule."""
        view = self.view.type
        if not isinstance(view, TileViewType):
            return f"operand #0 must be TileView instance, but got '{spell(view)}'"
        rank = len(view.tile)
        if len(self.index) != rank:
            return f"expected {rank} index operands (based on view type), got {len(self.index)}"
        for index in self.index:
            if not is_i32(index.type):
                return f"index operands must be i32, but got '{index.type}'"
        return None

    @classmethod
    def build(
        cls,
        view: Any,
        index: Sequence[Any],
        *,
        allow_tma: bool | None = None,
        element_offsets: bool = False,
        **where: Any,
    ) -> None:
        """Build the operation."""
        op = cls(view=view, index=list(index), **where)
        set_unit(op, "element_offsets", element_offsets)
        if allow_tma is not None:
            op.attributes["allow_tma"] = ir.BoolAttr.get(allow_tma)
