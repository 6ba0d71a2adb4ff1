"""Checks of plain values that come from a file: types, ranges, and what belongs together.

A check takes a value and the place where it is, and raises a `SchemaError` that names both.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

Check = Callable[[Any, str], None]

_SHOWN = 40
_TEXT_LIMIT = 1 << 16
_LIST_LIMIT = 1 << 16
_MAX_DEPTH = 16
_NAMES = {dict: "an object", type(None): "null"}


class SchemaError(ValueError):
    """A value is not what it should be."""


def _refuse(value: Any, place: str, wanted: str) -> SchemaError:
    found = _NAMES.get(type(value)) or repr(value)
    if isinstance(value, list):
        found = f"a list of {len(value)} items"
    if len(found) > _SHOWN:
        found = found[:_SHOWN] + "..."
    return SchemaError(f"{place} is {found}, not {wanted}")


def text(limit: int = _TEXT_LIMIT) -> Check:
    """Return a check for strings of at most `limit` characters."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, str) or len(value) > limit:
            raise _refuse(value, place, f"a text of at most {limit} characters")
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise _refuse(value, place, "a text that UTF-8 can hold")

    return check


def integer(low: int, high: int) -> Check:
    """Return a check for integers from `low` to `high`."""

    def check(value: Any, place: str) -> None:
        if type(value) is not int or not low <= value <= high:
            raise _refuse(value, place, f"an integer from {low} to {high}")

    return check


def boolean(value: Any, place: str) -> None:
    """Check that `value` is true or false."""
    if not isinstance(value, bool):
        raise _refuse(value, place, "true or false")


def scalar(value: Any, place: str) -> None:
    """Check that `value` is a number, a text, true, false or null."""
    if isinstance(value, dict | list):
        raise _refuse(value, place, "a number or a text")
    if isinstance(value, str):
        text()(value, place)


def anything(value: Any, place: str, depth: int = _MAX_DEPTH) -> None:
    """Check that `value` is not nested too deeply, and that its texts can be written again."""
    if isinstance(value, str):
        text()(value, place)
    if not isinstance(value, dict | list):
        return
    if not depth:
        raise SchemaError(f"{place} is nested too deeply")
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(name, str):
            text()(name, f"a name in {place}")
        anything(inner, place, depth - 1)


def one_of(choices: Collection[Any]) -> Check:
    """Return a check for a few values."""

    def check(value: Any, place: str) -> None:
        if not any(type(value) is type(item) and value == item for item in choices):
            raise _refuse(value, place, f"one of {', '.join(map(str, choices))}")

    return check


def nullable(check: Check) -> Check:
    """Return a check for null and for what `check` allows."""

    def check_unless_null(value: Any, place: str) -> None:
        if value is not None:
            check(value, place)

    return check_unless_null


def sequence(item: Check, low: int = 0, high: int = _LIST_LIMIT) -> Check:
    """Return a check for lists of `low` to `high` items."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, list) or not low <= len(value) <= high:
            length = str(low) if low == high else f"{low} to {high}"
            raise _refuse(value, place, f"a list of {length} items")
        for index, inner in enumerate(value):
            item(inner, f"{place}[{index}]")

    return check


def row(*items: Check) -> Check:
    """Return a check for lists with one item for each of `items`."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, list) or len(value) != len(items):
            raise _refuse(value, place, f"a list of {len(items)} items")
        for index, (inner, item) in enumerate(zip(value, items, strict=True)):
            item(inner, f"{place}[{index}]")

    return check


def table(item: Check) -> Check:
    """Return a check for objects with any names and values of one kind."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise _refuse(value, place, "an object")
        for name, inner in value.items():
            text()(name, f"a name in {place}")
            item(inner, f"{place}.{name[:_SHOWN]}")

    return check


def record(required: Mapping[str, Check], optional: Mapping[str, Check], *, closed: bool) -> Check:
    """Return a check for objects with known names.

    Args:
        required: Names that must be there, and their checks.
        optional: Names that may be there.
        closed: Whether there must be no others.
    """
    checks = {**required, **optional}

    def check(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise _refuse(value, place, "an object")
        for name in required:
            if name not in value:
                raise SchemaError(f"{place} has no '{name}'")
        for name, inner in value.items():
            if name in checks:
                checks[name](inner, f"{place}.{name}")
            elif closed:
                raise SchemaError(f"{place} has an unknown '{name[:_SHOWN]}'")
            else:
                anything({name: inner}, place)

    return check


def both(first: Check, then: Check) -> Check:
    """Return a check that applies two, one after the other."""

    def check(value: Any, place: str) -> None:
        first(value, place)
        then(value, place)

    return check
