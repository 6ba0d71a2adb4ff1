"""The plan of a kernel in one flat dictionary: what was chosen, what came next, and why."""

import json
from collections.abc import Mapping
from typing import Any

_BEFORE = ("name", "variant", "constants", "tile_reasons", "tile_candidates")
_AFTER = ("block_threads", "shared_bytes", "grid")
_LOOPS = "loops"
_ENTRY = ("line", "rotated", "turns", "why", "interval", "bound", "binds", "registers")
_ROW = (
    "operation",
    "line",
    "file",
    "engine",
    "cycles",
    "latency",
    "stage",
    "product_stages",
    "interval",
)
_LINES = 4
"""Depth of what is written on one line: an operation of a loop."""


def plan_summary(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `--emit plan`, `plan.json` and `.plan` show.

    Args:
        metadata: The `tilec.kernel` dictionary of a kernel.

    Returns:
        `name`, `constants`, and `variant` if it is not for any launch; where the planner chose
        tiles, `tile_reasons` and `tile_candidates` (the choice and the next best, in order of their
        modelled cycles); the fields of the plan (`stages`, `cluster` as rows, columns and 1,
        `consumer_warps`, ...) and their `reasons`; `block_threads`, `shared_bytes` (dynamic, of a
        CTA) and `grid` (extents as expressions); and `loops`, the schedules of the loops with
        products (docs/debugging.md).
    """
    before = {key: metadata[key] for key in _BEFORE if key in metadata}
    plan = dict(metadata.get("plan", {}))
    loops = {_LOOPS: _sorted(plan.pop(_LOOPS), _ENTRY)} if _LOOPS in plan else {}
    after = {key: metadata[key] for key in _AFTER if key in metadata}
    return {**before, **plan, **after, **loops}


def plan_text(metadata: Mapping[str, Any]) -> str:
    """Return `plan_summary` as indented JSON that ends with a newline, each operation in a line."""
    return _written(plan_summary(metadata), 0) + "\n"


def _sorted(value: Any, first: tuple[str, ...]) -> Any:
    """Return `value` with the entries of its dictionaries in the order in which they are read."""
    if isinstance(value, list):
        return [_sorted(item, first) for item in value]
    if not isinstance(value, dict):
        return value
    names = [*(name for name in first if name in value), *(n for n in value if n not in first)]
    return {name: _sorted(value[name], _ROW) for name in names}


def _written(value: Any, depth: int) -> str:
    """Return `value` as JSON, indented where it is less than `_LINES` deep."""
    if depth >= _LINES or not value or not isinstance(value, list | dict):
        return json.dumps(value)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_written(item, depth + 1)}" for key, item in value.items()]
    else:
        parts = [_written(item, depth + 1) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    edge = "\n" + "  " * depth
    return opening + ",".join(f"{edge}  {part}" for part in parts) + edge + closing
