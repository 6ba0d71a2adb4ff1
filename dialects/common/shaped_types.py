"""What types that wrap a tensor or memref type, as their first parameter, say of it.

Each is a property of such types: the bindings allow a type one base class, which is its dialect's.
"""

from typing import Any

from tilec.ir.bindings import ir


def _tensor(self: Any) -> Any:
    """The tensor type that spells shape and element type."""
    return ir.RankedTensorType(ir.TypeAttr(self.params[0]).value)


def _tensor_shape(self: Any) -> tuple[int, ...]:
    """Extents in elements, outer first."""
    return tuple(_tensor(self).shape)


def _tensor_element_type(self: Any) -> Any:
    """Type of one element."""
    return _tensor(self).element_type


def _memref(self: Any) -> Any:
    """The memref type that spells shape, strides and element type."""
    return ir.MemRefType(ir.TypeAttr(self.params[0]).value)


def _memref_shape(self: Any) -> tuple[int | None, ...]:
    """Extents in elements, outer first; None where dynamic."""
    dynamic = ir.ShapedType.get_dynamic_size()
    return tuple(None if extent == dynamic else extent for extent in _memref(self).shape)


def _memref_strides(self: Any) -> tuple[int | None, ...]:
    """Strides in elements, outer first; None where dynamic."""
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    strides, _ = _memref(self).get_strides_and_offset()
    return tuple(None if stride == dynamic else stride for stride in strides)


def _memref_element_type(self: Any) -> Any:
    """Type of one element."""
    return _memref(self).element_type


def _memref_rank(self: Any) -> int:
    """Number of dims."""
    return _memref(self).rank


TENSOR = property(_tensor)
TENSOR_SHAPE = property(_tensor_shape)
TENSOR_ELEMENT_TYPE = property(_tensor_element_type)
MEMREF = property(_memref)
MEMREF_SHAPE = property(_memref_shape)
MEMREF_STRIDES = property(_memref_strides)
MEMREF_ELEMENT_TYPE = property(_memref_element_type)
MEMREF_RANK = property(_memref_rank)
