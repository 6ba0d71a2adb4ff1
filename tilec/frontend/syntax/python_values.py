"""What the values of a Python module mean in a kernel: numbers, types, names of the language.

Functions are not here: `python_source` reads them.
"""

import builtins
from types import ModuleType
from typing import Any, TypeVar

from tilec.frontend.syntax.foreign_values import ForeignValue, LanguageName
from tilec.frontend.syntax.limits import MAX_TUPLE_VALUES
from tilec.support.dtypes import DTYPES, DType

PLAIN_PYTHON = object()
"""Stands for a value that needs no mention: Python's own `max`, or the name of a dim."""
UNKNOWN = object()
"""Stands for a value that is none of those here."""
_OWN_MODULES = ("tilec.language",)


def value_meaning(name: str, value: Any) -> Any:
    """Return what a Python value means in a kernel.

    Args:
        name: Name under which the kernel uses it, the last one of a dotted name.
        value: Any value.

    Returns:
        A number, string, None, tuple of them, element type, module, `LanguageName` or
        `ForeignValue`; `PLAIN_PYTHON`, or `UNKNOWN`.
    """
    value = plain_number(value)
    if isinstance(value, bool | int | float | str | DType | ModuleType) or value is None:
        return value
    if isinstance(value, tuple):
        return _tuple(value)
    word = getattr(value, "name", None) or getattr(value, "__name__", None)
    module = getattr(value, "__module__", None) or type(value).__module__
    if type(value).__module__.startswith("tilec.") and word in DTYPES:
        return DTYPES[word]
    if module in _OWN_MODULES and isinstance(word, str):
        return LanguageName(word)
    if getattr(builtins, name, PLAIN_PYTHON) is value or isinstance(value, TypeVar):
        return PLAIN_PYTHON
    return UNKNOWN


def plain_number(value: Any) -> Any:
    """Return a scalar of NumPy as a number of Python, and anything else as it is.

    NumPy need not be imported to tell.
    """
    if not any(base.__module__ == "numpy" for base in type(value).__mro__):
        return value
    item = getattr(value, "item", None)
    if item is None or getattr(value, "shape", None) != () or isinstance(value, str):
        return value
    if type(value).__name__ == "ndarray":  # an array of rank 0 can change
        return value
    number = item()
    return number if type(number) in (bool, int, float) else value


def _tuple(value: tuple[Any, ...]) -> Any:
    """Return a tuple whose items a kernel can use, else why it cannot."""
    pending, count, converts = [*value], 0, False
    while pending and count <= MAX_TUPLE_VALUES:
        given = pending.pop()
        item = plain_number(given)
        converts = converts or item is not given
        count += 1
        if isinstance(item, tuple):
            pending.extend(item)
        elif not isinstance(item, bool | int | float | str | DType) and item is not None:
            what = f"a tuple that holds a {type(item).__name__}"
            return ForeignValue(what, "numbers, strings and tuples of them can be used")
    if count > MAX_TUPLE_VALUES:
        what = f"a tuple of more than {MAX_TUPLE_VALUES} values"
        return ForeignValue(what, "pass an array instead")
    return _plain_items(value) if converts else value


def _plain_items(value: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        _plain_items(item) if isinstance(item, tuple) else plain_number(item) for item in value
    )


def foreign(name: str, value: Any) -> ForeignValue:
    """Return what stands for a Python value that has no meaning in a kernel."""
    kind = type(value)
    if callable(value):
        home = getattr(value, "__module__", None) or kind.__module__
        what = f"'{home}.{getattr(value, '__name__', name)}'"
        return ForeignValue(what, "a kernel uses tilec's own functions, and helpers in Python")
    what = f"a {kind.__module__}.{kind.__name__}".replace(" builtins.", " ")
    return ForeignValue(what, "pass it as an argument, or make it a number with int or float")
