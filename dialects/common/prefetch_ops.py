"""The base class of the prefetches that nv_tileaa and nv_tileas both have."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common.effects import Hints
from tilec.dialects.common.memory_ops import TiledAccessBase
from tilec.dialects.common.verify import check_counts, report, total
from tilec.dialects.nv_tileaa.types import MemrefType
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import Operand, ir


class PrefetchBase(TiledAccessBase, traits=[Hints]):
    """Ask for one tile to be in L2 when it is loaded.

    Operands:
        memref: Array that will be read.
        coords: ELEMENT coordinates of the tile's first element, storage order, outermost first.

    Attributes:
        shape: Extents of the tile, storage order.
    """

    ATOM_KINDS = ("tma_prefetch", "prefetch")
    WRONG_ATOM = "expect a tma_prefetch or prefetch atom type"

    memref: Operand[Any]
    coords: Sequence[Operand[Any]]
    shape: Any

    @property
    def tile_type(self) -> Any:
        """Tensor type of the tile."""
        element, unknown = self.memref.type.element_type, ir.Location.unknown()
        return ir.RankedTensorType.get(list(elements_of(self.shape)), element, loc=unknown)

    @total
    def verify_invariants(self) -> bool:
        """Report a prefetch that breaks a rule of tiled accesses."""
        if not check_counts(self):
            return False
        memref, shape = self.memref.type, tuple(elements_of(self.shape))
        if not isinstance(memref, MemrefType) or not memref.is_strided:
            return report(self, f"expects a strided memref, but got {memref}")
        if len(shape) != memref.rank or min(shape, default=0) < 1:
            extents = ", ".join(map(str, shape))
            return report(self, f"expects {memref.rank} positive extents, but got [{extents}]")
        return self.verify_coordinates(memref) and self.verify_atom()

    @classmethod
    def build(cls, memref: Any, coords: Sequence[Any], shape: Sequence[int], **where: Any) -> Any:
        """Build the op and return it."""
        extents = ir.DenseI64ArrayAttr.get(list(shape))
        return cls(memref=memref, coords=coords, shape=extents, **where)
