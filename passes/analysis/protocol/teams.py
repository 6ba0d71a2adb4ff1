"""What the teams of a role do: which tiles each takes, and how far it skips those of the others."""

from typing import Any

from tilec.ir.structured import defining_operation
from tilec.passes.analysis.facts.index_ranges import constant_value


def whole_loop(bounds: tuple[Any, Any, Any], teams: int) -> tuple[Any, Any, Any] | None:
    """Return the bounds and the step of the loop whose rounds `teams` teams share out.

    Each team has a loop with `bounds`. Its lower bound is that of the whole loop plus the number of
    the team times the whole loop's step; its own step is that step times the number of teams. None
    for any other loop.
    """
    lower, upper, step = bounds
    start, advance = defining_operation(lower), defining_operation(step)
    if start is None or advance is None:
        return None
    if (start.name, advance.name) != ("arith.addi", "arith.muli"):
        return None
    stride, count = advance.operands
    if constant_value(count) != teams:
        return None
    offset = defining_operation(start.operands[1])
    if offset is None or offset.name != "arith.muli":
        return None
    team = defining_operation(offset.operands[0])
    if team is None or team.name != "nv_tileas.team_id" or offset.operands[1] != stride:
        return None
    return start.operands[0], upper, stride


def skipped_tiles(skip: Any, team: int) -> int | None:
    """Return how many tiles `ring_skip` operation `skip` skips in `team`; None when not known."""
    tiles = skip.opview.tiles
    op = defining_operation(tiles)
    if op is not None and op.name == "nv_tileas.team_id":
        return team
    return constant_value(tiles)
