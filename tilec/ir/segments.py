"""Segment sizes in textual IR: left out when printed, inferred when read.

MLIR stores how many operands belong to each field of an operation in the attribute
`operandSegmentSizes` (results: `resultSegmentSizes`), and requires it wherever a field is optional
or a list. A reader does not need it: the number of operands and their types tell the same. So
dumps omit it, and text that omits it is read. A text may also spell it out; then it must be right,
as in every dialect of MLIR.

    %x, %t = "nv_tileaa.tiled_load"(%view, %i, %j, %token) : (!memref, i32, i32, !token) -> ...

Fields of one value take one operand each. Where a single field has a variable length, it takes the
rest. Where the last two have, the last takes the trailing operands of the type in its rule: here
the token, which leaves the two coordinates for the field before. Optional fields without such a
rule are filled in order.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tilec.ir.unsafe_text import QUOTED
from tilec.support.fast_dataclasses import dataclass

OPERANDS, RESULTS = "operandSegmentSizes", "resultSegmentSizes"

_OPTIONAL, _LIST = 0, -1
"""How the bindings write these kinds of field; 1 is a field of one value."""
_PUNCTUATION = re.compile(rf"{QUOTED}|->|[<>]=|(?P<open>[(<\[{{])|(?P<close>[)>\]}}])|(?P<comma>,)")
_BLANK = re.compile(r"(?:\s|//[^\n]*)*")
_COMMENT = re.compile(r"//[^\n]*")
_ALIAS = re.compile(r"^[ \t]*(![\w.$-]+)[ \t]*=[ \t]*([^\n]+)", re.MULTILINE)
_OPERATION = re.compile(rf'"(?P<name>(?:cuda_tile|nv_tileaa|nv_tileas)\.\w+)"|{QUOTED}')
_ENTRIES = {name: re.compile(rf"\b{name}\s*=\s*array<[^>]*>") for name in (OPERANDS, RESULTS)}

Span = tuple[int, int]
"""Offsets of the first character and of the one after the last."""


@dataclass(frozen=True)
class Rule:
    """How the fields of an operation divide its operands and results.

    Attributes:
        operands: For each operand field 1 (one value), 0 (optional) or -1 (a list); None when all
            fields are of one value.
        results: The same for results.
        last_type: Type of the values of the last operand field, where the last two fields have a
            variable length.
    """

    operands: tuple[int, ...] | None
    results: tuple[int, ...] | None
    last_type: str | None


@dataclass(frozen=True)
class _Signature:
    """Where an operation in generic form spells its attributes and types.

    Attributes:
        attributes: The attribute dictionary with its braces; empty where one would be inserted.
        operand_types: One text for each operand.
        result_types: The same for results.
    """

    attributes: Span
    operand_types: list[str]
    result_types: list[str]


_RULES: dict[str, Rule] = {}


def declare(operation: Any) -> None:
    """Let text omit the segment sizes of a Python-defined operation.

    Args:
        operation: A class of operations. Its constant `LAST_TYPE` spells the type of the last
            operand field, if its last two operand fields have a variable length.
    """
    operands, results = operation._ODS_OPERAND_SEGMENTS, operation._ODS_RESULT_SEGMENTS
    if operands or results:
        _RULES[operation.OPERATION_NAME] = Rule(
            tuple(operands) if operands else None,
            tuple(results) if results else None,
            getattr(operation, "LAST_TYPE", None),
        )


def infer_sizes(
    fields: Sequence[int], types: Sequence[str], last_type: str | None
) -> list[int] | None:
    """Return how many values belong to each field.

    Args:
        fields: As in `Rule`.
        types: Type of each value.
        last_type: As in `Rule`.

    Returns:
        One size for each field, or None when there are too few or too many values.
    """
    rest = len(types) - fields.count(1)
    first, *others = (number for number, field in enumerate(fields) if field != 1)
    sizes = list(fields)
    if last_type is None and _LIST not in fields:
        for place, number in enumerate((first, *others)):
            sizes[number] = int(place < rest)
        return sizes if sum(sizes) == len(types) else None
    if rest < 0:
        return None
    sizes[first] = rest
    for last in others:
        most = 1 if fields[last] == _OPTIONAL else rest
        sizes[last] = min(most, rest, _count_trailing(types, last_type))
        sizes[first] -= sizes[last]
    return sizes


def find_segment_error(operation: Any) -> str | None:
    """Return the message for an operation whose segment sizes are missing, or None.

    A text may omit them, so usually the number of operands or results is wrong.
    """
    for kind, name, fields, values in (
        ("operands", OPERANDS, operation._ODS_OPERAND_SEGMENTS, operation.operands),
        ("results", RESULTS, operation._ODS_RESULT_SEGMENTS, operation.results),
    ):
        if fields is None or name in operation.attributes:
            continue
        least = fields.count(1)
        if len(values) < least:
            return f"expects at least {least} {kind}, but got {len(values)}"
        if _LIST not in fields and len(values) > len(fields):
            return f"expects at most {len(fields)} {kind}, but got {len(values)}"
        return f"requires attribute '{name}'"
    return None


def find_insertions(text: str) -> list[tuple[int, str]]:
    """Return the segment sizes that `text` omits, as (offset, text to insert there)."""
    found: list[tuple[int, str]] = []
    aliases: dict[str, str] | None = None
    for name, signature in _signatures(text):
        if aliases is None:
            aliases = _find_aliases(text)
        start, end = signature.attributes
        written = text[start:end]
        missing = [
            f"{attribute} = {_spell(sizes)}"
            for attribute, sizes in _infer(_RULES[name], signature, aliases)
            if sizes is not None and not _ENTRIES[attribute].search(written)
        ]
        if missing:
            found.append(_insertion(signature.attributes, written, ", ".join(missing)))
    return found


def omit_sizes(text: str) -> str:
    """Return printed IR without the segment sizes that `find_insertions` would insert again."""
    pieces: list[str] = []
    position = 0
    for name, signature in _signatures(text):
        start, end = signature.attributes
        kept = text[start:end]
        for attribute, sizes in _infer(_RULES[name], signature, {}):
            written = _ENTRIES[attribute].search(kept)
            if written and sizes is not None and written[0] == f"{attribute} = {_spell(sizes)}":
                kept = _without(kept, *written.span())
        if kept != text[start:end]:
            pieces += [text[position:start].rstrip(" "), f" {kept}" if kept else ""]
            position = end
    return "".join([*pieces, text[position:]])


def _infer(
    rule: Rule, signature: _Signature, aliases: dict[str, str]
) -> Iterator[tuple[str, list[int] | None]]:
    if rule.operands is not None:
        types = [_resolve(type_, aliases) for type_ in signature.operand_types]
        yield OPERANDS, infer_sizes(rule.operands, types, rule.last_type)
    if rule.results is not None:
        yield RESULTS, infer_sizes(rule.results, signature.result_types, None)


def _count_trailing(types: Sequence[str], wanted: str | None) -> int:
    """Return how many of the last `types` are `wanted`."""
    count = 0
    while count < len(types) and types[-1 - count] == wanted:
        count += 1
    return count


def _spell(sizes: Sequence[int]) -> str:
    return f"array<i32: {', '.join(map(str, sizes))}>" if sizes else "array<i32>"


def _insertion(attributes: Span, written: str, text: str) -> tuple[int, str]:
    start, end = attributes
    if start == end:
        return start, f" {{{text}}}"
    comma = ", " if written[1:-1].strip() else ""
    return start + 1, text + comma


def _without(attributes: str, start: int, end: int) -> str:
    """Return a dictionary without the entry from `start` to `end`; "" if that was the last."""
    if attributes.startswith(", ", end):
        return attributes[:start] + attributes[end + 2 :]
    head = attributes[:start].removesuffix(", ")
    return "" if head + attributes[end:] == "{}" else head + attributes[end:]


def _find_aliases(text: str) -> dict[str, str]:
    return {alias: _COMMENT.sub("", type_).strip() for alias, type_ in _ALIAS.findall(text)}


def _resolve(type_: str, aliases: dict[str, str]) -> str:
    for _ in aliases:  # an alias may stand for another alias, and a wrong text for itself
        if type_ not in aliases:
            break
        type_ = aliases[type_]
    return type_


def _signatures(text: str) -> Iterator[tuple[str, _Signature]]:
    """Find every operation in `text` whose segment sizes may be omitted, by their attributes."""
    found = []
    for match in _OPERATION.finditer(text):
        if match["name"] in _RULES:
            signature = _read_signature(text, match.end())
            if signature is not None:
                found.append((match["name"], signature))
    # The attributes of an operation with a region come after the operations of the region.
    return iter(sorted(found, key=lambda item: item[1].attributes))


def _read_signature(text: str, start: int) -> _Signature | None:
    """Read the operation whose name ends at `start`; None where it is not in generic form."""
    operands = _read_list(text, _skip(text, start))
    if operands is None:
        return None
    end = operands[-1][1] + 1
    if text.startswith("(", _skip(text, end)):
        regions = _read_list(text, _skip(text, end))
        if regions is None:
            return None
        end = regions[-1][1] + 1
    attributes, position = (end, end), _skip(text, end)
    if text.startswith("{", position):
        entries = _read_list(text, position)
        if entries is None:
            return None
        attributes = (position, entries[-1][1] + 1)
        position = _skip(text, attributes[1])
    if not text.startswith(":", position):
        return None
    types = _read_list(text, _skip(text, position + 1))
    if types is None:
        return None
    return _Signature(attributes, _texts(text, types), _read_results(text, types[-1][1] + 1))


def _read_results(text: str, start: int) -> list[str]:
    """Return the result types after the operand types; a lone one is not read to its end."""
    start = _skip(text, start)
    if not text.startswith("->", start):
        return []
    start = _skip(text, start + 2)
    types = _read_list(text, start) if text.startswith("(", start) else None
    return _texts(text, types) if types is not None else [text[start : start + 1]]


def _texts(text: str, spans: Sequence[Span]) -> list[str]:
    found = [_COMMENT.sub("", text[start:end]).strip() for start, end in spans]
    return [] if found == [""] else found


def _read_list(text: str, start: int) -> list[Span] | None:
    """Return where the items of the bracketed list at `start` are; None if it does not end."""
    if not text.startswith(("(", "{"), start):
        return None
    items: list[Span] = []
    depth, begin = 0, start + 1
    for match in _PUNCTUATION.finditer(text, start):
        if match["open"]:
            depth += 1
        elif match["close"]:
            depth -= 1
        if depth == 0 or (depth == 1 and match["comma"]):
            items.append((begin, match.start()))
            begin = match.end()
        if depth == 0:
            return items
    return None


def _skip(text: str, start: int) -> int:
    """Return the offset of the next character that is neither blank nor part of a comment."""
    match = _BLANK.match(text, start)
    return match.end() if match else start
