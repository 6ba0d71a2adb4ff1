"""Random edits of `.tile` sources: of tokens, lines and characters, and of how deep they nest."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+\.?\d*(?:e[-+]?\d+)?|\"[^\"\n]*\"|'[^'\n]*'|\s+|.", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_NUMBERS = (
    *("0", "-1", "1", "2", "3", "7", "64", "4096", "65536", "2147483647", "2147483648"),
    *("4294967296", "9223372036854775808", "1e308", "1e999", "-0.0", "0x10", "1_0", "1__0", "0b2"),
    *("9" * 100, "9" * 5000, "1e-400", "1j", "0o8", "00", ".5", "5."),
)
_WORDS = (
    *("if", "else", "for", "while", "def", "return", "lambda", "in", "not", "and", "or", "is"),
    *("None", "True", "break", "continue", "pass", "import", "from", "class", "async", "await"),
    *("yield", "global", "del", "try", "with", "match", "case", "assert", "f32", "bf16", "i1"),
    *("load", "store", "mma", "zeros", "grid", "range", "sum", "reduce", "cast", "gather", "inf"),
    *("auto", "const", "dtype", "@", "@kernel", "@function", "->", ":=", "**", "//", "<<", "..."),
    *("*", "(", ")", "[", "]", "{", "}", ",", ":", ";", "\\", "'", '"', '"""', "#", "=", "==", "!"),
    *("f'{x}'", "f'{'", "f'{x!r:>{x}}'", "b''", "x.T", ".shape", ".dtype", "(yield)", "A[0]"),
)
_CHARACTERS = (
    *("\0", "\x0c", "\x1a", "\t", "\r", "\r\n", "\v", "\x1b[31m", "\u00a0", "\u2028", "\u3000"),
    *("\u00e9", "\u4e16", "\U0001f600", "\u202e", "\ufeff", "\u0661", "\uff11", "\u00b2", "\u2212"),
    *("\u037e", "\u01c5", "\u0301", "\u200b", "\ud7ff", "\uffff"),
)
_DEPTHS = (3, 50, 120, 1000, 20_000)

Edit = Callable[[Random, str, Sequence[str]], str]


def sources() -> list[str]:
    """Return the sources that are edited: examples, and single kernels of the tests."""
    found = [path.read_text() for path in sorted((ROOT / "examples").glob("*.tile"))]
    for path in sorted((ROOT / "tests" / "kernels").glob("*.tile")):
        head, *kernels = re.split(r"(?m)^(?=@kernel)", path.read_text())
        found += [head + kernel for kernel in kernels]
    return found


def edited(chance: Random, texts: Sequence[str]) -> str:
    """Return one of the sources after one to four edits."""
    text = chance.choice(texts)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        text = chance.choice(EDITS)(chance, text, texts)
    return text


def tokens(text: str) -> list[str]:
    """Return the words, numbers, strings, blanks and signs of a source."""
    return _TOKEN.findall(text)


def _places(found: list[str]) -> list[int]:
    return [place for place, token in enumerate(found) if not token.isspace()] or [0]


def _drop_tokens(chance: Random, text: str, texts: Sequence[str]) -> str:
    found = tokens(text) or [""]
    start = chance.choice(_places(found))
    del found[start : start + chance.choice((1, 1, 1, 2, 5))]
    return "".join(found)


def _swap_tokens(chance: Random, text: str, texts: Sequence[str]) -> str:
    found = tokens(text) or [""]
    one, other = (chance.choice(_places(found)) for _ in range(2))
    found[one], found[other] = found[other], found[one]
    return "".join(found)


def _other_token(chance: Random, text: str, texts: Sequence[str]) -> str:
    found = tokens(text) or [""]
    donors = [*tokens(chance.choice(texts)), *_WORDS[: chance.choice((1, len(_WORDS)))]]
    found[chance.choice(_places(found))] = chance.choice(donors)
    return "".join(found)


def _more_tokens(chance: Random, text: str, texts: Sequence[str]) -> str:
    found = tokens(text) or [""]
    found.insert(chance.choice(_places(found)), f" {chance.choice(_WORDS)} ")
    return "".join(found)


def _other_name(chance: Random, text: str, texts: Sequence[str]) -> str:
    """Put one name of the source in the place of another one."""
    found = tokens(text) or [""]
    names = [place for place, token in enumerate(found) if token.isidentifier()] or [0]
    found[chance.choice(names)] = found[chance.choice(names)]
    return "".join(found)


def _other_number(chance: Random, text: str, texts: Sequence[str]) -> str:
    found = list(_NUMBER.finditer(text))
    if not found:
        return text + chance.choice(_NUMBERS)
    place = chance.choice(found)
    return text[: place.start()] + chance.choice(_NUMBERS) + text[place.end() :]


def _characters(chance: Random, text: str, texts: Sequence[str]) -> str:
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice(_CHARACTERS) + text[place:]


def _cut(chance: Random, text: str, texts: Sequence[str]) -> str:
    return text[: chance.randrange(len(text) + 1)]


def _lines(chance: Random, text: str, texts: Sequence[str]) -> str:
    """Drop, repeat, move, indent or borrow a line."""
    found = text.splitlines(keepends=True) or [""]
    place = chance.randrange(len(found))
    kind = chance.randrange(5)
    if kind == 0:
        del found[place]
    elif kind == 1:
        found[place] *= chance.choice((2, 3, 50))
    elif kind == 2:
        found.insert(chance.randrange(len(found)), found.pop(place))
    elif kind == 3:
        found[place] = chance.choice((" ", "    ", "\t", " " * 3000)) + found[place]
    else:
        found.insert(place, chance.choice(chance.choice(texts).splitlines(keepends=True) or [""]))
    return "".join(found)


def _nested(chance: Random, text: str, texts: Sequence[str]) -> str:
    """Nest an expression, or blocks, deeper than anyone does."""
    deep = chance.choice(_DEPTHS)
    found = tokens(text) or [""]
    place = chance.choice(_places(found))
    token = found[place]
    found[place] = chance.choice(
        (
            "(" * deep + token + ")" * deep,
            "[" * deep + token,
            "-" * deep + token,
            "not " * deep + token,
            " + ".join([token] * deep),
            " ** ".join([token] * min(deep, 1000)),
            " if x else ".join([token] * deep),
            "lambda: " * deep + token,
            "exp(" * deep + token + ")" * deep,
            token + ".T" * deep,
            token + "[None]" * deep,
            token * min(deep, 5000),
            "".join(f"\n{' ' * (4 + i)}if True:" for i in range(min(deep, 500))) + token,
        )
    )
    return "".join(found)


EDITS: tuple[Edit, ...] = (
    *(_drop_tokens, _drop_tokens, _swap_tokens, _swap_tokens, _other_token, _other_token),
    *(_more_tokens, _other_name, _other_name, _other_name, _other_number, _other_number),
    *(_characters, _cut, _lines, _lines, _nested),
)
"""All edits; those that stand here more often are made more often."""
