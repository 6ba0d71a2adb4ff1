"""What the teams of a role do: which tiles each takes, and how far it skips those of the others."""

from typing import Any

from tilec.ir.structured import defining_operation, enclosing_loops, walk_operations
from tilec.passes.analysis.index_ranges import constant_value


def takes_turns(loop: Any, teams: int) -> bool:
    """Tell whether teams begin `loop` at different rounds and step over those of the others.

    That is: its lower bound is a value plus the number of the team times the step of all rounds,
    and its own step is that step times the number of teams.
    """
    lower, _, step = (defining_operation(value) for value in list(loop.operands)[:3])
    if lower is None or step is None or (lower.name, step.name) != ("arith.addi", "arith.muli"):
        return False
    stride, count = step.operands
    if constant_value(count) != teams:
        return False
    offset = defining_operation(lower.operands[1])
    if offset is None or offset.name != "arith.muli":
        return False
    team = defining_operation(offset.operands[0])
    return team is not None and team.name == "nv_tileas.team_id" and offset.operands[1] == stride


def skipped_tiles(skip: Any, team: int) -> int | None:
    """Return how many tiles `ring_skip` operation `skip` skips in `team`; None when not known."""
    tiles = skip.opview.tiles
    op = defining_operation(tiles)
    if op is not None and op.name == "nv_tileas.team_id":
        return team
    return constant_value(tiles)


def loop_depths(block: Any) -> dict[tuple[Any, ...], int]:
    """Return how deep the loops of a role stand in it, by their bounds and step."""
    return {
        tuple(list(op.operands)[:3]): len(enclosing_loops(op))
        for op in walk_operations(block)
        if op.name == "scf.for"
    }


def is_single_round(skip: Any) -> bool:
    """Tell whether the loop of a `ring_skip` is one that runs once."""
    view = skip.opview
    return [constant_value(value) for value in (view.lower, view.upper, view.step)] == [0, 1, 1]
