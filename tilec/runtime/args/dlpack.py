"""Reads a DLPack capsule: pointer, shape, strides, element type and device.

Layout of the structures: dlpack.h 1.1 (dmlc/dlpack). Both capsule names are accepted,
`dltensor` and the versioned `dltensor_versioned`.
"""

import ctypes
import enum
from dataclasses import dataclass
from typing import Any


class DeviceKind(enum.IntEnum):
    """`DLDeviceType` values that tilec distinguishes."""

    CPU = 1
    CUDA = 2
    CUDA_HOST = 3
    CUDA_MANAGED = 13


CUDA_KINDS = (DeviceKind.CUDA, DeviceKind.CUDA_MANAGED)

_TYPE_NAMES: dict[tuple[int, int], str] = {
    (0, 8): "i8",
    (0, 16): "i16",
    (0, 32): "i32",
    (0, 64): "i64",
    (1, 8): "u8",
    (1, 16): "u16",
    (1, 32): "u32",
    (1, 64): "u64",
    (2, 16): "f16",
    (2, 32): "f32",
    (2, 64): "f64",
    (4, 16): "bf16",
    (6, 8): "bool",
    (10, 8): "f8e4m3",
    (12, 8): "f8e5m2",
}
"""tilec's name by `DLDataTypeCode` and bits."""

_IS_READ_ONLY = 1
"""`DLPACK_FLAG_BITMASK_READ_ONLY` of a versioned tensor."""


class _Device(ctypes.Structure):
    _fields_ = (("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32))


class _DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _ManagedTensor(ctypes.Structure):
    _fields_ = (
        ("tensor", _Tensor),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


class _VersionedTensor(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


@dataclass(frozen=True, slots=True)
class DLPackTensor:
    """What a capsule says.

    Attributes:
        pointer: Address of element (0, ..., 0).
        shape: Extent of each axis.
        strides: Stride of each axis in elements.
        dtype: tilec's name of the element type, or a description when tilec has no such type.
        device_kind: `DLDeviceType` as a number.
        device: Ordinal of the device.
        read_only: Whether the producer forbids writes.
    """

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    device_kind: int
    device: int
    read_only: bool


_python = ctypes.pythonapi
_is_valid = _python.PyCapsule_IsValid
_is_valid.argtypes, _is_valid.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_int
_get_pointer = _python.PyCapsule_GetPointer
_get_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_get_pointer.restype = ctypes.c_void_p


def row_major_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides, in elements, of a contiguous row-major array."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def read_capsule(capsule: Any) -> DLPackTensor | None:
    """Return the contents of a DLPack capsule, or None when it is something else.

    The capsule is not consumed: it keeps the tensor alive and frees it when it is dropped, so
    the caller must hold on to the array itself while it uses the pointer.
    """
    if _is_valid(capsule, b"dltensor_versioned"):
        versioned = _VersionedTensor.from_address(_get_pointer(capsule, b"dltensor_versioned"))
        return _read(versioned.tensor, read_only=bool(versioned.flags & _IS_READ_ONLY))
    if _is_valid(capsule, b"dltensor"):
        managed = _ManagedTensor.from_address(_get_pointer(capsule, b"dltensor"))
        return _read(managed.tensor, read_only=False)
    return None


def _read(tensor: _Tensor, *, read_only: bool) -> DLPackTensor:
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    if tensor.strides:
        strides = tuple(tensor.strides[axis] for axis in range(tensor.ndim))
    else:
        strides = row_major_strides(shape)
    code, bits, lanes = tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes
    name = _TYPE_NAMES.get((code, bits)) if lanes == 1 else None
    return DLPackTensor(
        pointer=(tensor.data or 0) + tensor.byte_offset,
        shape=shape,
        strides=strides,
        dtype=name or f"DLPack type code {code} of {bits} bits x {lanes}",
        device_kind=tensor.device.device_type,
        device=tensor.device.device_id,
        read_only=read_only,
    )
