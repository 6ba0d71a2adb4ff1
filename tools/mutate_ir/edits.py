"""Random edits of text that looks like IR.

Each takes a source of chance, lines, and other dumps. Most edits end at the parser; those of
`tools.mutate_ir.typed_edits` leave something that parses, and so reach passes.
"""

import re
from collections.abc import Callable, Sequence
from random import Random

from tools.mutate_ir.typed_edits import TYPED_EDITS, Edit, Lines

_INTEGER = re.compile(r"(?<![\w.%#])-?\d+(?![\w.])")
_VALUE = re.compile(r"%[\w.]+(?:#\d+)?(?::\d+)?")
_TYPE = re.compile(r"\b(?:[ifu]\d+|bf16|f\d+|index|[bsu]\d+|pred|float|half|bfloat|ptr|double)\b")
_ATTRIBUTE = re.compile(r"[\w.]+ = (?:\"[^\"]*\"|[-\w.]+(?: : \w+)?|\[[^][]*\]|array<[^<>]*>)")
_OPERAND = re.compile(r"(?<=[(,])\s*%[\w.#]+\s*(?=[,)])")
_STRING = re.compile(r"\"[^\"\n]*\"")
_TOKEN = re.compile(r"[\w.%#@!]+|\S")
_TYPES = (
    *("i1", "i8", "i16", "i32", "i64", "i128", "i16777215", "index", "none", "f16", "bf16", "f32"),
    *(
        "f64",
        "f8E4M3FN",
        "tf32",
        "()",
        "tensor<4xf32>",
        "tensor<*xf32>",
        "memref<?xf32>",
        "!llvm.ptr",
    ),
    *("!cuda_tile.token", "!cuda_tile.tile<3x5xf32>", "!cuda_tile.tile<f32>", "!nv_tileas.ring"),
    *("vector<4xi32>", "complex<f32>", "tuple<>", "!llvm.struct<(i32)>", "b64", "pred", "double"),
)
_NUMBERS = (
    *(0, 1, -1, 2, 3, 5, 7, 8, 16, 255, 2**15, 2**16, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**32),
    *(2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**31), -(2**63), -(2**63) - 1, 10**40),
)
_GARBAGE = (
    *(
        "\0",
        "\x1b[31m",
        "\u00e9\u4e16\U0001f600",
        "\u202e",
        "\ufeff",
        '"',
        "'",
        "}",
        "{",
        ")",
        "(",
        ">",
    ),
    *(
        "<",
        "]",
        "[",
        "//",
        "/*",
        "#",
        "!",
        "%",
        "@",
        "^bb9:",
        "\\",
        "\\00",
        "0x",
        "-",
        "->",
        ":",
        "=",
    ),
    *("1e999999", "nan", "0xFFFFFFFFFFFFFFFFFF", "loc(unknown)", "!", "#x", "unit", "dense<>", "?"),
)
_NESTS = (
    ("[", "]"),
    ("(", ")"),
    ("{", "}"),
    ("tuple<", ">"),
    ("tensor<4x", ">"),
    ("array<", ">"),
    ("-", ""),
)
_DEPTHS = (3, 60, 2000, 100_000)


def _line(chance: Random, lines: Lines) -> int:
    return chance.randrange(len(lines))


def delete_line(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Drop a line, or a few."""
    start = _line(chance, lines)
    return lines[:start] + lines[start + chance.choice((1, 1, 1, 2, 5)) :]


def duplicate_line(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Repeat a line, or a few."""
    start = _line(chance, lines)
    block = lines[start : start + chance.choice((1, 1, 1, 2, 5, 40))]
    return lines[:start] + block * chance.choice((2, 2, 3)) + lines[start + len(block) :]


def move_line(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Move a line, near or far."""
    source = _line(chance, lines)
    rest = lines[:source] + lines[source + 1 :]
    near = source + chance.choice((-3, -2, -1, 1, 2, 3))
    target = chance.choice((near, chance.randrange(len(rest) + 1)))
    target = min(max(target, 0), len(rest))
    return [*rest[:target], lines[source], *rest[target:]]


def swap_lines(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Exchange two lines."""
    one, two = _line(chance, lines), _line(chance, lines)
    lines[one], lines[two] = lines[two], lines[one]
    return lines


def splice(chance: Random, lines: Lines, others: Sequence[str]) -> Lines:
    """Insert lines of another dump."""
    other = chance.choice(others).split("\n")
    start, target = _line(chance, other), _line(chance, lines)
    return lines[:target] + other[start : start + chance.choice((1, 1, 3, 20))] + lines[target:]


def truncate(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Cut the text off in the middle of a line."""
    last = _line(chance, lines)
    return [*lines[:last], lines[last][: chance.randrange(len(lines[last]) + 1)]]


def _replace(
    chance: Random, lines: Lines, pattern: re.Pattern[str], new: Callable[[str], str]
) -> Lines:
    """Replace one match of a pattern: in a random line, or any in the text with equal chance."""
    candidates = [index for index, line in enumerate(lines) if pattern.search(line)]
    if not candidates:
        return lines
    if chance.random() < 0.5:
        index = chance.choice(candidates)
        match = chance.choice(list(pattern.finditer(lines[index])))
    else:
        found = [(index, item) for index in candidates for item in pattern.finditer(lines[index])]
        index, match = chance.choice(found)
    line = lines[index]
    lines[index] = line[: match.start()] + new(match[0]) + line[match.end() :]
    return lines


def change_integer(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Give a number another value, often an extreme one."""

    def new(text: str) -> str:
        value = int(text)
        near = (value + 1, value - 1, value * 2, value // 2, -value)
        return str(chance.choice(near if chance.random() < 0.4 else _NUMBERS))

    return _replace(chance, lines, _INTEGER, new)


def rename_value(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Use or define another value."""
    names = _VALUE.findall("\n".join(lines)) or ["%0"]
    return _replace(chance, lines, _VALUE, lambda _: chance.choice(names))


def renumber_value(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Take another result of an operation, or give it more results."""
    mark = chance.choice("##:")
    return _replace(
        chance,
        lines,
        _VALUE,
        lambda text: f"{re.split('[#:]', text)[0]}{mark}{chance.choice(_NUMBERS)}",
    )


def change_type(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Put another type in the place of one."""
    return _replace(chance, lines, _TYPE, lambda _: chance.choice(_TYPES))


def change_attribute(chance: Random, lines: Lines, others: Sequence[str]) -> Lines:
    """Drop an attribute, repeat it, or put one from another dump in its place."""
    known = _ATTRIBUTE.findall(chance.choice(others)) or ["x = 1"]

    def new(text: str) -> str:
        name, _, value = text.partition(" = ")
        other = chance.choice(known).partition(" = ")[2]
        values = (
            '"x"',
            "unit",
            "[]",
            "{}",
            "-1 : i64",
            "1.5 : f32",
            "@f",
            "i32",
            "dense<1> : tensor<4xi32>",
        )
        return chance.choice(
            (
                "",
                f"{text}, {text}",
                chance.choice(known),
                f"{name} = {other}",
                f"{name} = {chance.choice(values)}",
                f"{name}x = {value}",
            )
        )

    return _replace(chance, lines, _ATTRIBUTE, new)


def change_operand(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Drop an operand, or repeat it."""
    return _replace(
        chance, lines, _OPERAND, lambda text: chance.choice(("", f"{text}, {text}", f"{text},"))
    )


def change_string(chance: Random, lines: Lines, others: Sequence[str]) -> Lines:
    """Put another string, such as the name of an operation, in the place of one."""
    known = _STRING.findall(chance.choice(others)) or ['""']
    return _replace(
        chance, lines, _STRING, lambda _: chance.choice((*chance.choices(known, k=4), '""'))
    )


def change_token(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Drop a word, repeat it, or cut it short."""
    return _replace(
        chance,
        lines,
        _TOKEN,
        lambda text: chance.choice(("", f"{text} {text}", text[:-1], text[::-1])),
    )


def insert_garbage(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Insert characters that mean nothing here."""
    index = _line(chance, lines)
    column = chance.randrange(len(lines[index]) + 1)
    text = chance.choice(_GARBAGE)
    lines[index] = lines[index][:column] + text + lines[index][column:]
    return lines


def nest_deeply(chance: Random, lines: Lines, _: Sequence[str]) -> Lines:
    """Put a word into many brackets."""
    opening, closing = chance.choice(_NESTS)
    depth = chance.choice(_DEPTHS)
    return _replace(chance, lines, _TOKEN, lambda text: opening * depth + text + closing * depth)


EDITS: tuple[Edit, ...] = (
    delete_line,
    duplicate_line,
    move_line,
    swap_lines,
    splice,
    truncate,
    change_integer,
    change_integer,
    change_integer,
    rename_value,
    rename_value,
    renumber_value,
    change_type,
    change_attribute,
    change_attribute,
    change_operand,
    change_string,
    change_token,
    insert_garbage,
    nest_deeply,
    *TYPED_EDITS,
    *TYPED_EDITS,
)
"""Some twice: what they edit has more ways to be wrong."""


def edit(chance: Random, text: str, others: Sequence[str]) -> tuple[str, str]:
    """Return an edited text, and the names of the edits.

    Args:
        chance: Decides; equal sources of chance make equal edits.
        text: A dump.
        others: Other dumps.
    """
    names = []
    lines = text.split("\n")
    for _ in range(chance.choice((1, 1, 1, 1, 2, 3))):
        change = chance.choice(EDITS)
        names.append(change.__name__)
        lines = change(chance, lines, others) or [""]
    return "\n".join(lines), "+".join(names)
