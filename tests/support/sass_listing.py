"""What a SASS listing of nvdisasm says: its instructions, and which of them threads come to."""

import re
from dataclasses import dataclass

_SASS = re.compile(
    r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:\{\s*)?(?:(@!?U?P(?:T|\d+))\s+)?([A-Z][\w.]*)\s*(.*?)\s*;",
    re.MULTILINE,
)
_LABEL = re.compile(r"^(\.L_x_\d+):", re.MULTILINE)
_WAITS = frozenset(
    ("WARPGROUP", "SYNCS", "BAR", "DEPBAR", "MEMBAR", "UCGABAR_WAIT", "ACQBULK", "NANOSLEEP")
)
_BRANCHES = frozenset(("BRA", "BRX", "CALL", "RET", "EXIT"))


@dataclass(frozen=True)
class Instruction:
    """One instruction of a SASS listing: `@!P0 UTMALDG.2D.MULTICAST [UR8], [UR6], UR37`."""

    guard: str
    name: str
    operands: str

    @property
    def base(self) -> str:
        return self.name.split(".")[0]


def instructions(sass: str) -> tuple[Instruction, ...]:
    return tuple(Instruction(*groups) for groups in _SASS.findall(sass))


def stretches(code: tuple[Instruction, ...]) -> list[list[Instruction]]:
    """Return the runs of instructions that neither wait nor branch."""
    found: list[list[Instruction]] = [[]]
    for item in code:
        if item.base in _WAITS or item.base in _BRANCHES:
            found.append([])
        else:
            found[-1].append(item)
    return found


def loops(sass: str) -> list[range]:
    """Return the numbers of the instructions of each loop, from a label to a branch back to it."""
    code, labels = instructions(sass), _labels(sass)
    found = []
    for at, item in enumerate(code):
        label = re.search(r"\.L_x_\d+", item.operands) if item.base == "BRA" else None
        if label is not None and labels[label[0]] <= at:
            found.append(range(labels[label[0]], at + 1))
    return found


def _labels(sass: str) -> dict[str, int]:
    """Return by label the number of the instruction after it."""
    return {label[1]: len(_SASS.findall(sass, 0, label.start())) for label in _LABEL.finditer(sass)}


def reached(sass: str, start: int, without: frozenset[int]) -> set[int]:
    """Return the numbers of the instructions that threads may come to from number `start`.

    Args:
        sass: The listing.
        start: Where they begin.
        without: Instructions that they do not get past.
    """
    code = instructions(sass)
    labels = _labels(sass)
    found: set[int] = set()
    pending = [start]
    while pending:
        at = pending.pop()
        if at in found or at in without:
            continue
        found.add(at)
        item = code[at]
        label = re.search(r"\.L_x_\d+", item.operands) if item.base == "BRA" else None
        if label is not None:
            pending.append(labels[label[0]])
        if item.base not in _BRANCHES or item.guard or "," in item.operands:
            pending.append(at + 1)
    return found
