"""Types of the nv_tileaa dialect; nv_tileas shares them."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.common import shaped_types
from tilec.dialects.nv_tileaa.dialect import NvTileAA
from tilec.ir.bindings import ir
from tilec.ir.integers import i64

GLOBAL_SPACE = 1
"""Address space of global memory (PTX ISA, state spaces; LLVM NVPTX numbering)."""
UNKNOWN_ALIAS_SCOPE = -1
"""Alias scope of memory that may overlap with any other."""


class PtrType(NvTileAA.Type, name="ptr"):
    """Address of an element in global memory: `!nv_tileaa.ptr<bf16>`."""

    element: ir.TypeAttr

    @classmethod
    def of(cls, pointee: Any) -> "PtrType":
        """Return the pointer type to `pointee`."""
        return cls.get(ir.TypeAttr.get(pointee))

    @property
    def pointee(self) -> Any:
        """Element type that the pointer points to."""
        return ir.TypeAttr(self.element).value


class MemTokenType(NvTileAA.Type, name="mem_token"):
    """Orders memory operations; holds no run-time value."""


class MemrefType(NvTileAA.Type, name="memref"):
    """A strided array in memory, dims in storage order (outermost first).

    Text: `!nv_tileaa.memref<memref<?x?xbf16, strided<[?, 1]>, 1>, 0 : i64>`. Memrefs with equal
    alias scopes may overlap, others may not; -1 may overlap with any.
    """

    layout: ir.TypeAttr
    scope: ir.IntegerAttr

    @classmethod
    def of(
        cls,
        element_type: Any,
        shape: Sequence[int | None],
        strides: Sequence[int | None],
        alias_scope: int = UNKNOWN_ALIAS_SCOPE,
        address_space: int = GLOBAL_SPACE,
    ) -> "MemrefType":
        """Return the type; None marks an extent or stride (in elements) read at run time."""
        dynamic_size = ir.ShapedType.get_dynamic_size()
        dynamic_stride = ir.ShapedType.get_dynamic_stride_or_offset()
        memref = ir.MemRefType.get(
            [dynamic_size if extent is None else extent for extent in shape],
            element_type,
            layout=ir.StridedLayoutAttr.get(
                0, [dynamic_stride if stride is None else stride for stride in strides]
            ),
            memory_space=i64(address_space),
        )
        return cls.get(ir.TypeAttr.get(memref), i64(alias_scope))

    @property
    def is_strided(self) -> bool:
        """Whether the type inside is a memref, as it must be; the parser accepts any type."""
        return isinstance(ir.TypeAttr(self.layout).value, ir.MemRefType)

    memref = shaped_types.MEMREF
    shape = shaped_types.MEMREF_SHAPE
    strides = shaped_types.MEMREF_STRIDES
    element_type = shaped_types.MEMREF_ELEMENT_TYPE
    rank = shaped_types.MEMREF_RANK

    @property
    def alias_scope(self) -> int:
        """Number of the alias scope."""
        return ir.IntegerAttr(self.scope).value

    @property
    def address_space(self) -> int:
        """Address space: 1 is global memory, 3 shared memory."""
        space = self.memref.memory_space
        return ir.IntegerAttr(space).value if space is not None else 0
