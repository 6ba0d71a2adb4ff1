"""Run stage 1 of a loop in pieces, during the loop inside of it; see `nv-tileas-rotate-loops`.

A piece comes right after the products of a round. What only later operations of the round need
comes after the piece, so that the products do not wait for it.
"""

from typing import Any

from tilec.dialects.nv_tileas.memory_ops import CreateMemTokenOp
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.constants import full
from tilec.ir.integers import constant, equal
from tilec.ir.removal import replace_operand, replace_operation
from tilec.ir.sequences import at_level, operations_after, operations_before
from tilec.ir.structured import (
    LOOPS,
    body_operations,
    clone_whole,
    next_operation,
    operations_inside,
    terminator,
    thread_value,
)
from tilec.ir.values import element_count, users_of
from tilec.passes.analysis.facts.round_places import loads_in_any_order, only_computes
from tilec.passes.analysis.mma.operands import DOT
from tilec.passes.analysis.schedule.loop_graph import loop_operations
from tilec.passes.analysis.schedule.marks import stage_of
from tilec.passes.transforms.nv_tileas.schedule.stage_pieces import ADVANCE, Piece, stage_pieces
from tilec.passes.transforms.nv_tileas.schedule.staged_loop import StagedLoop, Values


class SpreadStage(StagedLoop):
    """A loop around a loop with products, during which its stage 1 runs.

    Attributes:
        inner: The loop inside of it.
        pieces: What stage 1 does.
        positions: Of every ring that stage 1 uses, its positions in a round, from the carried one
            on.
    """

    def __init__(self, loop: Any, warpgroups: int, slots: int) -> None:
        """Cut stage 1 of `loop` for `warpgroups`, each with this many staging `slots`."""
        _repeat_constants(loop)
        super().__init__(loop)
        self.sink()
        (self.inner,) = (op for op in self.ops if op.name in LOOPS)
        late = [op for op in self.ops if self.stages[op]]
        self.pieces = stage_pieces(late, self.crossing, warpgroups, slots)
        self.positions = [
            _chain(argument, late) for argument, end in self.carried.items() if self.stage(end)
        ]

    def run(self) -> None:
        """Replace the loop by one in which stage 1 of a round runs during the next round."""
        loop, location = self.loop, self._location()
        first, _, _, *inits = loop.operands
        lower, upper = list(self.inner.operands)[:2]
        with ir.InsertionPoint(loop), location:
            bound = arith.addi(lower, constant(sum(piece.steps for piece in self.pieces)))
            few = arith.cmpi(arith.CmpIPredicate.slt, upper, bound)
            shadow = arith.select(few, lower, bound)
            inits += [_nothing(value.type) for value in self.crossing]
            inits = [first, constant(False, 1), *inits]
        types = [value.type for value in inits]
        with ir.InsertionPoint(loop), loop.location:
            rounds = scf.WhileOp(types, inits)
        between, body = (
            region.blocks.append(*types, arg_locs=[loop.location] * len(types))
            for region in rounds.regions
        )
        with ir.InsertionPoint(between), location:
            self._between(list(between.arguments), few)
        with ir.InsertionPoint(body), location:
            self._round(list(body.arguments), shadow)
        replace_operation(loop, list(rounds.results)[2:][: len(loop.results)])

    def _location(self) -> Any:
        """Return where the kernel has stage 1."""
        return next(op.location for op in reversed(self.ops) if self.stages[op])

    def _between(self, arguments: list[Any], few: Any) -> None:
        """Emit stage 1 where no round follows, or one with fewer products than pieces."""
        number, waits, *values = arguments
        more = arith.cmpi(arith.CmpIPredicate.slt, number, self.loop.operands[1])
        alone = arith.andi(arith.ori(arith.xori(more, constant(True, 1)), few), waits)
        before = self.values_before(values)
        positions = [before[chain[0]] for chain in self.positions]
        branch = _branch(alone, positions)
        with ir.InsertionPoint(branch.then_block):
            ends = positions
            for piece in self.pieces:
                ends = self._emit(before, piece, None, ends)
            scf.YieldOp(ends)
        after = dict(zip((chain[0] for chain in self.positions), branch.results, strict=True))
        passed = [after.get(argument, before[argument]) for argument in self.carried]
        scf.ConditionOp(more, [number, waits, *passed, *values[len(self.carried) :]])

    def _round(self, arguments: list[Any], shadow: Any) -> None:
        """Emit stage 0 of a round, with the pieces of stage 1 of the round before in it.

        Args:
            arguments: What the round takes.
            shadow: The end of the rounds of the inner loop in which pieces run.
        """
        number, waits, *values = arguments
        before = self.values_before(values)
        here: Values = {self.induction: number, **dict(zip(self.carried, values, strict=False))}
        copies = {}
        for op in self.ops:
            if not self.stages[op]:
                if op == self.inner:
                    shadow = arith.select(waits, shadow, self.inner.operands[0])
                copies[op] = clone_whole(op, here)
        following = arith.addi(number, self.loop.operands[2])
        kept = [here.get(value, value) for value in self.crossing]
        ends = [
            before[argument] if self.stage(value) else here.get(value, value)
            for argument, value in self.carried.items()
        ]
        scf.YieldOp([following, constant(True, 1), *ends, *kept])
        self._spread(copies[self.inner], before, shadow)

    def _spread(self, inner: Any, before: Values, shadow: Any) -> None:
        """Emit a piece after the products of each round of `inner` before round `shadow`."""
        block = inner.regions[0].blocks[0]
        counter, lower = block.arguments[0], inner.operands[0]
        products = [op for op in body_operations(block) if op.name == DOT]
        with ir.InsertionPoint(products[0]):
            early = arith.cmpi(arith.CmpIPredicate.slt, counter, shadow)
        positions = [before[chain[0]] for chain in self.positions]
        with ir.InsertionPoint.after(products[-1]):
            branch = _branch(early, positions)
            with ir.InsertionPoint(branch.then_block):
                scf.YieldOp(self._emit_one(before, 0, arith.subi(counter, lower), positions))
        _leave_for_later(branch.operation)
        for index, argument in enumerate(positions):
            self._thread(branch.operation, index, argument)

    def _thread(self, branch: Any, index: int, argument: Any) -> None:
        """Let the inner loop carry a position that `branch` takes and returns.

        Args:
            branch: The branch with the pieces.
            index: Which of its results the position is.
            argument: The position before the inner loop, an argument of the outer one.
        """

        def step(position: Any) -> Any:
            for op in operations_inside(branch):
                replace_operand(op, argument, position)
            return branch.results[index]

        body = argument.owner
        end = thread_value(body, argument, branch, step)
        replace_operand(terminator(body), argument, end)

    def _emit_one(
        self, before: Values, number: int, chosen: Any, positions: list[Any]
    ) -> list[Any]:
        """Emit the step that the i32 `chosen` names, which is `number` at least."""
        steps = [(piece, step) for piece in self.pieces for step in range(piece.steps)]
        if number == len(steps) - 1:
            return self._emit(before, *steps[number], positions)
        this = equal(chosen, constant(number))
        branch = scf.IfOp(this, [value.type for value in positions], has_else=True)
        with ir.InsertionPoint(branch.then_block):
            scf.YieldOp(self._emit(before, *steps[number], positions))
        with ir.InsertionPoint(branch.else_block):
            scf.YieldOp(self._emit_one(before, number + 1, chosen, positions))
        return list(branch.results)

    def _emit(
        self, before: Values, piece: Piece, step: int | None, positions: list[Any]
    ) -> list[Any]:
        """Emit a step of a piece, or all of it; return the positions of the rings after it."""
        values = dict(before)
        for chain, position in zip(self.positions, positions, strict=True):
            values |= dict.fromkeys(chain, position)
        piece.emit(values, step)
        ends = []
        for chain, position in zip(self.positions, positions, strict=True):
            made = (values[value] for value in reversed(chain) if values[value] != position)
            ends.append(next(made, position))
        return ends


def _leave_for_later(branch: Any) -> None:
    """Move what only operations after `branch` need to a place after it.

    ptxas moves nothing over a branch. A number that threads load in a round and multiply the result
    of its product with would have to arrive before the branch, and the last instructions of the
    product are issued after that: 1.13 of the time with 8-bit floats that have a scale for each 128
    (H100, docs/measurements/2026-11-27-block-scales.md).
    """
    later, target = set(operations_after(branch)), next_operation(branch)
    for op in reversed(operations_before(branch)):
        users = {at_level(user, branch.block) for item in op.results for user in users_of(item)}
        moves = loads_in_any_order(op) or (only_computes(op) and not _is_narrowing(op))
        if users and users <= later and moves:
            op.move_before(target)
            later.add(op)
            target = op


def _is_narrowing(op: Any) -> bool:
    """Tell whether an operation makes a tile of a larger one, which takes more registers."""
    sizes = [element_count(value) for value in op.results]
    return any(element_count(value) > max(sizes, default=0) for value in op.operands)


def _repeat_constants(loop: Any) -> None:
    """Give stage 1 constants of its own: the loop carries none."""
    ops = loop_operations(loop)
    for op in (op for op in ops if op.name == "arith.constant"):
        uses = [(use.owner.operation, use.operand_number) for use in op.results[0].uses]
        late = [(user, number) for user, number in uses if user in ops and stage_of(user)]
        if late and len(late) < len(uses):
            copy = op.clone(ip=ir.InsertionPoint(op))
            for user, number in late:
                user.operands[number] = copy.results[0]


def _chain(position: Any, late: list[Any]) -> list[Any]:
    """Return the positions of a ring in a round, of which `position` is the first."""
    found = [position]
    for op in late:
        if op.name == ADVANCE and op.operands[1] == found[-1]:
            found.append(op.results[0])
    return found


def _branch(condition: Any, positions: list[Any]) -> Any:
    """Emit a branch that returns what it makes of `positions`, or `positions`."""
    branch = scf.IfOp(condition, [value.type for value in positions], has_else=bool(positions))
    if positions:
        with ir.InsertionPoint(branch.else_block):
            scf.YieldOp(positions)
    return branch


def _nothing(kind: Any) -> Any:
    """Emit what stands for a value of the round before the first one, which nothing reads."""
    if isinstance(kind, ir.RankedTensorType):
        return full(kind, 0)
    if isinstance(kind, ir.IntegerType):
        return arith.constant(kind, 0)
    if isinstance(kind, ir.FloatType):
        return arith.constant(kind, 0.0)
    return CreateMemTokenOp.build()
