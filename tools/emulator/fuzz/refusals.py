"""Which programs tilec may refuse, and why: everything else that it refuses is a defect."""

from tools.emulator.fuzz.program import Program

WITH_FIELDS: dict[str, str] = {
    "T0421": "fields of the plan are drawn one by one, so some contradict each other or the kernel",
    "T0423": "a field fixes how many warpgroups share an accumulator",
    "T0424": "fields fix how many slots the rings have",
    "T0425": "fields fix the registers of the roles",
    "T0551": "fields fix how many slots the rings have",
}
"""Codes that a program may get which fixes fields of the plan, with the reason."""


def is_allowed(code: str, program: Program) -> bool:
    """Tell whether a program may be refused with a code."""
    fixes = set(program.plan) - {"any_tile_extents"}
    return bool(fixes) and code in WITH_FIELDS
