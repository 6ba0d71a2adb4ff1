"""Checks of inline assembly that LLVM makes too late: there a mistake ends the process."""

import re
from functools import lru_cache

_REGISTER_CODES = frozenset("bchrlqfdN")
"""Register classes of NVPTX: predicate, 8, 16, 32, 64 and 128 bits, float, double, `N` any."""
_IMMEDIATE_CODES = frozenset("ni")
_CODES = _REGISTER_CODES | _IMMEDIATE_CODES
_REFERENCE = re.compile(r"\$\d+|\$\{\d+\}")
_STRAY_DOLLAR = re.compile(r"\$(?!\d|\{\d+\}|[(|)]|\{:(?:uid|comment|private)\})")


@lru_cache(maxsize=256)
def inline_assembly_problem(
    text: str, constraints: str, is_constant: tuple[bool, ...]
) -> str | None:
    """Return what is wrong with an inline assembly string, or None.

    Args:
        text: Assembly with operands as `$0`, `${1}` and a literal dollar as `$$`.
        constraints: LLVM's constraint string, for example `=f,r,0,~{memory}`.
        is_constant: For every input operand, whether it is known at compile time.
    """
    items = [item for item in constraints.split(",") if item and not item.startswith("~")]
    inputs = iter(is_constant)
    for item in items:
        constant = False if item.startswith("=") else next(inputs, False)
        code = item.lstrip("=+&*")
        if code in _IMMEDIATE_CODES and not constant:
            return f"constraint '{item}' needs a constant"
        if code not in _CODES and not code.isdigit():
            return f"NVPTX has no operand constraint '{item}'"
    unescaped = text.replace("$$", "  ")
    stray = _STRAY_DOLLAR.search(unescaped)
    if stray is not None:
        return f"the dollar sign at offset {stray.start()} names no operand"
    # wgmma names every register many times; once each will do.
    for reference in dict.fromkeys(_REFERENCE.findall(unescaped)):
        if int(reference.strip("${}")) >= len(items):
            return f"'{reference}' names no operand: there are {len(items)}"
    return None
