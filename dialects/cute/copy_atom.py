"""Copy atoms: which hardware primitive moves a tile."""

from typing import Any

from tilec.dialects.cute.dialect import Cute
from tilec.ir.bindings import ir
from tilec.ir.integers import i64


class CopyAtomAttr(Cute.Attribute, name="copy_atom"):
    """One copy atom.

    Text: `#cute.copy_atom<"sm90_tma_load_2d_bf16", "tma_load", 2 : i64, 0 : i64, bf16>`.
    Swizzle, multicast and cache hints are not part of the atom: later stages choose them.

    Attributes:
        label: Name in the registry.
        family: Kind of the atom: tma_load, tma_store, tma_reduce, tma_prefetch, ldg, stg, red,
            prefetch or cp_async.
        dims: Dims of the tile that one instruction moves (1 for vector accesses).
        width: Bits that one thread moves per instruction; 0 when the tile moves as a whole.
        element: Element type.
    """

    label: ir.StringAttr
    family: ir.StringAttr
    dims: ir.IntegerAttr
    width: ir.IntegerAttr
    element: ir.TypeAttr

    @classmethod
    def of(cls, name: str, kind: str, rank: int, vector_bits: int, element: Any) -> "CopyAtomAttr":
        """Return the attribute."""
        return cls.get(
            ir.StringAttr.get(name),
            ir.StringAttr.get(kind),
            i64(rank),
            i64(vector_bits),
            ir.TypeAttr.get(element),
        )

    @property
    def name(self) -> str:
        """Name in the registry, for example `sm90_tma_load_2d_bf16`."""
        return ir.StringAttr(self.label).value

    @property
    def kind(self) -> str:
        """Kind, as in the registry."""
        return ir.StringAttr(self.family).value

    @property
    def rank(self) -> int:
        """Dims of the tile that one instruction moves."""
        return ir.IntegerAttr(self.dims).value

    @property
    def vector_bits(self) -> int:
        """Bits that one thread moves per instruction; 0 for TMA."""
        return ir.IntegerAttr(self.width).value

    @property
    def vector_bytes(self) -> int:
        """Bytes that one thread moves per instruction; 0 for TMA."""
        return self.vector_bits // 8

    @property
    def element_type(self) -> Any:
        """Element type."""
        return ir.TypeAttr(self.element).value

    @property
    def is_tma(self) -> bool:
        """Whether the atom needs a TMA descriptor."""
        return self.kind in ("tma_load", "tma_store", "tma_reduce", "tma_prefetch")
