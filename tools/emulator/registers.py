"""Registers that warps give back and take: `setmaxnreg`.

A CTA starts with as many registers a thread as its bounds allow. What a warp gives back goes into a
pool of the CTA; one that asks for more than the pool has waits (PTX ISA, setmaxnreg).
"""

from tools.emulator.memory import AccessError
from tools.emulator.operands import source
from tools.emulator.program import Program, Statement
from tools.emulator.warp import Action, Mask, Warp

REGISTER_FILE = 65_536
_LEAST, _MOST, _STEP = 24, 256, 8
_LANES = 32


def at_entry(threads: int, ctas: int) -> int:
    """Return the registers of a thread when its kernel starts.

    Args:
        threads: Of a CTA (`.reqntid`).
        ctas: That shall fit an SM (`.minnctapersm`).
    """
    return min(_MOST - 1, REGISTER_FILE // (threads * ctas)) // _STEP * _STEP


def build(program: Program, statement: Statement) -> Action:
    """Return what performs `setmaxnreg.inc` or `setmaxnreg.dec`."""
    count = int(source(program, statement.operands[0], "u32")(None)[0])  # type: ignore[arg-type]
    takes = "inc" in statement.opcode

    def act(warp: Warp, mask: Mask) -> bool:
        if mask is not None:
            raise AccessError("setmaxnreg by a part of a warp")
        if not _LEAST <= count <= _MOST or count % _STEP:
            raise AccessError(f"setmaxnreg takes 24 to 256 in steps of 8, not {count}")
        cta = warp.cta
        held = at_entry(program.threads, program.ctas) if warp.held is None else warp.held
        if takes and count <= held:  # it has them
            return True
        if not takes and count > held:
            raise AccessError(f"setmaxnreg.dec from {held} to {count}")
        wanted = (count - held) * _LANES
        if wanted > cta.free_registers:
            return False
        cta.free_registers -= wanted
        warp.held = count
        return True

    return act
