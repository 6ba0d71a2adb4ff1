"""Atomic operations: lanes one after the other where they meet at an address."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tools.emulator.errors import UnsupportedError
from tools.emulator.operands import address, group, source
from tools.emulator.program import Program, Statement
from tools.emulator.scalar import LANES
from tools.emulator.spaces import read_bytes, space_of, write_bytes
from tools.emulator.warp import ALL, Action, Mask, Warp

COMBINATIONS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
"""What becomes of an element and of another one, by the word of the instruction; TMA has them, too.
The operands have the element type of the instruction, or of the tensor map, and so its sign."""
_CHANGES: dict[str, Callable[..., Any]] = {
    **COMBINATIONS,
    "exch": lambda old, new: new,
    "cas": lambda old, expected, new: np.where(old == expected, new, old),
}
"""What an atomic operation makes of what it finds, and of its operands."""


def atomic(program: Program, statement: Statement) -> Action:
    """Build `atom` and `red`: the elements of a vector one after the other.

    Lanes do so, too, where any of them have the same address.
    """
    kind, space = statement.opcode[-1], space_of(statement)
    change = next((_CHANGES[word] for word in statement.opcode if word in _CHANGES), None)
    operands = statement.operands if statement.opcode[0] == "atom" else ("_", *statement.operands)
    if change is None:
        raise UnsupportedError(statement.text)
    target, get = operands[0], address(program, operands[1])
    rows = [
        [source(program, text, kind) for text in row]
        for row in zip(*(group(operand) for operand in operands[2:]), strict=True)
    ]

    def act(warp: Warp, mask: Mask) -> bool:
        at, old = get(warp).astype(np.uint64), np.zeros(LANES, np.uint8)
        lanes = np.nonzero(ALL if mask is None else mask)[0]
        for number, row in enumerate(rows):
            values = [read(warp) for read in row]
            old = np.zeros(LANES, values[0].dtype)
            apart = np.unique(at[lanes]).size == lanes.size
            for some in [lanes] if apart else lanes[:, None]:
                here = at[some] + np.uint64(number * old.itemsize)
                old[some] = read_bytes(warp, space, here, old.itemsize).view(old.dtype)[:, 0]
                new = change(old[some], *(value[some] for value in values))
                write_bytes(warp, space, here, new.astype(old.dtype)[:, None].view(np.uint8))
        warp.write(target, old, mask)
        return True

    return act
