"""Tensors with a DLPack exchange API and a driver that is called by address, both of ctypes."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_int, c_uint32, c_uint64, c_void_p, py_object
from typing import ClassVar


class Context:
    """What the fake driver answers."""

    stream: ClassVar[int] = 0
    current: ClassVar[int] = 0x77
    status: ClassVar[int] = 0


launches: list[tuple[int, int, int]] = []
"""Configuration, function and parameters of every launch."""


class _DLTensor(Structure):
    _fields_: ClassVar = [
        ("data", c_void_p),
        ("kind", ctypes.c_int32),
        ("number", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", c_void_p),
        ("strides", c_void_p),
        ("byte_offset", c_uint64),
    ]


class _ExchangeApi(Structure):
    _fields_: ClassVar = [
        ("major", c_uint32),
        ("minor", c_uint32),
        *((name, c_void_p) for name in ("previous", "allocate", "managed_from", "managed_to")),
        ("from_py_object", c_void_p),
        ("current_stream", c_void_p),
    ]


@CFUNCTYPE(c_int, py_object, POINTER(_DLTensor))
def _read(tensor, found):
    if tensor.broken:
        return -1
    item = found.contents
    item.data, item.byte_offset = tensor.data, tensor.byte_offset
    item.kind, item.number, item.rank = tensor.kind, tensor.device, len(tensor.shape)
    item.code, item.bits, item.lanes = tensor.dtype
    item.shape, item.strides = map(ctypes.addressof, (tensor.shape, tensor.strides))
    return 0


@CFUNCTYPE(c_int, ctypes.c_int32, ctypes.c_int32, POINTER(c_void_p))
def _current_stream(_kind, _device, stream):
    stream[0] = Context.stream
    return 0


@CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p)
def _launch(configuration, function, parameters, _extra):
    if not Context.status:
        launches.append((configuration, function, parameters))
    return Context.status


@CFUNCTYPE(c_int, POINTER(c_void_p))
def _current_context(context):
    context[0] = Context.current
    return 0


def _address(function) -> int:
    return ctypes.cast(function, c_void_p).value or 0


def addresses() -> tuple[int, int]:
    """Return the addresses of what stands for `cuLaunchKernelEx` and `cuCtxGetCurrent`."""
    return _address(_launch), _address(_current_context)


_KEPT: list[_ExchangeApi] = []
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = py_object, (c_void_p, ctypes.c_char_p, c_void_p)


class Tensor:
    """A tensor of the GPU, as far as the exchange API shows it."""

    def __init__(
        self,
        data,
        *,
        shape=(4, 8),
        strides=(8, 1),
        dtype=(2, 32, 1),
        device=0,
        kind=2,
        byte_offset=0,
        pointer=None,
        negative=False,
        broken=False,
    ):
        self.data, self.byte_offset, self.device, self.kind = data, byte_offset, device, kind
        self.pointer = data if pointer is None else pointer
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = (ctypes.c_int64 * len(strides))(*strides)
        self.dtype, self.negative, self.broken = dtype, negative, broken

    def is_neg(self):
        return self.negative

    @staticmethod
    def make_capsule(major=1):
        """Return the exchange API as a capsule."""
        api = _ExchangeApi(major=major, minor=3)
        api.from_py_object, api.current_stream = _address(_read), _address(_current_stream)
        _KEPT.append(api)
        return _new_capsule(ctypes.addressof(api), b"dlpack_exchange_api", None)

    __dlpack_c_exchange_api__: ClassVar = None


Tensor.__dlpack_c_exchange_api__ = Tensor.make_capsule()


class TensorChild(Tensor):
    """A subclass, which may mean something else by its memory."""
