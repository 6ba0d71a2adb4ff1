"""Writes the body of a PTX function wherever it is called, with registers and labels of its own."""

import re

from tools.emulator.errors import UnsupportedError

_DECLARED = (
    r"\.func\s*\(\s*\.param\s+(?:\.align\s+\d+\s+)?\.\w+\s+(?P<result>\w+)(?:\[\d+\])?\s*\)\s*"
    r"(?P<name>\w+)\s*\((?P<parameters>[^)]*)\)\s*"
)
_FUNCTION = re.compile(_DECLARED + r"\{")
_PROTOTYPE = re.compile(_DECLARED + ";")
_CALL = re.compile(
    r"\{(?P<before>[^{}]*?)call\.uni\s*\((?P<result>\w+)\)\s*,\s*(?P<name>\w+)\s*,\s*"
    r"\((?P<arguments>[^)]*)\)\s*;(?P<rest>[^{}]*?)\}"
)
_STORED = re.compile(r"st\.param\.\w+\s+\[(\w+)\]\s*,\s*([^;]+?)\s*;")
_REGISTER = re.compile(r"(%[a-z]+)(\d+)\b")
_LABEL = re.compile(r"\$L__\w+")
REGISTERS = 100_000
"""More than any function has of a kind."""


def expand_calls(text: str) -> str:
    """Return PTX without comments as PTX without functions and calls."""
    functions: dict[str, tuple[re.Match[str], str]] = {}
    text = _PROTOTYPE.sub("", text)
    while (head := _FUNCTION.search(text)) is not None:
        end = closing(text, head.end() - 1)
        functions[head["name"]] = head, text[head.end() : end]
        text = text[: head.start()] + text[end + 1 :]
    count = 0

    def expand(call: re.Match[str]) -> str:
        nonlocal count
        if call["name"] not in functions:
            raise UnsupportedError(f"call of '{call['name']}', which has no body")
        count += 1
        head, body = functions[call["name"]]
        return _inlined(call, head, _renamed(body, count), f"$L__end_of_call_{count}")

    return _CALL.sub(expand, text)


def _renamed(body: str, call: int) -> str:
    """Return a body with other registers and labels for every call."""
    body = _REGISTER.sub(lambda found: f"{found[1]}{call * REGISTERS + int(found[2])}", body)
    return _LABEL.sub(lambda found: f"{found[0]}_of_call_{call}", body)


def _inlined(call: re.Match[str], head: re.Match[str], body: str, end: str) -> str:
    """Return a body that takes the arguments of a call and leaves its result."""
    values = dict(_STORED.findall(call["before"]))
    arguments = [values[name.strip()] for name in call["arguments"].split(",")]
    names = [item.split()[-1] for item in head["parameters"].split(",")]
    for name, value in zip(names, arguments, strict=True):
        body = re.sub(rf"ld\.param\.(\w+)\s+(\S+)\s*,\s*\[{name}\]", rf"mov.\1 \2, {value}", body)
    for place, target in _results(call).items():
        where = re.escape(head["result"]) + (rf"\+{place}" if place else r"(?:\+0)?")
        body = re.sub(rf"st\.param\.(\w+)\s+\[{where}\]\s*,", rf"mov.\1 {target},", body)
    body = re.sub(r"st\.param\.\w+\s+\[[^\]]*\]\s*,[^;]*;", "", body)  # it is never read
    body = re.sub(r"\bret\s*;", f"bra.uni {end};", body)
    return f"{body}\n{end}:\n"


def _results(call: re.Match[str]) -> dict[int, str]:
    """Return the register that takes each part of the result of a call, by its offset."""
    loads = re.findall(
        rf"ld\.param\.\w+\s+(\S+)\s*,\s*\[{call['result']}(?:\+(\d+))?\]", call["rest"]
    )
    return {int(place or 0): target for target, place in loads}


def closing(text: str, start: int) -> int:
    """Return where the block ends whose opening brace is at `start`.

    Raises:
        UnsupportedError: It does not end.
    """
    depth = 0
    for position in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if not depth:
            return position
    raise UnsupportedError("a block is not closed")
