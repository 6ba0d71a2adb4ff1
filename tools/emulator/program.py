"""Reads PTX into statements: one entry, its parameters, its labels."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from tools.emulator.calls import closing, expand_calls
from tools.emulator.errors import UnsupportedError

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ENTRY = re.compile(r"\.entry\s+(\w+)\s*\((.*?)\)(.*?)\{", re.DOTALL)
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)\s+(?:\.ptr\s.*\s)?(\w+)(?:\[(\d+)\])?$"
)
_BOUND = re.compile(r"\.(reqntid|minnctapersm)\s+([\d\s,]+)")
_TABLE = re.compile(r"\.global\s+\.align\s+\d+\s+\.b8\s+(\w+)\[\d+\]\s*=\s*\{([^}]*)\}\s*;")
_LABEL = re.compile(r"\s*([$%A-Za-z_][\w$]*)\s*:(?!:)")
_GUARD = re.compile(r"@(!?)([%\w.$@]+)\s+")
_NAME = re.compile(r"(?<![\w%$.])[A-Za-z_]\w*(?![\w.:])")
_SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}


@dataclass(frozen=True)
class Statement:
    """One instruction.

    Attributes:
        guard: Predicate register; empty when it is unconditional.
        inverted: Whether it is executed where the predicate is false.
        opcode: Name and its modifiers: `("add", "s32")`.
        operands: The text of each operand; groups in brackets and braces stay whole.
        text: The source, for messages.
    """

    guard: str
    inverted: bool
    opcode: tuple[str, ...]
    operands: tuple[str, ...]
    text: str

    @cached_property
    def name(self) -> str:
        """The opcode with its modifiers, as it is written."""
        return ".".join(self.opcode)

    @cached_property
    def sleeps(self) -> bool:
        """Whether it ends the turn of a warp."""
        return self.opcode[0] == "nanosleep"

    @cached_property
    def converges(self) -> bool:
        """Whether all lanes of a warp that have not returned perform it together."""
        return self.opcode[0] in ("bar", "barrier") or "sync" in self.opcode


@dataclass
class Program:
    """A kernel.

    Attributes:
        name: Of the entry.
        parameters: Offset and size in bytes of each parameter, in order.
        statements: In order.
        labels: Number of the statement after each label.
        tables: Labels that an indirect branch chooses from, by the label of their list.
        constants: Bytes of each array in global memory that the module brings along.
        threads: Threads of a CTA.
        ctas: CTAs that shall fit an SM.
    """

    name: str
    parameters: dict[str, tuple[int, int]] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    tables: dict[str, list[str]] = field(default_factory=dict)
    constants: dict[str, NDArray[np.uint8]] = field(default_factory=dict)
    threads: int = 1024
    ctas: int = 1

    @property
    def reads_clock(self) -> bool:
        """Whether it looks at the time, as debug builds do."""
        return any("%clock64" in statement.operands for statement in self.statements)

    @property
    def parameter_sizes(self) -> list[int]:
        """Bytes of each parameter."""
        return [size for _, size in self.parameters.values()]


def parse(ptx: str) -> Program:
    """Read the one entry of a PTX module."""
    text = expand_calls(_COMMENT.sub("", ptx))
    entry = _ENTRY.search(text)
    if entry is None:
        raise UnsupportedError("there is no entry")
    program = Program(entry[1], _parameters(entry[2]))
    for name, values in _TABLE.findall(text):
        program.constants[name] = np.array([int(item) for item in values.split(",")], np.uint8)
    for name, values in _BOUND.findall(entry[3]):
        number = prod(int(item) for item in values.split(","))
        if name == "reqntid":
            program.threads = number
        else:
            program.ctas = number
    _Reader(program).read(text[entry.end() : text.rindex("}")], {})
    return program


def _parameters(text: str) -> dict[str, tuple[int, int]]:
    """Lay parameters out one after the other, each aligned to 64 bytes."""
    found: dict[str, tuple[int, int]] = {}
    offset = 0
    for item in filter(None, (part.strip() for part in text.split(","))):
        match = _PARAMETER.match(item)
        if match is None:
            raise UnsupportedError(f"parameter '{item}'")
        size = _SIZES[match[1].lstrip("bsuf")] * int(match[3] or 1)
        found[match[2]] = (offset, size)
        offset += -(-size // 64) * 64
    return found


class _Reader:
    """Appends statements to a program; blocks in braces have names of their own."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.blocks = 0

    def read(self, text: str, names: dict[str, str]) -> None:
        """Read the statements of a block, in which `names` stand for others."""
        names = {**names, **self._own_names(text)}
        position, last = 0, ""
        while position < len(text):
            label = _LABEL.match(text, position)
            if label is not None:
                last = names.get(label[1], label[1])
                self.program.labels[last] = len(self.program.statements)
                position = label.end()
            elif text[position] == "{":
                end = closing(text, position)
                self.blocks += 1
                self.read(text[position + 1 : end], names)
                position = end + 1
            elif text[position].isspace() or text[position] == ";":
                position += 1
            else:
                end = text.index(";", position)
                words = text[position:end].split()
                if words[0] == ".branchtargets":
                    self.program.tables[last] = split_operands(" ".join(words[1:]))
                else:
                    self._add(" ".join(words), names)
                position = end + 1

    def _own_names(self, text: str) -> dict[str, str]:
        """Return the labels and the registers without a percent sign of a block in braces."""
        if not self.blocks:
            return {}
        outside = re.sub(r"\{[^{}]*[:;][^{}]*\}", "", text)
        names = re.findall(r"\.reg\s+\.\w+\s+([^;]+);", outside)
        found = [name.strip() for group in names for name in group.split(",")]
        found += re.findall(r"(?:^|[\s;])([A-Za-z_]\w*)\s*:(?!:)", outside)
        return {name: f"{name}@{self.blocks}" for name in found if not name.startswith("%")}

    def _add(self, text: str, names: dict[str, str]) -> None:
        if text.startswith("."):
            return
        if names:
            text = _NAME.sub(lambda match: names.get(match[0], match[0]), text)
        guard = _GUARD.match(text)
        rest = text[guard.end() :] if guard else text
        opcode, _, operands = rest.partition(" ")
        self.program.statements.append(
            Statement(
                guard=guard[2] if guard else "",
                inverted=bool(guard and guard[1]),
                opcode=tuple(opcode.replace("::", "__").split(".")),
                operands=tuple(split_operands(operands)),
                text=text,
            )
        )


def split_operands(text: str) -> list[str]:
    """Split at the commas outside brackets and braces."""
    parts, depth = [], 0
    for part in text.split(","):
        if depth:
            parts[-1] += f",{part}"
        else:
            parts.append(part)
        depth += sum(map(part.count, "[{")) - sum(map(part.count, "]}"))
    return [part.strip() for part in parts if part.strip()]
