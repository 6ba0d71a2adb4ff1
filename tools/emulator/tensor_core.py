"""What tensor cores do: wgmma on descriptors, and the matrix moves of a warp."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tools.emulator.errors import UnsupportedError
from tools.emulator.memory import SharedMemory, swizzled

_SHAPE = re.compile(r"m64n(\d+)k(\d+)")
_SPANS = (0, 128, 64, 32)
"""Bytes of the swizzle by the code in bits 62 and 63 (PTX ISA, matrix descriptor format)."""
ELEMENTS: dict[str, Any] = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "tf32": np.float32,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "s8": np.int8,
    "u8": np.uint8,
}
"""Operand types and how their elements lie in memory."""
SUMS: dict[str, Any] = {"f32": np.float32, "f16": np.float16, "s32": np.int32}
"""Accumulator types."""
STEP_BYTES = 32
"""Bytes of K of one wgmma."""
_TRANSPOSABLE = ("bf16", "f16")
_INTEGERS = ("s8", "u8")
_TF32_BITS = np.uint32(0xFFFFE000)
"""The bits of an f32 that tf32 operands are read from: sign, exponent and 10 of the mantissa."""
_OPERANDS = 256
"""Operands whose addresses are kept: those of the slots of a few kernels."""
_BYTES = 2
"""Size of an element of the 8x8 matrices that warps move."""


@dataclass(frozen=True)
class Wgmma:
    """One wgmma.

    Attributes:
        columns: N.
        elements: Types of A and B.
        total: Type of the accumulator.
        transposed: Whether A, and whether B, has M or N contiguous.
        in_registers: Whether A is in registers.
    """

    columns: int
    elements: tuple[str, str]
    total: str
    transposed: tuple[bool, bool]
    in_registers: bool = False

    @classmethod
    def of(
        cls, opcode: tuple[str, ...], immediates: tuple[str, ...], in_registers: bool
    ) -> "Wgmma":
        """Read the opcode, and the immediates: all that follows scale-d.

        With A in registers there is no immediate that says whether A is transposed.
        """
        shape = next(filter(None, map(_SHAPE.fullmatch, opcode)), None)
        total, *elements = opcode[-3:]
        if shape is None or total not in SUMS or not all(item in ELEMENTS for item in elements):
            raise UnsupportedError(".".join(opcode))
        size = np.dtype(ELEMENTS[elements[0]]).itemsize
        flags = [int(item) for item in immediates]
        scales = [] if elements[0] in _INTEGERS else [1, 1]
        lies = flags[len(scales) :]
        known = 2 - in_registers if elements[0] in _TRANSPOSABLE else 0
        whole = int(shape[2]) * size == STEP_BYTES
        if flags[: len(scales)] != scales or len(lies) != known or not whole:
            raise UnsupportedError(f"{'.'.join(opcode)} with {', '.join(immediates)}")
        first, second = [False, False, *(item == 1 for item in lies)][-2:]
        transposed = (first, second)
        return cls(int(shape[1]), (elements[0], elements[1]), total, transposed, in_registers)

    @property
    def _size(self) -> int:
        return np.dtype(ELEMENTS[self.elements[0]]).itemsize

    def operands(self, shared: SharedMemory, *descriptors: int) -> list[NDArray[np.int64]]:
        """Return the places of the elements of A (64 x K) and B (N x K) that are in shared memory.

        Args:
            shared: Shared memory.
            descriptors: Of the operands in shared memory, B last.
        """
        rows = (64, self.columns)[-len(descriptors) :]
        flags = self.transposed[-len(descriptors) :]
        return [
            _places(shared, descriptor, extent, self._size, transposed=flag)
            for descriptor, extent, flag in zip(descriptors, rows, flags, strict=True)
        ]

    def product(self, shared: SharedMemory, operands: list[NDArray], words: list[Any]) -> NDArray:
        """Return A times B in fragments: warp, element, lane. Sums of floats are f32.

        Args:
            shared: Shared memory.
            operands: Places of the operands in shared memory, B last.
            words: Registers of A of each warp, by word and lane; none if A is in shared memory.
        """
        left = shared.data[operands[0]] if not words else _from_fragments(words, self._size)
        tiles = (left, shared.data[operands[-1]])
        a, b = (read_elements(*pair) for pair in zip(tiles, self.elements, strict=True))
        return _to_fragments(a @ b.T)

    def sums(self, words: list[Any] | None, part: NDArray) -> list[Any]:
        """Return the registers of a warp after a product.

        Args:
            words: The registers of the accumulator, 32 bits for each lane; None where the product
                overwrites them.
            part: The fragments of the product: element, lane.
        """
        kind = np.dtype(SUMS[self.total])
        if words is not None:
            pairs = np.array(words).view(kind).reshape(len(words), part.shape[1], -1)
            part = part + pairs.transpose(0, 2, 1).reshape(part.shape).astype(part.dtype)
        rounded = part.astype(kind)
        packed = 4 // kind.itemsize
        rows = rounded.reshape(-1, packed, part.shape[1]).transpose(0, 2, 1)
        return list(np.ascontiguousarray(rows).view(np.uint32)[..., 0])


def read_elements(data: NDArray[np.uint8], element: str) -> NDArray:
    """Return operand elements as numbers whose products the sum is made of."""
    values = np.ascontiguousarray(data).view(ELEMENTS[element])[..., 0]
    if element == "tf32":
        return (values.view(np.uint32) & _TF32_BITS).view(np.float32)
    return values.astype(np.int32 if element in _INTEGERS else np.float32)


def _places(
    shared: SharedMemory, descriptor: int, rows: int, size: int, *, transposed: bool
) -> NDArray:
    """Return the places of the bytes of an operand: row of M or N, k, byte."""
    return shared.index(_addresses(descriptor, rows, size, transposed), size)


@lru_cache(_OPERANDS)
def _addresses(descriptor: int, rows: int, size: int, transposed: bool) -> NDArray[np.int64]:
    """Return the address of each element of an operand: row of M or N, k."""
    start = (descriptor & 0x3FFF) << 4
    leading = (descriptor >> 16 & 0x3FFF) << 4
    stride = (descriptor >> 32 & 0x3FFF) << 4
    if descriptor >> 49 & 7:
        raise UnsupportedError("a matrix descriptor with a base offset")
    span = _SPANS[descriptor >> 62 & 3]
    row, k = np.meshgrid(np.arange(rows), np.arange(STEP_BYTES // size), indexing="ij")
    along, across = (row, k) if transposed else (k, row)
    byte = along * size
    if span and transposed:
        offset = byte // span * leading + across // 8 * stride + across % 8 * span + byte % span
    elif span:
        offset = across // 8 * stride + across % 8 * span + byte
    else:
        steps = (stride, leading) if transposed else (leading, stride)
        offset = byte // 16 * steps[0] + across // 8 * steps[1] + across % 8 * 16 + byte % 16
    return swizzled(start + offset, span)


def _to_fragments(tile: NDArray) -> NDArray:
    """Split a 64 x N tile over 4 warps, N / 2 elements and 32 lanes (PTX ISA, wgmma D)."""
    columns = tile.shape[1]
    parts = tile.reshape(
        4, 2, 8, columns // 8, 4, 2
    )  # warp, half, lane // 4, group, lane % 4, pair
    return parts.transpose(0, 3, 1, 5, 2, 4).reshape(4, columns // 2, 32)


def _from_fragments(words: list[Any], size: int) -> NDArray[np.uint8]:
    """Return A, 64 x K, as bytes of each element (PTX ISA, wgmma A).

    Args:
        words: Of each warp: word, lane.
        size: Bytes of an element.
    """
    parts = np.ascontiguousarray(np.stack(words)).view(np.uint8)
    parts = parts.reshape(4, 2, 2, 8, 4, 4 // size, size)  # warp, column, row, lane, element, byte
    return parts.transpose(0, 2, 3, 1, 4, 5, 6).reshape(64, STEP_BYTES // size, size)
