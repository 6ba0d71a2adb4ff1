"""What the metadata of a kernel (`tilec.kernel`) looks like: checked where it comes from a file."""

from collections.abc import Callable, Mapping
from typing import Any

Finding = str | None
"""What is wrong, for people to read."""
Rule = Callable[[Any, str], Finding]
"""Takes a value and the name of its place."""

_LONGEST = 4096
"""Entries of a list. The longest one has some hundred."""
_LARGEST = 2**63


def _is(kind: type, words: str) -> Rule:
    def check(value: Any, place: str) -> Finding:
        fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        return None if fits else f"'{place}' is not {words}"

    return check


def _number(value: Any, place: str) -> Finding:
    fits = isinstance(value, int) and not isinstance(value, bool) and -_LARGEST <= value < _LARGEST
    return None if fits else f"'{place}' is not an integer of 64 bits"


def _anything(value: Any, place: str) -> Finding:
    return None


def _list(rule: Rule, length: int | None = None) -> Rule:
    def check(value: Any, place: str) -> Finding:
        if not isinstance(value, list | tuple) or len(value) > _LONGEST:
            return f"'{place}' is not a list"
        if length is not None and len(value) != length:
            return f"'{place}' has {len(value)} entries, not {length}"
        found = (rule(item, f"{place}[{index}]") for index, item in enumerate(value))
        return next(filter(None, found), None)

    return check


def _pair(first: Rule, second: Rule) -> Rule:
    def check(value: Any, place: str) -> Finding:
        if not isinstance(value, list | tuple) or len(value) != 2:
            return f"'{place}' is not a pair"
        return first(value[0], f"{place}[0]") or second(value[1], f"{place}[1]")

    return check


def _table(rule: Rule) -> Rule:
    def check(value: Any, place: str) -> Finding:
        if not isinstance(value, Mapping):
            return f"'{place}' is not a dictionary"
        found = (rule(item, f"{place}.{name}") for name, item in value.items())
        return next(filter(None, found), None)

    return check


def _record(needed: Mapping[str, Rule], optional: Mapping[str, Rule]) -> Rule:
    def check(value: Any, place: str) -> Finding:
        if not isinstance(value, Mapping):
            return f"'{place}' is not a dictionary"
        ahead = f"{place}." if place else ""
        missing = next((name for name in needed if name not in value), None)
        if missing is not None:
            return f"'{ahead}{missing}' is missing"
        rules = {**needed, **optional}
        known = ((name, item) for name, item in value.items() if name in rules)
        found = (rules[name](item, f"{ahead}{name}") for name, item in known)
        return next(filter(None, found), None)

    return check


_TEXT, _FLAG = _is(str, "a text"), _is(bool, "true or false")
_NUMBERS, _TEXTS = _list(_number), _list(_TEXT)
_ARRAY = _record(
    {"name": _TEXT, "dtype": _TEXT, "rank": _number, "strides": _NUMBERS},
    {"access": _TEXT, "aligned": _FLAG, "alias_group": _number},
)
_PARAMETER = _record(
    {"kind": _TEXT},
    {"array": _TEXT, "axis": _number, "name": _TEXT, "div_by": _number, "dtype": _TEXT},
)
_TENSOR_MAP = _record(
    {"array": _TEXT, "box": _NUMBERS, "dims": _list(_list(_anything))},
    {
        "axes": _NUMBERS,
        "dtype": _TEXT,
        "strides": _list(_list(_anything)),
        "swizzle": _number,
        "l2_promotion": _number,
        "load": _FLAG,
    },
)
_WORKSPACE = _record({"name": _TEXT, "size": _TEXT}, {"alignment": _number, "zeroed": _FLAG})
_PLAN = _record({}, {"cluster": _list(_number, 3), "reasons": _TEXTS})
_KERNEL = _record(
    {"name": _TEXT},
    {
        "arrays": _list(_ARRAY),
        "block_threads": _number,
        "cluster": _list(_number, 3),
        "cluster_tiles": _list(_number, 2),
        "constants": _table(_anything),
        "cooperative_launch": _FLAG,
        "dependent_launch": _FLAG,
        "dims": _table(_list(_pair(_TEXT, _number))),
        "dtypes": _table(_TEXT),
        "grid": _TEXTS,
        "hidden_parameters": _list(_record({"name": _TEXT, "dtype": _TEXT}, {})),
        "hints": _table(_anything),
        "params": _list(_PARAMETER),
        "persistent": _FLAG,
        "plan": _PLAN,
        "preconditions": _TEXTS,
        "shared_bytes": _number,
        "source": _TEXT,
        "split_k": _number,
        "static_shape": _table(_NUMBERS),
        "tensor_maps": _list(_TENSOR_MAP),
        "tile_candidates": _TEXTS,
        "tile_reasons": _TEXTS,
        "workspaces": _list(_WORKSPACE),
    },
)


def metadata_error(metadata: Any) -> Finding:
    """Return what is wrong with the metadata of a kernel, or None.

    Only entries that are there are checked, but for the name: a dump of an early stage has few.

    Args:
        metadata: The dictionary.
    """
    return _KERNEL(metadata, "") or _find_contradiction(metadata)


def _find_contradiction(metadata: Mapping[str, Any]) -> Finding:
    """Return the first entry that names an array or axis which does not exist."""
    ranks: dict[str, int] = {}
    for array in metadata.get("arrays", ()):
        ranks[array["name"]] = array["rank"]
        if len(array["strides"]) != array["rank"]:
            return f"array '{array['name']}' has {len(array['strides'])} strides"
    for name, shape in metadata.get("static_shape", {}).items():
        if name in ranks and len(shape) != ranks[name]:
            return f"'static_shape.{name}' has {len(shape)} extents"
    for index, item in enumerate(metadata.get("params", ())):
        array, axis = item.get("array"), item.get("axis", 0)
        if array is not None and not (array in ranks and 0 <= axis < max(ranks[array], 1)):
            return f"'params[{index}]' names axis {axis} of '{array}', which is no array with it"
    return None
