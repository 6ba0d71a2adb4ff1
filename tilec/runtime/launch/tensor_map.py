"""Builds the arguments of `cuTensorMapEncodeTiled` from a recipe and a real array.

Recipes list axes outermost first, as the IR does; the driver wants the innermost first. The order
is reversed here and nowhere else on the host. Every rule of cuda.h (CUDA 13.0,
cuTensorMapEncodeTiled, interleave NONE) is checked before the driver is asked, because the driver
only answers "invalid value".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tilec.runtime.args.arrays import ArrayView
from tilec.runtime.errors import launch_error
from tilec.support.diagnostics import InternalCompilerError, LaunchError
from tilec.support.dtypes import DTYPES

TENSOR_MAP_BYTES = 128
"""Size of a CUtensorMap (cuda.h)."""
TENSOR_MAP_ALIGNMENT = 64
"""Alignment that the driver demands of the object that it fills (cuda.h)."""

MAX_RANK = 5
MAX_BOX_EXTENT = 256
MAX_EXTENT = 2**32
MAX_STRIDE_BYTES = 2**40
GRANULE_BYTES = 16
"""Unit of base address, strides and inner box size without interleave."""
MAX_ELEMENT_STRIDE = 8

DATA_TYPES: dict[str, int] = {
    "bool": 0,
    "i8": 0,
    "u8": 0,
    "f8e4m3": 0,
    "f8e5m2": 0,
    "i16": 1,
    "u16": 1,
    "u32": 2,
    "i32": 3,
    "u64": 4,
    "i64": 5,
    "f16": 6,
    "f32": 7,
    "f64": 8,
    "bf16": 9,
    "tf32": 11,
}
"""`CUtensorMapDataType` by element type; types that TMA does not know travel as integers."""

SWIZZLES: dict[int, int] = {0: 0, 32: 1, 64: 2, 128: 3}
"""`CUtensorMapSwizzle` by span in bytes."""
L2_PROMOTIONS: dict[int, int] = {0: 0, 64: 1, 128: 2, 256: 3}
"""`CUtensorMapL2promotion` by size in bytes."""


@dataclass(frozen=True, slots=True)
class TensorMapEncoding:
    """Arguments of one `cuTensorMapEncodeTiled` call, innermost axis first.

    Attributes:
        array: Name of the array, for messages.
        axes: Axis of the array for each map axis.
        dtype: Element type by its tilec name.
        address: Global address of element (0, ..., 0).
        extents: Extent of each map axis, in elements.
        strides: Stride in bytes of each map axis but the innermost one.
        box: Extent of the box, in elements.
        element_strides: Step between the elements that are copied.
        swizzle: Span of the shared-memory swizzle in bytes: 0, 32, 64 or 128.
        l2_promotion: Granularity of the L2 fill in bytes: 0, 64, 128 or 256.
    """

    array: str
    axes: tuple[int, ...]
    dtype: str
    address: int
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    element_strides: tuple[int, ...]
    swizzle: int
    l2_promotion: int

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.extents)


def make_encoding(recipe: Mapping[str, Any], array: ArrayView) -> TensorMapEncoding:
    """Return what to ask the driver for.

    Args:
        recipe: One entry of `tensor_maps` in the kernel metadata (axes outermost first).
        array: The argument that the recipe names. One without elements gets a map of a single
            element, because a map has no extent of 0; the launcher gives it another address.
    """
    if 0 in array.shape:
        array = replace(array, pointer=0, shape=(1,) * array.rank)
    axes = tuple(reversed(recipe["axes"]))
    box = tuple(reversed(recipe["box"]))
    element_strides = tuple(reversed(recipe.get("element_strides", (1,) * len(box))))
    extents = tuple(array.shape[axis] for axis in axes)
    item = DTYPES[recipe["dtype"]].bytes
    return TensorMapEncoding(
        array=recipe["array"],
        axes=axes,
        dtype=recipe["dtype"],
        address=array.pointer,
        extents=extents,
        strides=_byte_strides(extents, tuple(array.strides[axis] for axis in axes), item),
        box=box,
        element_strides=element_strides,
        swizzle=recipe["swizzle"],
        l2_promotion=recipe.get("l2_promotion", 0),
    )


def _byte_strides(extents: Sequence[int], strides: Sequence[int], item: int) -> tuple[int, ...]:
    """Return the strides in bytes; an axis of extent 1 gets a legal one, as nothing steps it."""
    result: list[int] = []
    reach = extents[0] * item
    for extent, stride in zip(extents[1:], strides[1:], strict=True):
        pitch = stride * item
        if extent == 1 and (pitch <= 0 or pitch % GRANULE_BYTES or pitch >= MAX_STRIDE_BYTES):
            pitch = -(-reach // GRANULE_BYTES) * GRANULE_BYTES
        result.append(pitch)
        reach = max(reach, extent * pitch)
    return tuple(result)


def check_encoding(encoding: TensorMapEncoding, kernel: str = "") -> None:
    """Check what the arguments must satisfy.

    Raises:
        LaunchError: The array breaks a rule of the tensor map.
        InternalCompilerError: The compiler chose an illegal box.
    """
    _check_recipe(encoding)
    name, item = encoding.array, DTYPES[encoding.dtype].bytes
    if encoding.address % GRANULE_BYTES:
        raise _illegal(
            kernel, name, f"its address {encoding.address:#x} is not a multiple of {GRANULE_BYTES}"
        )
    for axis, extent in zip(encoding.axes, encoding.extents, strict=True):
        if not 1 <= extent <= MAX_EXTENT:
            raise _illegal(kernel, name, f"axis {axis} has extent {extent}, not 1 to 2^32")
    for axis, pitch in zip(encoding.axes[1:], encoding.strides, strict=True):
        if pitch <= 0 or pitch % GRANULE_BYTES:
            raise _illegal(
                kernel,
                name,
                f"axis {axis} has a stride of {pitch} bytes ({pitch // item} elements), which is "
                f"not a positive multiple of {GRANULE_BYTES}",
            )
        if pitch >= MAX_STRIDE_BYTES:
            raise _illegal(kernel, name, f"axis {axis} has a stride of {pitch} bytes, over 2^40")


def _check_recipe(encoding: TensorMapEncoding) -> None:
    """Check the part that only the compiler decides."""
    name = f"tensor map of {encoding.array}"
    ranks = {encoding.rank, len(encoding.box), len(encoding.element_strides)}
    if ranks != {encoding.rank} or not 1 <= encoding.rank <= MAX_RANK:
        raise InternalCompilerError(f"{name}: ranks {sorted(ranks)}, not one of 1 to {MAX_RANK}")
    if encoding.dtype not in DATA_TYPES:
        raise InternalCompilerError(f"{name}: TMA cannot copy elements of {encoding.dtype}")
    if encoding.swizzle not in SWIZZLES or encoding.l2_promotion not in L2_PROMOTIONS:
        raise InternalCompilerError(
            f"{name}: swizzle {encoding.swizzle} or L2 promotion {encoding.l2_promotion}"
        )
    for extent, step in zip(encoding.box, encoding.element_strides, strict=True):
        if not (1 <= extent <= MAX_BOX_EXTENT and 1 <= step <= MAX_ELEMENT_STRIDE):
            raise InternalCompilerError(
                f"{name}: box {encoding.box} with element strides {encoding.element_strides}"
            )
    inner = encoding.box[0] * DTYPES[encoding.dtype].bytes
    if inner % GRANULE_BYTES or (encoding.swizzle and inner > encoding.swizzle):
        raise InternalCompilerError(
            f"{name}: inner box of {inner} bytes with swizzle {encoding.swizzle}"
        )


def _illegal(kernel: str, name: str, reason: str) -> LaunchError:
    prefix = f"{kernel}: " if kernel else ""
    return launch_error("T0713", f"{prefix}{name} cannot be described to TMA: {reason}")
