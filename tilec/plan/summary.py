"""The plan of a kernel in one flat dictionary: what was chosen, what came next, and why."""

import json
from collections.abc import Mapping
from typing import Any

_BEFORE = ("name", "constants", "tile_reasons", "tile_candidates")
_AFTER = ("block_threads", "shared_bytes", "grid")


def plan_summary(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `--emit plan`, `plan.json` and `.plan` show.

    Args:
        metadata: The `tilec.kernel` dictionary of a kernel.

    Returns:
        `name` and `constants`; where the planner chose tiles, `tile_reasons` and `tile_candidates`
        (the choice and the next best, in order of their modelled cycles); the fields of the plan
        (`stages`, `cluster` as rows, columns and 1, `consumer_warps`, ...) and their `reasons`;
        `block_threads`, `shared_bytes` (dynamic, of a CTA) and `grid` (extents as expressions).
    """
    before = {key: metadata[key] for key in _BEFORE if key in metadata}
    after = {key: metadata[key] for key in _AFTER if key in metadata}
    return {**before, **metadata.get("plan", {}), **after}


def plan_text(metadata: Mapping[str, Any]) -> str:
    """Return `plan_summary` as indented JSON that ends with a newline."""
    return json.dumps(plan_summary(metadata), indent=2) + "\n"
