"""What tensor cores do: wgmma on descriptors, and the matrix moves of a warp."""

import re
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tools.emulator.errors import UnsupportedError
from tools.emulator.memory import SharedMemory, swizzled

_SHAPE = re.compile(r"m64n(\d+)k16")
_SPANS = (0, 128, 64, 32)
"""Bytes of the swizzle by the code in bits 62 and 63 (PTX ISA, matrix descriptor format)."""
_ELEMENTS: dict[str, Any] = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}
_K = 16
_BYTES = 2


@dataclass(frozen=True)
class Wgmma:
    """One wgmma with f32 accumulators and operands in shared memory.

    Attributes:
        columns: N.
        element: Type of the operands.
        transposed: Whether A, and whether B, has M or N contiguous.
    """

    columns: int
    element: str
    transposed: tuple[bool, bool]

    @classmethod
    def of(cls, opcode: tuple[str, ...], immediates: tuple[str, ...]) -> "Wgmma":
        """Read the opcode, and the immediates: all that follows scale-d."""
        shape = next(filter(None, map(_SHAPE.fullmatch, opcode)), None)
        scales = tuple(map(int, immediates[:2]))
        if shape is None or opcode[-3] != "f32" or opcode[-1] not in _ELEMENTS or scales != (1, 1):
            raise UnsupportedError(".".join(opcode))
        return cls(int(shape[1]), opcode[-1], (immediates[2] == "1", immediates[3] == "1"))

    def operands(
        self, shared: SharedMemory, a: int, b: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the places of the elements of A (64 x 16) and of B (N x 16) in shared memory."""
        return (
            _places(shared, a, 64, transposed=self.transposed[0]),
            _places(shared, b, self.columns, transposed=self.transposed[1]),
        )

    def product(self, shared: SharedMemory, a: NDArray, b: NDArray) -> NDArray[np.float32]:
        """Return A times B in fragments: warp, register, lane."""
        kind = _ELEMENTS[self.element]
        left, right = (shared.data[item].view(kind)[..., 0].astype(np.float32) for item in (a, b))
        return _to_fragments(left @ right.T)


def _places(shared: SharedMemory, descriptor: int, rows: int, *, transposed: bool) -> NDArray:
    """Return the places of the bytes of an operand: row of M or N, k, byte."""
    start = (descriptor & 0x3FFF) << 4
    leading = (descriptor >> 16 & 0x3FFF) << 4
    stride = (descriptor >> 32 & 0x3FFF) << 4
    if descriptor >> 49 & 7:
        raise UnsupportedError("a matrix descriptor with a base offset")
    span = _SPANS[descriptor >> 62 & 3]
    row, k = np.meshgrid(np.arange(rows), np.arange(_K), indexing="ij")
    along, across = (row, k) if transposed else (k, row)
    byte = along * _BYTES
    if span and transposed:
        offset = byte // span * leading + across // 8 * stride + across % 8 * span + byte % span
    elif span:
        offset = across // 8 * stride + across % 8 * span + byte
    else:
        steps = (stride, leading) if transposed else (leading, stride)
        offset = byte // 16 * steps[0] + across // 8 * steps[1] + across % 8 * 16 + byte % 16
    return shared.index(swizzled(start + offset, span), _BYTES)


def _to_fragments(tile: NDArray[np.float32]) -> NDArray[np.float32]:
    """Split a 64 x N tile over 4 warps, N / 2 registers and 32 lanes (PTX ISA, wgmma D)."""
    columns = tile.shape[1]
    parts = tile.reshape(
        4, 2, 8, columns // 8, 4, 2
    )  # warp, half, lane // 4, group, lane % 4, pair
    return parts.transpose(0, 3, 1, 5, 2, 4).reshape(4, columns // 2, 32)


def matrix_places(shared: SharedMemory, rows: NDArray) -> NDArray[np.int64]:
    """Return the places of 8x8 matrices of 16 bits: matrix, lane, pair, byte.

    Args:
        shared: Shared memory.
        rows: Address of each row of 8 elements: matrix times 8 and row.
    """
    lanes, pair, byte = np.arange(32)[:, None, None], np.arange(2)[:, None], np.arange(_BYTES)
    starts = shared.index(rows, 16)[:, 0].reshape(-1, 8)
    return starts[:, lanes // 4] + (lanes % 4 * 2 + pair) * _BYTES + byte


def transposed_places(shared: SharedMemory, rows: NDArray) -> NDArray[np.int64]:
    """Return the same for matrices that are transposed on the way."""
    lanes, pair, byte = np.arange(32)[:, None, None], np.arange(2)[:, None], np.arange(_BYTES)
    starts = shared.index(rows, 16)[:, 0].reshape(-1, 8)
    return starts[:, lanes % 4 * 2 + pair] + lanes // 4 * _BYTES + byte
