"""Arithmetic on integers that are longer than a register: instructions with a carry bit.

`add.cc`, `sub.cc` and `mad.lo.cc` set it, `addc`, `subc` and `madc` take it, too (PTX ISA,
"Extended-Precision Integer Arithmetic Instructions").
"""

from typing import Any

import numpy as np

from tools.emulator.errors import UnsupportedError
from tools.emulator.operands import source
from tools.emulator.program import Program, Statement
from tools.emulator.warp import Action, Mask, Warp

NAMES = ("add", "addc", "sub", "subc", "mad", "madc")
_LOW = np.uint64(0xFFFF_FFFF)


def carries(statement: Statement) -> bool:
    """Tell whether a statement has to do with the carry bit."""
    return statement.opcode[0] in ("addc", "subc", "madc") or "cc" in statement.opcode


def build(program: Program, statement: Statement) -> Action:
    """Return what performs one of these instructions on 32 bits."""
    name, kind = statement.opcode[0], statement.opcode[-1]
    if name not in NAMES or kind not in ("u32", "s32", "b32"):
        raise UnsupportedError(statement.text)
    target, *texts = statement.operands
    sources = [source(program, text, "u32") for text in texts]
    takes, sets = name.endswith("c"), "cc" in statement.opcode
    high = "hi" in statement.opcode

    def act(warp: Warp, mask: Mask) -> bool:
        values = [get(warp).astype(np.uint64) for get in sources]
        carry = warp.carry if takes and warp.carry is not None else np.zeros(32, np.uint64)
        total, out = _COMPUTE[name.removesuffix("c")](values, carry, high)
        if sets:
            old = np.zeros(32, np.uint64) if warp.carry is None else warp.carry
            warp.carry = out if mask is None else np.where(mask, out, old)
        warp.write(target, total.astype(np.uint32), mask)
        return True

    return act


def _add(values: list[Any], carry: Any, high: bool) -> tuple[Any, Any]:
    total = values[0] + values[1] + carry
    return total & _LOW, total >> np.uint64(32)


def _subtract(values: list[Any], carry: Any, high: bool) -> tuple[Any, Any]:
    total = values[0] - values[1] - carry
    return total & _LOW, (total >> np.uint64(32)) & np.uint64(1)


def _multiply(values: list[Any], carry: Any, high: bool) -> tuple[Any, Any]:
    product = values[0] * values[1]
    part = product >> np.uint64(32) if high else product & _LOW
    return _add([part, values[2]], carry, high)


_COMPUTE = {"add": _add, "sub": _subtract, "mad": _multiply}
