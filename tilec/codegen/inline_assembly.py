"""Checks of inline assembly that LLVM makes too late: there a mistake ends the process."""

import re

_REGISTER_CODES = frozenset("bchrlqfdN")
"""Register classes of NVPTX: predicate, 8, 16, 32, 64 and 128 bits, float, double, `N` any."""
_REFERENCE = re.compile(r"\$(?:(\d+)|\{(\d+)\}|\$|[(|)]|\{:(?:uid|comment|private)\})?")


def inline_assembly_problem(text: str, constraints: str) -> str | None:
    """Return what is wrong with an inline assembly string, or None.

    Args:
        text: Assembly with operands as `$0`, `${1}` and a literal dollar as `$$`.
        constraints: LLVM's constraint string, for example `=f,r,0,~{memory}`.
    """
    count = 0
    for item in constraints.split(",") if constraints else ():
        if item.startswith("~"):
            continue
        count += 1
        code = item.lstrip("=+&*")
        if code not in _REGISTER_CODES and not code.isdigit():
            return f"NVPTX has no operand constraint '{item}'"
    for match in _REFERENCE.finditer(text):
        number = match[1] or match[2]
        if number is None and match[0] == "$":
            return f"the dollar sign at offset {match.start()} names no operand"
        if number is not None and int(number) >= count:
            return f"'{match[0]}' names no operand: there are {count}"
    return None
