"""Hints for what users of other libraries write, where the table `not_yet` has no entry for it."""

from collections.abc import Sequence

from tilec.frontend.semantics.not_yet import Usage, lacking
from tilec.frontend.semantics.values import AnyValue, Constant, DTypeValue
from tilec.support.dtypes import DTYPES

_GROUPS = {"shape": "extents", "axes": "axes"}
"""Parameters that take a tuple, and what is in it; NumPy and PyTorch also take single arguments."""


def dtype_name(text: object) -> str | None:
    """Return the element type that a name or string of another library means, or None."""
    if not isinstance(text, str):
        return None
    found = text.rpartition(".")[2]
    if found in DTYPES:
        return found
    entry = lacking(Usage.FUNCTION, found)
    return entry.write if entry is not None and entry.write in DTYPES else None


def dtype_hint(value: AnyValue) -> str | None:
    """Return a hint for something that is no element type: its name, or an extent of a shape."""
    if not isinstance(value, Constant):
        return None
    if isinstance(value.value, int) and not isinstance(value.value, bool):
        return "extents form a tuple, as in 'zeros((16, 64))'"
    name = dtype_name(value.value)
    return None if name is None else f"write '{name}', without quotes"


def comparison_hint(left: AnyValue, right: AnyValue) -> str | None:
    """Return a hint for comparing an element type with a string; None for other comparisons."""
    for kind, text in ((left, right), (right, left)):
        is_string = isinstance(text, Constant) and isinstance(text.value, str)
        if isinstance(kind, DTypeValue) and is_string:
            return dtype_hint(text) or "compare it with an element type, such as 'f32'"
    return None


def tuple_hint(call: str, slots: Sequence[str], values: Sequence[AnyValue]) -> str | None:
    """Return a hint for entries of a tuple that were given as arguments of their own, or None.

    Args:
        call: Name of the builtin.
        slots: Its parameters that take positional arguments.
        values: The positional arguments.
    """
    place = next((place for place, name in enumerate(slots) if name in _GROUPS), None)
    if place is None:
        return None
    numbers = [item.value for item in values[place:] if isinstance(item, Constant)]
    if len(numbers) < len(values) - place or not all(isinstance(item, int) for item in numbers):
        return None
    shown = ", ".join(map(str, numbers))
    return f"{_GROUPS[slots[place]]} form a tuple: write '{call}(..., ({shown}))'"
