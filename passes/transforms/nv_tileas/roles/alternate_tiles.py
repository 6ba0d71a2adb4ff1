"""Let two teams of consumers compute tiles alternately.

Before:  consumer: %s = ring_start %ring
                   scf.for %tile = %id to %total step %ids iter_args(%p = %s) {
                     ...; %q = scf.for %k = %c0 to %n step %c1 iter_args(...) { ring_wait ... }
                     ...; yield %q }
After:   consumer: %t = team_id; %first = %id + %t * %ids; %stride = %ids * 2
                   %a = ring_skip %ring, %s, %t, %c0, %n, %c1; %u = ring_skip %turn, ...
                   scf.for %tile = %first to %total step %stride iter_args(%p = %a, %v = %u) {
                     ...; ring_acquire %turn, %v; %o = ring_advance %turn, %v
                     %q = scf.for ...; ring_release %turn, %o; %w = ring_advance %turn, %o
                     ...; %b = ring_skip %ring, %q, %c1, %c0, %n, %c1; yield %b, %w }

While one team of one warpgroup stores its result, the other team multiplies. So the tensor cores do
not wait for an epilogue. The producer fills the slots of all tiles in order, so a team skips the
slots of the other team. For this, each tile must have the same number of k-tiles; the planner makes
no teams for other kernels.

A wait by parity cannot distinguish a phase from the one two phases before. So a team may wait for
its first slot only after the other team has waited for its last slot. A ring without buffers, with
one slot per team, grants this turn: a team acquires its own slot and releases that of the other
team. The first team needs no permission for its first tile, so the second team starts one round
later.

This is not `nv-tileas-take-turns`. There, the warpgroups share each tile and go through the same
slots, and a turn only orders their products. Here, each team has tiles of its own, so its ring
positions must skip slots, and without turns the parities would be wrong. The turn is a ring and not
a named barrier, so the rules and checks of rings hold for it, and debug builds limit its waits.

Options:
    pingpong: 1 makes two teams; 0 leaves the kernel as it is.
"""

from typing import Any

from tilec.dialects.nv_tileas import (
    CreateRingOp,
    RingAcquireOp,
    RingAdvanceOp,
    RingReleaseOp,
    RingSkipOp,
    RingStartOp,
    TeamIdOp,
)
from tilec.dialects.nv_tileas.ring_ops import start_of_position
from tilec.dialects.nv_tileas.types import RingPositionType
from tilec.ir.bindings import arith, ir
from tilec.ir.integers import constant
from tilec.ir.sequences import at_level
from tilec.ir.structured import (
    FOR_BOUNDS,
    body_operations,
    enclosing_loops,
    next_operation,
    terminator,
    thread_value,
)
from tilec.ir.walks import walk_operations
from tilec.passes.analysis.kernels import kernel_roles
from tilec.passes.analysis.protocol.counts import empty_arrivals, full_arrivals
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.plan.teams import PINGPONG_TEAMS as TEAMS
from tilec.support.diagnostics import InternalCompilerError

NAME = "nv-tileas-alternate-tiles"
_STEPS = ("nv_tileas.ring_advance", "nv_tileas.ring_release_until")


@register_kernel_pass(NAME)
def alternate_tiles(function: Any, context: PassContext) -> bool:
    """Rewrite the loop over tiles of every consumer role with teams."""
    changed = False
    for roles in kernel_roles(function):
        if roles.opview.team_count == TEAMS:
            _alternate(roles)
            changed = True
    return changed


def _alternate(roles: Any) -> None:
    block = roles.opview.consumer.blocks[0]
    loop = tile_loop(block)
    with ir.InsertionPoint.at_block_begin(block), loop.location:
        team = TeamIdOp.build()
    starts = [start for _, start in _positions(loop)]
    for start in starts:
        _take_turns(roles, block, start, team)
    loop = tile_loop(block)
    with ir.InsertionPoint(loop), loop.location:
        lower, _, step = list(loop.operands)[:3]
        first = arith.addi(lower, arith.muli(team, step))
        stride = arith.muli(step, arith.constant(step.type, TEAMS))
        others = arith.constant(step.type, TEAMS - 1)
    for index, start in _positions(loop):
        if start in starts:
            _skip(loop, index, start, team, others)
    loop.operands[0], loop.operands[2] = first, stride


def _take_turns(roles: Any, block: Any, start: Any, team: Any) -> None:
    """Let a team wait for slots from `start` on only after all such waits of the other team."""
    body = tile_loop(block).regions[0].blocks[0]
    waits = [
        op
        for op in walk_operations(body)
        if op.name == "nv_tileas.ring_wait" and start_of_position(op.operands[1]) == start
    ]
    if not waits:
        return  # the positions of the releases
    first, last = at_level(waits[0], body), at_level(waits[-1], body)
    with ir.InsertionPoint(roles), first.location:
        turns = _turns(roles.opview.consumer_warps.value)
    with ir.InsertionPoint.after(team.owner.operation), first.location:
        start = RingSkipOp.build(turns, RingStartOp.build(turns), team, _one_round(), TEAMS + 1)

    def take_and_pass_on(position: Any) -> Any:
        with ir.InsertionPoint(first), first.location:
            RingAcquireOp(ring=turns, position=position)
            other = RingAdvanceOp.build(turns, position)
        following = next_operation(last)
        _release_after(waits[-1], body, turns, other)
        with ir.InsertionPoint(following), last.location:
            return RingAdvanceOp.build(turns, other)

    thread_value(block, start, first, take_and_pass_on)


def _one_round() -> list[Any]:
    """Emit the bounds and the step of a loop of one round."""
    return [constant(number) for number in (0, 1, 1)]


def _release_after(wait: Any, block: Any, turns: Any, position: Any) -> None:
    """Pass the turn on as soon as `wait` has been run for the last time, on every way through.

    What follows in a branch, such as the wait for the last product, is not part of the turn.
    """
    holder = at_level(wait, block)
    if holder.name != "scf.if":
        with ir.InsertionPoint.after(holder), wait.location:
            RingReleaseOp(ring=turns, position=position)
        return
    for region in holder.regions:
        inner = region.blocks[0]
        if any(op == wait for op in walk_operations(inner)):
            _release_after(wait, inner, turns, position)
        else:
            with ir.InsertionPoint.at_block_begin(inner), wait.location:
                RingReleaseOp(ring=turns, position=position)


def _turns(warps: int) -> Any:
    """Make a ring without buffers with a slot for each team, which `warps` warps release."""
    return CreateRingOp.make(TEAMS, full_arrivals(), empty_arrivals(warps))


def tile_loop(block: Any) -> Any:
    """Return the loop over tiles of a role's block: the only loop at its top."""
    loops = [op for op in body_operations(block) if op.name == "scf.for"]
    if len(loops) != 1:
        raise InternalCompilerError(f"a role with {len(loops)} loops over tiles", pass_name=NAME)
    return loops[0]


def _positions(loop: Any) -> list[tuple[int, Any]]:
    """Return the carried values that are ring positions, by number and with their start."""
    inits = list(loop.operands)[3:]
    return [
        (number, start_of_position(value))
        for number, value in enumerate(inits)
        if isinstance(value.type, RingPositionType)
    ]


def _skip(loop: Any, index: int, start: Any, team: Any, others: Any) -> None:
    """Skip slots of earlier teams before the loop, and slots of other teams after a tile."""
    ring = start.owner.opview.ring
    last = terminator(loop.regions[0].blocks[0])
    before, after = loop.operands[FOR_BOUNDS + index], last.operands[index]
    for count, bounds in _rounds(loop, start):
        with ir.InsertionPoint(loop), loop.location:
            before = RingSkipOp.build(ring, before, team, bounds, count)
        with ir.InsertionPoint(last), loop.location:
            after = RingSkipOp.build(ring, after, others, bounds, count)
    loop.operands[FOR_BOUNDS + index], last.operands[index] = before, after


def _rounds(loop: Any, start: Any) -> list[tuple[int, list[Any]]]:
    """Return how far a position moves in one tile: slots of a round, and the bounds of its loop."""
    found = []
    for op in walk_operations(loop.regions[0].blocks[0]):
        if op.name not in _STEPS or start_of_position(op.operands[1]) != start:
            continue
        if op.name == "nv_tileas.ring_release_until":
            # It follows the positions of the waits, once in every round of their loop.
            return _rounds(loop, start_of_position(op.operands[2]))
        found.append((op.opview.count.value, _bounds(op, loop)))
    return found


def _bounds(op: Any, loop: Any) -> list[Any]:
    """Return the bounds of the loop in `loop` that holds `op`; without one, of one round."""
    inside = enclosing_loops(op)
    inside = inside[: inside.index(loop)]
    if len(inside) > 1:
        raise InternalCompilerError("loops inside of loops do not alternate", pass_name=NAME)
    if inside:
        return list(inside[0].operands)[:3]
    with ir.InsertionPoint(loop), loop.location:
        return _one_round()
