"""Reads array arguments of any library without importing that library.

An object is a torch tensor or a NumPy array only if its library is loaded already, so
`sys.modules` is asked. Everything else goes by protocol: DLPack first, because it names the
device and knows bf16 and the 8-bit floats, then `__cuda_array_interface__`.
"""

import operator
import sys
from dataclasses import dataclass
from typing import Any

from tilec.runtime.args.dlpack import CUDA_KINDS, DeviceKind, read_capsule, row_major_strides
from tilec.runtime.errors import launch_error
from tilec.support.dtypes import DTYPES

DEFAULT_STREAM = 0
"""CUDA's legacy default stream as a driver handle."""
LEGACY_STREAM = 1
"""The same as DLPack and `__cuda_array_interface__` number it."""

_DLPACK_VERSION = (1, 1)
_MAX_ADDRESS = 1 << 64

FOREIGN_DTYPES: dict[str, str] = {
    "bool": "bool",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "float8_e4m3fn": "f8e4m3",
    "float8_e5m2": "f8e5m2",
}
"""tilec's element type by its name in NumPy, ml_dtypes and torch."""

_TYPESTR_DTYPES: dict[str, str] = {
    "b1": "bool",
    "i1": "i8",
    "i2": "i16",
    "i4": "i32",
    "i8": "i64",
    "u1": "u8",
    "u2": "u16",
    "u4": "u32",
    "u8": "u64",
    "f2": "f16",
    "f4": "f32",
    "f8": "f64",
}


@dataclass(frozen=True, slots=True)
class ArrayView:
    """Where an array lies and how to step through it.

    Attributes:
        pointer: Address of element (0, ..., 0).
        shape: Extent of each axis.
        strides: Stride of each axis in elements; may be zero or negative.
        dtype: tilec's name of the element type, or the foreign one when tilec has no such type.
        device_kind: `cuda`, `cpu`, or whatever the library calls it.
        device: Ordinal of the CUDA device; None when the library does not say.
        library: Package that made the array, for messages.
        producer_stream: Stream on which the producer may still write, as its protocol says.
        read_only: Whether the producer forbids writes.
    """

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    device_kind: str
    device: int | None
    library: str
    producer_stream: int | None = None
    read_only: bool = False

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def item_bytes(self) -> int:
        """Size of one element; 1 for a type that tilec does not have."""
        return DTYPES[self.dtype].bytes if self.dtype in DTYPES else 1

    @property
    def place(self) -> str:
        """Where the array lies, for messages: `cuda:0` or `host memory`."""
        if self.device_kind == "cuda":
            return f"cuda:{self.device}" if self.device is not None else "cuda"
        return "host memory" if self.device_kind == "cpu" else f"'{self.device_kind}' memory"


def is_numpy(value: Any) -> bool:
    """Tell whether `value` is a NumPy array."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def is_torch(value: Any) -> bool:
    """Tell whether `value` is a torch tensor."""
    torch = sys.modules.get("torch")
    # A torch that is still being imported, or a stand-in, has no Tensor.
    kind = getattr(torch, "Tensor", None)
    return kind is not None and isinstance(value, kind)


def is_array(value: Any) -> bool:
    """Tell whether `value` speaks a protocol that `view_array` reads.

    NumPy's own scalars have `__array_interface__` only and are not arrays here.
    """
    return (
        is_torch(value)
        or is_numpy(value)
        or hasattr(value, "__tilec_array__")
        or hasattr(value, "__cuda_array_interface__")
        or hasattr(value, "__dlpack__")
    )


def view_array(value: Any, name: str, stream: int = LEGACY_STREAM) -> ArrayView:
    """Return the memory view of an array argument.

    Args:
        value: A torch tensor, a NumPy array, or an object with DLPack,
            `__cuda_array_interface__` or `__tilec_array__` (which returns the view itself).
        name: Name of the parameter, for messages.
        stream: Stream of the coming launch; a DLPack producer orders its writes before it.

    Raises:
        LaunchError: `value` is no array, or its memory cannot be described by strides.
    """
    if is_torch(value):
        return _view_torch(value, name)
    if is_numpy(value):
        return _view_numpy(value, name)
    if hasattr(value, "__tilec_array__"):
        return value.__tilec_array__()
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        return _view_dlpack(value, name, stream)
    if hasattr(value, "__cuda_array_interface__"):
        return _view_cuda_interface(value, name)
    raise launch_error(
        "T0702",
        f"{name} must be an array, got {type(value).__name__}",
        hint="arrays are torch, CuPy, JAX, numba or NumPy arrays, or anything with DLPack or "
        "__cuda_array_interface__",
    )


def dtype_name(foreign: str) -> str:
    """Return tilec's name of an element type, or `foreign` itself when tilec has no such type."""
    return FOREIGN_DTYPES.get(foreign, foreign)


def library_of(value: Any) -> str:
    """Return the top-level package that `value` comes from."""
    return type(value).__module__.partition(".")[0]


def _parameter(name: str) -> str:
    """Return the name of a parameter without that of its kernel, for code in hints."""
    return name.rpartition(" ")[2]


_torch_dtype_names: dict[Any, str] = {}


def torch_dtype_name(dtype: Any) -> str:
    """Return tilec's name for a torch dtype, or torch's own when tilec has no such type."""
    name = _torch_dtype_names.get(dtype)
    if name is None:
        name = _torch_dtype_names[dtype] = dtype_name(str(dtype).removeprefix("torch."))
    return name


def _view_torch(value: Any, name: str) -> ArrayView:
    if str(value.layout) != "torch.strided":
        raise launch_error("T0702", f"{name} is a torch tensor of layout {value.layout}")
    if value.is_conj() or value.is_neg():
        raise launch_error(
            "T0702",
            f"{name} is a lazily conjugated or negated torch tensor",
            hint=f"pass {_parameter(name)}.resolve_conj().resolve_neg()",
        )
    device = value.device
    return ArrayView(
        _torch_address(value, name),
        tuple(value.shape),
        tuple(value.stride()),
        torch_dtype_name(value.dtype),
        device.type,
        device.index,
        "torch",
    )


def _torch_address(value: Any, name: str) -> int:
    """Return the address of a tensor's first element.

    Raises:
        LaunchError: It stands for a tensor that has memory, as in what torch traces.
    """
    traced = getattr(sys.modules.get("torch._subclasses.fake_tensor"), "FakeTensor", ())
    kind = type(value).__name__
    try:
        if not isinstance(value, traced):
            return value.data_ptr()
    except RuntimeError as failure:
        kind = str(failure)
    raise launch_error(
        "T0702",
        f"{name} is a torch tensor without memory ({kind})",
        hint="torch.export, torch.func and others pass such tensors: make an operator of the call "
        "with torch.library.custom_op (docs/pytorch.md)",
    )


def _view_numpy(value: Any, name: str) -> ArrayView:
    masked = sys.modules.get("numpy.ma")  # without it, no array is masked
    if masked is not None and isinstance(value, masked.MaskedArray):
        hint = f"pass {_parameter(name)}.filled(value), and copy results back"
        raise launch_error("T0702", f"{name} is a masked array", hint=hint)
    item = value.dtype.itemsize
    if item == 0 or any(stride % item for stride in value.strides):
        raise launch_error(
            "T0702",
            f"{name} has strides of {value.strides} bytes, which are no multiples of its "
            f"{item}-byte elements",
        )
    if not value.dtype.isnative:
        raise launch_error("T0703", f"{name} has the byte order of another machine")
    return ArrayView(
        value.__array_interface__["data"][0],
        tuple(value.shape),
        tuple(stride // item for stride in value.strides),
        dtype_name(value.dtype.name),
        "cpu",
        None,
        "numpy",
        read_only=not value.flags.writeable,
    )


def _view_dlpack(value: Any, name: str, stream: int) -> ArrayView:
    kind, _ = value.__dlpack_device__()
    on_cuda = int(kind) in CUDA_KINDS
    capsule = _export(value, name, (stream or LEGACY_STREAM) if on_cuda else None)
    tensor = read_capsule(capsule)
    if tensor is None:
        raise launch_error("T0702", f"{name}.__dlpack__() returned no DLPack capsule")
    if on_cuda and tensor.dtype in DTYPES:
        _check_address(tensor.pointer, DTYPES[tensor.dtype].bytes, name)
    kinds = {DeviceKind.CPU: "cpu", DeviceKind.CUDA_HOST: "cpu"}
    other = kinds.get(DeviceKind(tensor.device_kind)) if tensor.device_kind in kinds else None
    return ArrayView(
        tensor.pointer,
        tensor.shape,
        tensor.strides,
        tensor.dtype,
        "cuda" if on_cuda else other or f"DLPack device type {tensor.device_kind}",
        tensor.device if on_cuda else None,
        library_of(value),
        read_only=tensor.read_only,
    )


def _check_address(pointer: int, item: int, name: str) -> None:
    """Refuse what a GPU cannot access: elements at no multiple of their size (PTX ISA, ld)."""
    if pointer % item:
        message = f"{name} begins at {pointer:#x}, which is no multiple of its {item}-byte elements"
        raise launch_error("T0702", message, hint="copy it to memory that is aligned")


def _export(value: Any, name: str, stream: int | None) -> Any:
    """Call `__dlpack__`, which takes `max_version` since DLPack 1.0 only."""
    export = value.__dlpack__
    arguments = {} if stream is None else {"stream": stream}
    try:
        try:
            return export(max_version=_DLPACK_VERSION, **arguments)
        except TypeError:
            return export(**arguments)
    except (BufferError, RuntimeError, TypeError, ValueError) as failure:
        raise launch_error(
            "T0702", f"{name} cannot be exported through DLPack: {failure}"
        ) from failure


def _view_cuda_interface(value: Any, name: str) -> ArrayView:
    interface = value.__cuda_array_interface__
    try:
        pointer, read_only, shape, typestr, strides = _read_interface(interface)
    except (IndexError, KeyError, TypeError, ValueError) as failure:
        message = f"{name} has a __cuda_array_interface__ that breaks its protocol"
        raise launch_error("T0702", f"{message}: {interface!r}") from failure
    dtype = _TYPESTR_DTYPES.get(typestr[1:]) if typestr[0] in "<|=" else None
    if interface.get("mask") is not None:
        raise launch_error("T0702", f"{name} is a masked array")
    if dtype is None:
        hint = "bf16 and the 8-bit floats need an array with DLPack"
        if typestr[0] == ">":
            hint = "its bytes are in the order of another machine"
        message = f"{name} has the element type '{typestr}', which tilec does not have"
        raise launch_error("T0703", message, hint=hint)
    item = DTYPES[dtype].bytes
    if strides is not None and any(stride % item for stride in strides):
        raise launch_error("T0702", f"{name} has strides that are no multiples of its elements")
    _check_address(pointer, item, name)
    producer = interface.get("stream")
    elements = row_major_strides(shape) if strides is None else [s // item for s in strides]
    return ArrayView(
        pointer,
        shape,
        tuple(elements),
        dtype,
        "cuda",
        None,
        library_of(value),
        DEFAULT_STREAM if producer == LEGACY_STREAM else producer,
        read_only,
    )


def _read_interface(
    interface: Any,
) -> tuple[int, bool, tuple[int, ...], str, tuple[int, ...] | None]:
    """Return address, read-only flag, shape, type and strides in bytes of a CUDA array interface.

    Raises:
        KeyError: An entry is missing; or IndexError, TypeError or ValueError: it is no such entry.
    """
    address, read_only = interface["data"]
    pointer, typestr = operator.index(address), interface["typestr"]
    shape = tuple(operator.index(extent) for extent in interface["shape"])
    steps = interface.get("strides")
    strides = None if steps is None else tuple(operator.index(step) for step in steps)
    is_wrong = not 0 <= pointer < _MAX_ADDRESS or any(extent < 0 for extent in shape)
    if is_wrong or not isinstance(typestr, str) or not typestr:
        raise ValueError
    if strides is not None and len(strides) != len(shape):
        raise ValueError
    return pointer, bool(read_only), shape, typestr, strides
