"""mma.sync: products that a warp computes from its registers."""

import re

import numpy as np
from numpy.typing import NDArray

from tools.emulator.errors import UnsupportedError
from tools.emulator.memory import AccessError
from tools.emulator.operands import group, source
from tools.emulator.program import Program, Statement
from tools.emulator.tensor_core import ELEMENTS, STEP_BYTES, SUMS, read_elements
from tools.emulator.warp import Action, Mask, Warp

_NAME = re.compile(r"mma\.sync\.aligned\.m(\d+)n8k(\d+)\.row\.col\.(\w+)\.(\w+)\.(\w+)\.(\w+)")
_TOTALS = {**SUMS, "f64": np.float64}
_DOUBLE_SHAPES = ((8, 4), (16, 4), (16, 8), (16, 16))
"""Rows and K of the products of f64 (PTX ISA, mma)."""


class WarpProduct:
    """One mma.sync: 32 lanes multiply what their registers hold (PTX ISA, fragments of mma)."""

    def __init__(self, name: str) -> None:
        """Read an opcode."""
        match = _NAME.fullmatch(name)
        if match is None or match[3] != match[6] or match[3] not in _TOTALS:
            raise UnsupportedError(name)
        self.rows, self.inner, self.elements = int(match[1]), int(match[2]), (match[4], match[5])
        self.total = np.dtype(_TOTALS[match[3]])
        size = np.dtype(ELEMENTS.get(match[4], np.float64)).itemsize
        shape = (self.rows, self.inner)
        is_double = match[4] == match[5] == "f64" and shape in _DOUBLE_SHAPES
        if not is_double and (self.rows != 16 or self.inner * size != STEP_BYTES):
            raise UnsupportedError(name)

    def product(self, a: NDArray, b: NDArray, c: NDArray) -> NDArray:
        """Return the registers of the sums.

        Args:
            a: Registers of A: register, lane.
            b: Those of B.
            c: Those of the accumulator.
        """
        left = self._matrix(a, self.rows, self.elements[0])
        right = self._matrix(b, 8, self.elements[1])
        product = left @ right.T
        sums = self._sums(c).astype(product.dtype)
        lanes, pair = np.arange(32), np.arange(2)[:, None, None]
        half = np.arange(self.rows // 8)[:, None]
        places = np.broadcast_arrays(lanes // 4 + 8 * half, lanes % 4 * 2 + pair)
        part = product[places[0], places[1]]  # pair, half, lane
        part = part.transpose(1, 0, 2).reshape(-1, 32)  # register by register
        return self._registers((sums + part).astype(self.total), c)

    def _matrix(self, words: NDArray, rows: int, element: str) -> NDArray:
        """Put the registers of an operand together: row, k."""
        if element == "f64":
            parts = words.view(np.float64).reshape(-1, rows // 8, 8, 4)  # of K, of rows, row, quad
            return parts.transpose(1, 2, 0, 3).reshape(rows, -1)
        data = np.ascontiguousarray(words.astype(np.uint32)).view(np.uint8)
        size = np.dtype(ELEMENTS[element]).itemsize
        values = read_elements(data.reshape(*words.shape, -1, size), element)
        packed = values.shape[-1]
        halves = rows // 8
        parts = values.reshape(2, halves, 8, 4, packed)  # of K, of rows, row, quad, element
        return parts.transpose(1, 2, 0, 3, 4).reshape(rows, 8 * packed)

    def _sums(self, words: NDArray) -> NDArray:
        """Return the accumulator: element, lane."""
        values = np.ascontiguousarray(words).view(self.total).reshape(len(words), 32, -1)
        return values.transpose(0, 2, 1).reshape(-1, 32)

    def _registers(self, sums: NDArray, like: NDArray) -> NDArray:
        packed = like.itemsize // self.total.itemsize
        rows = sums.reshape(-1, packed, 32).transpose(0, 2, 1)
        return np.ascontiguousarray(rows).view(like.dtype)[..., 0]


def build(program: Program, statement: Statement) -> Action:
    """Return what performs one `mma.sync`."""
    product = WarpProduct(statement.name)
    kind = "b64" if product.total.itemsize == 8 else "b32"
    targets, *groups = (group(text) for text in statement.operands)
    sources = [[source(program, name, kind) for name in names] for names in groups]

    def act(warp: Warp, mask: Mask) -> bool:
        if mask is not None:
            raise AccessError("mma.sync by a part of a warp")
        a, b, c = (np.stack([get(warp) for get in found]) for found in sources)
        for name, value in zip(targets, product.product(a, b, c), strict=True):
            warp.write(name, value, mask)
        return True

    return act
