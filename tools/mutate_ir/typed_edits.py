"""Random edits that know the generic form of MLIR: most of what they leave parses."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

Lines = list[str]
Edit = Callable[[Random, Lines, Sequence[str]], Lines]

_OPERATION = re.compile(
    r"^(?P<head> *(?:(?P<results>%\w+)(?::\d+)? = )?\"[\w.]+\"\()(?P<operands>[^()]*)\)"
    r"(?P<middle>.*) : \((?P<types>.*)\) -> (?P<made>.*)$"
)
_ATTRIBUTES = re.compile(r"\{([^{}]*)\}")
_ELEMENTS = re.compile(r"(?<=: )-?\d+(?:, -?\d+)+(?=>)|(?<=\[)-?\d+(?:, -?\d+)+(?=\])")
_NUMBER = re.compile(r"(?<== )-?\d+(?= : i\d+)|(?<=arith.constant )-?\d+")
_CLOSING = {"(": ")", "<": ">", "[": "]", "{": "}"}
_VALUES = (0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 32, 64, 128, 256, 1024, -1, -2, 4096, 65536, 2**31 - 1)


@dataclass(frozen=True)
class Operation:
    """A line with an operation in generic form, taken apart."""

    line: int
    head: str
    operands: list[str]
    middle: str
    types: list[str]
    made: str

    def text(self) -> str:
        """Return the line."""
        operands, types = ", ".join(self.operands), ", ".join(self.types)
        return f"{self.head}{operands}){self.middle} : ({types}) -> {self.made}"


def split_top(text: str) -> list[str]:
    """Split at the commas outside brackets."""
    parts, depth, current = [], 0, ""
    for number, char in enumerate(text):
        arrow = char == ">" and text[number - 1 : number] == "-"
        depth += (char in _CLOSING) - (char in _CLOSING.values() and not arrow)
        if char == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    return [part for part in [*parts, current.strip()] if part]


def operations(lines: Lines) -> Iterator[Operation]:
    """Yield the operations that stand on one line each."""
    for number, line in enumerate(lines):
        match = _OPERATION.match(line)
        if match is None:
            continue
        operands, types = split_top(match["operands"]), split_top(match["types"])
        if len(operands) == len(types):
            made = match["made"]
            yield Operation(number, match["head"], operands, match["middle"], types, made)


def use_another_value(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Put a value of the same type in the place of an operand."""
    known: dict[str, set[str]] = {}
    found = [op for op in operations(lines) if op.operands]
    if not found:
        return lines
    for op in found:
        for value, kind in zip(op.operands, op.types, strict=True):
            known.setdefault(kind, set()).add(value)
    op = chance.choice(found)
    position = chance.randrange(len(op.operands))
    op.operands[position] = chance.choice(sorted(known[op.types[position]]))
    lines[op.line] = op.text()
    return lines


def swap_operands(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Exchange two operands of an operation, with their types."""
    found = [op for op in operations(lines) if len(op.operands) > 1]
    if not found:
        return lines
    op = chance.choice(found)
    one, two = chance.sample(range(len(op.operands)), 2)
    for row in (op.operands, op.types):
        row[one], row[two] = row[two], row[one]
    lines[op.line] = op.text()
    return lines


def drop_operand(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Take an operand and its type from an operation, or repeat it."""
    found = [op for op in operations(lines) if op.operands]
    if not found:
        return lines
    op = chance.choice(found)
    position = chance.randrange(len(op.operands))
    repeat = chance.random() < 0.3
    for row in (op.operands, op.types):
        row[position : position + 1] = [row[position]] * 2 if repeat else []
    lines[op.line] = op.text()
    return lines


def drop_effect(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Drop an operation without results, repeat it, or move it by some lines."""
    found = [op.line for op in operations(lines) if "%" not in op.head]
    if not found:
        return lines
    source = chance.choice(found)
    rest = lines[:source] + lines[source + 1 :]
    action = chance.randrange(3)
    if action == 0:
        return rest
    target = source + chance.choice((-6, -3, -2, -1, 1, 2, 3, 6))
    target = min(max(target, 0), len(rest))
    return [
        *(lines if action == 1 else rest)[:target],
        lines[source],
        *(lines if action == 1 else rest)[target:],
    ]


def drop_attribute(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Drop an attribute of an operation."""
    found = [
        (op.line, match)
        for op in operations(lines)
        for match in _ATTRIBUTES.finditer(lines[op.line])
    ]
    if not found:
        return lines
    index, match = chance.choice(found)
    kept = split_top(match[1])
    kept.pop(chance.randrange(len(kept))) if kept else None
    line = lines[index]
    lines[index] = f"{line[: match.start()]}{{{', '.join(kept)}}}{line[match.end() :]}"
    return lines


def _change(
    chance: Random, lines: Lines, pattern: re.Pattern[str], new: Callable[[str], str]
) -> Lines:
    found = [(index, match) for index, line in enumerate(lines) for match in pattern.finditer(line)]
    if found:
        index, match = chance.choice(found)
        line = lines[index]
        lines[index] = line[: match.start()] + new(match[0]) + line[match.end() :]
    return lines


def change_elements(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Change, drop, repeat or shuffle the elements of an array of numbers."""

    def new(text: str) -> str:
        items = text.split(", ")
        position = chance.randrange(len(items))
        action = chance.randrange(4)
        if action == 0:
            items[position] = str(chance.choice(_VALUES))
        elif action == 1:
            items.pop(position)
        elif action == 2:
            items.insert(position, items[position])
        else:
            chance.shuffle(items)
        return ", ".join(items)

    return _change(chance, lines, _ELEMENTS, new)


def change_number(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Give an attribute or a constant another value that its type can hold."""

    def new(text: str) -> str:
        value = int(text)
        near = (value + 1, value - 1, value * 2, value // 2)
        return str(chance.choice((*near, *chance.sample(_VALUES, 4))))

    return _change(chance, lines, _NUMBER, new)


def change_shape(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Change one extent everywhere: shapes stay consistent where they can."""
    extents = re.findall(r"(?<=[<x])\d+(?=x)", "\n".join(lines))
    if not extents:
        return lines
    old, new = chance.choice(extents), str(chance.choice(_VALUES))
    return [re.sub(rf"(?<=[<x]){old}(?=x)", new, line) for line in lines]


def change_element_type(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Change an element type everywhere."""
    kinds = ("bf16", "f16", "f32", "f64", "i8", "i16", "i32", "i64", "f8E4M3FN", "i1", "tf32")
    old, new = chance.choice(kinds[:3]), chance.choice(kinds)
    return [re.sub(rf"(?<=[x<]){old}(?=[>,])", new, line) for line in lines]


TYPED_EDITS: tuple[Edit, ...] = (
    use_another_value,
    use_another_value,
    swap_operands,
    drop_operand,
    drop_effect,
    drop_effect,
    drop_attribute,
    change_elements,
    change_number,
    change_number,
    change_shape,
    change_element_type,
)
