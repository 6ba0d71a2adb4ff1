"""State spaces: which one an instruction names, and the bytes at addresses in it."""

from typing import Any

import numpy as np

from tools.emulator.errors import UnsupportedError
from tools.emulator.memory import AccessError
from tools.emulator.program import Statement
from tools.emulator.scalar import Lanes
from tools.emulator.warp import Warp


def space_of(statement: Statement) -> str:
    """Return the state space that a memory instruction names."""
    spaces = ("shared", "shared__cta", "global", "local", "param")
    found = [word for word in statement.opcode if word in spaces]
    if not found:
        raise UnsupportedError(statement.text)
    return found[0].removesuffix("__cta")


def read_bytes(warp: Warp, space: str, at: Lanes, size: int) -> Any:
    """Return `size` bytes at each address of a state space."""
    if space == "shared":
        return warp.cta.shared.read(warp.number, warp.cta.shared.index(at, size))
    if space == "global":
        return warp.cta.run.memory.read(at.view(np.uint64), size)
    raise AccessError(f"no reads of {space} memory by lanes")


def write_bytes(warp: Warp, space: str, at: Lanes, data: Any) -> None:
    """Write `data` at each address of a state space."""
    if space == "shared":
        shared = warp.cta.shared
        shared.write(warp.number, shared.index(at, data.shape[1]), data)
    else:
        warp.cta.run.memory.write(at, data)
