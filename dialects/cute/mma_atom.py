"""Matrix-multiply atoms: the shape and element types of one hardware instruction."""

from typing import Any

from tilec.dialects.cute.dialect import Cute
from tilec.ir.bindings import ir


class MmaAtomAttr(Cute.Attribute, name="mma_atom"):
    """One MMA atom.

    Text: `#cute.mma_atom<"sm90_wgmma_m64n128k16_f32_bf16_bf16", array<i64: 64, 128, 16>>`.

    Attributes:
        label: Name in the registry.
        extents: M, N and K of one instruction, `array<i64>`.
    """

    label: ir.StringAttr
    extents: Any

    @classmethod
    def of(cls, name: str, shape: tuple[int, int, int]) -> "MmaAtomAttr":
        """Return the attribute."""
        return cls.get(ir.StringAttr.get(name), ir.DenseI64ArrayAttr.get(list(shape)))

    @property
    def name(self) -> str:
        """Name in the registry."""
        return ir.StringAttr(self.label).value

    @property
    def shape(self) -> tuple[int, int, int]:
        """M, N and K of one instruction."""
        rows, columns, inner = ir.DenseI64ArrayAttr(self.extents)
        return rows, columns, inner
