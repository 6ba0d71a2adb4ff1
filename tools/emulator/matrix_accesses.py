"""What moves 8x8 matrices between shared memory and registers: `ldmatrix` and `stmatrix`."""

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tools.emulator.errors import UnsupportedError
from tools.emulator.memory import AccessError
from tools.emulator.operands import address, group
from tools.emulator.program import Program, Statement
from tools.emulator.scalar import LANES
from tools.emulator.warp import Action, Mask, Warp

_ROWS = 8
_ROW_BYTES = 16
_BYTES = 2


def _elements(transposed: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the row of each element of a matrix and the places of its bytes: lane, pair, byte."""
    lanes, pair = np.arange(LANES)[:, None, None], np.arange(2)[:, None]
    row, column = lanes // 4, lanes % 4 * 2 + pair
    if transposed:
        row, column = column, row
    return row, column * _BYTES + np.arange(_BYTES)


_STRAIGHT, _TRANSPOSED = _elements(False), _elements(True)


def load(program: Program, statement: Statement) -> Action:
    """Return what `ldmatrix` does."""
    get = _places(program, statement, statement.operands[1], statement.operands[0])
    names = group(statement.operands[0])

    def act(warp: Warp, mask: Mask) -> bool:
        loaded = warp.cta.shared.read(warp.number, get(warp, mask))
        words = loaded.reshape(len(names), LANES, 4).view(np.uint32)[..., 0]
        for name, word in zip(names, words, strict=True):
            warp.write(name, word, mask)
        return True

    return act


def store(program: Program, statement: Statement) -> Action:
    """Return what `stmatrix` does."""
    get = _places(program, statement, statement.operands[0], statement.operands[1])
    names = group(statement.operands[1])

    def act(warp: Warp, mask: Mask) -> bool:
        places = get(warp, mask)
        values = np.stack([warp.read(name, "b32") for name in names])
        stored = values.view(np.uint8).reshape(len(names), LANES, 2, _BYTES)
        warp.cta.shared.write(warp.number, places, stored)
        return True

    return act


def _places(
    program: Program, statement: Statement, at: str, registers: str
) -> Callable[[Warp, Mask], NDArray[np.int64]]:
    """Return what computes the places of the matrices: matrix, lane, pair, byte."""
    rows, count = address(program, at), len(group(registers))
    row, offset = _TRANSPOSED if "trans" in statement.opcode else _STRAIGHT
    if not re.search(r"m8n8\.x[124]", statement.name):
        raise UnsupportedError(statement.text)

    def compute(warp: Warp, mask: Mask) -> NDArray[np.int64]:
        if mask is not None:
            raise AccessError(f"{statement.opcode} by a part of a warp")
        starts = rows(warp)[: _ROWS * count]
        if (starts % _ROW_BYTES).any():
            raise AccessError(f"a row of {statement.opcode} is not aligned to 16 bytes")
        matrices = warp.cta.shared.index(starts, _ROW_BYTES)[:, 0].reshape(-1, _ROWS)
        return matrices[:, row] + offset

    return compute
