"""Rotate loops by the pipeline stages of their operations.

Before:  %r = scf.for %i = %l to %u iter_args(%acc = %z) {
           %p = A(%i) {stage = 0}; %n = B(%p, %acc) {stage = 1}; yield %n }
After:   %r = scf.if %l < %u {
           %p0 = A(%l)
           %c:2 = scf.for %i = %l + 1 to %u iter_args(%acc = %z, %q = %p0) {
             %p = A(%i); %n = B(%q, %acc); yield %n, %p }
           %n1 = B(%c#1, %c#0); yield %n1
         } else { yield %z }

Round i performs stage 0 of iteration i and stage 1 of iteration i - 1, in the order that the
scheduler derives (`tilec/plan/schedule.py`). What stage 1 reads of stage 0 is carried for a round,
and so are the ring positions. The first iteration of stage 0 comes before the loop, the last one of
stage 1 after it. A loop that does not run does neither. Slots that only stage 0 reads, and that are
released right after the loop, are released before the last iteration of stage 1. The copies of a
store have one number, `copy_of`: they use the same shared memory (`nv-tileas-lower-epilogue`).
"""

from collections.abc import Container
from itertools import takewhile
from typing import Any

from tilec.dialects.nv_tileas import RingReleaseOp
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.removal import erase
from tilec.ir.sequences import operations_after
from tilec.ir.structured import clone_whole, parent_operation, terminator
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.kernels import kernel_functions, kernel_operations, read_spec
from tilec.passes.analysis.schedule.loop_graph import loop_graph, loop_operations, operands_of
from tilec.passes.analysis.schedule.marks import TURNS, set_copy, set_stage, stage_of
from tilec.passes.registry import PassContext, register_pass
from tilec.plan.schedule import order_of

RELEASE = RingReleaseOp.OPERATION_NAME

Values = dict[Any, Any]
"""By a value of the loop, what stands for it."""


@register_pass("nv-tileas-rotate-loops")
def rotate_loops(module: Any, context: PassContext) -> bool:
    """Rotate every loop whose operations have stages."""
    del context
    changed = False
    for function in kernel_functions(module):
        loops = [op for op in kernel_operations(function) if op.name == "scf.for"]
        _number_stores(function)
        for loop in reversed(loops):  # inner loops first
            if any(stage_of(op) is not None for op in loop_operations(loop)):
                warps = (read_spec(function) or {})["consumer_warps"]
                _Rotation(loop, max(1, warps // WARPGROUP_WARPS)).run()
                changed = True
    return changed


def _number_stores(function: Any) -> None:
    """Number the stores of loops that will be rotated, so that copies of one are known as such."""
    stores = [op for op in kernel_operations(function) if op.name.endswith("tiled_store")]
    for number, store in enumerate(stores):
        place = store  # the stage may be that of a branch around the store
        while place is not None and stage_of(place) is None:
            place = parent_operation(place)
        if place is not None:
            set_copy(store, number)


class _Rotation:
    """The rotation of one loop.

    Attributes:
        loop: The loop.
        order: Its operations, in the order of a round.
        stages: The stage of each of them.
        induction: The number of an iteration.
        carried: What a round takes from the one before, and what it passes on for that.
        crossing: What stage 1 reads of the iteration whose stage 0 was done a round before.
    """

    def __init__(self, loop: Any, warpgroups: int) -> None:
        """Read the stages of `loop`."""
        ops = loop_operations(loop)
        self.loop = loop
        self.stages = {op: stage_of(op) or 0 for op in ops}
        order, _ = order_of(loop_graph(loop, warpgroups), tuple(self.stages.values()))
        self.order = [ops[number] for number in order]
        block = loop.regions[0].blocks[0]
        self.induction, *arguments = block.arguments
        self.carried = dict(zip(arguments, terminator(block).operands, strict=True))
        self.crossing = self._crossing()

    def run(self) -> None:
        """Replace the loop by the rotated one."""
        loop = self.loop
        lower, upper = list(loop.operands)[:2]
        releases = self._early_releases()
        with ir.InsertionPoint(loop), loop.location:
            runs = arith.cmpi(arith.CmpIPredicate.slt, lower, upper)
            branch = scf.IfOp(runs, [value.type for value in loop.results], has_else=True)
        with ir.InsertionPoint(branch.then_block), loop.location:
            scf.YieldOp(self._rotated(releases))
        with ir.InsertionPoint(branch.else_block), loop.location:
            _repeat(releases)
            scf.YieldOp(list(loop.operands)[3:])
        for old, new in zip(loop.results, branch.results, strict=True):
            old.replace_all_uses_with(new)
        for op in (*releases, loop):
            erase(op)

    def _early_releases(self) -> list[Any]:
        """Return the releases right after the loop of slots that only stage 0 reads.

        The last iteration of stage 1 does not need them, so they come before it: the producer can
        fill the slots again meanwhile.
        """
        following = operations_after(self.loop)
        found = list(takewhile(lambda op: op.name == RELEASE, following))
        return found if all(map(self._only_stage_0_reads, found)) else []

    def _only_stage_0_reads(self, release: Any) -> bool:
        """Tell whether nothing of stage 1 depends on what lies in a slot."""
        pending, seen = [release.operands[1]], set()
        while pending:
            for use in pending.pop().uses:
                op = use.owner.operation
                if self.stages.get(_at_level_of(op, self.stages), 0):
                    return False
                if op not in seen and op.block == self.loop.block:
                    seen.add(op)
                    pending += op.results
        return True

    def _rotated(self, releases: list[Any]) -> list[Any]:
        """Emit the first iteration, the rounds and the last iteration; return the results.

        Args:
            releases: What comes after the last round of stage 0.
        """
        lower, upper, step, *inits = self.loop.operands
        first: Values = {self.induction: lower, **dict(zip(self.carried, inits, strict=True))}
        self._emit(first, None)
        given = [
            init if self._stage(value) else first.get(value, value)
            for value, init in zip(self.carried.values(), inits, strict=True)
        ]
        crossing = [first[value] for value in self.crossing]
        start = arith.addi(lower, step)
        rounds = scf.ForOp(start, upper, step, [*given, *crossing])
        if TURNS in self.loop.attributes:
            rounds.operation.attributes[TURNS] = self.loop.attributes[TURNS]
        with ir.InsertionPoint(rounds.body):
            self._round(rounds)
        last = self._values_before(list(rounds.results))
        _repeat(releases)
        self._emit(None, last)
        return [
            last.get(value, value) if self._stage(value) else result
            for value, result in zip(self.carried.values(), rounds.results, strict=False)
        ]

    def _round(self, rounds: Any) -> None:
        """Emit a round: stage 0 of this iteration, and stage 1 of the one before."""
        arguments = list(rounds.inner_iter_args)
        before = self._values_before(arguments)
        here: Values = {self.induction: rounds.induction_variable}
        for (argument, value), now in zip(self.carried.items(), arguments, strict=False):
            if not self._stage(value):
                here[argument] = now
            elif value in before:
                here[argument] = before[value]
        self._emit(here, before)
        ends = [
            (before if self._stage(value) else here).get(value, value)
            for value in self.carried.values()
        ]
        scf.YieldOp([*ends, *(here[value] for value in self.crossing)])

    def _values_before(self, values: list[Any]) -> Values:
        """Return what stage 1 reads, given what a round gets or what the last one passes on."""
        before: Values = dict(zip(self.carried, values, strict=False))
        return before | dict(zip(self.crossing, values[len(self.carried) :], strict=True))

    def _emit(self, here: Values | None, before: Values | None) -> None:
        """Clone the operations of a round.

        Args:
            here: The values of stage 0, which it extends; None leaves that stage out.
            before: The values of stage 1, likewise.
        """
        for op in self.order:
            values = before if self.stages[op] else here
            if values is None:
                continue
            set_stage(clone_whole(op, values), None)
            if before is not None and here is not None and self.stages[op]:
                for argument, value in self.carried.items():
                    if value in op.results:
                        here[argument] = before[value]

    def _crossing(self) -> list[Any]:
        """Return the values of stage 0 that operations of stage 1 read, without duplicates."""
        found: dict[Any, None] = {}
        for op in self.order:
            for value in operands_of(op) if self.stages[op] else ():
                if self._is_inside(value) and not self._stage(value):
                    found[value] = None
        return list(found)

    def _is_inside(self, value: Any) -> bool:
        """Tell whether each iteration has a value of its own."""
        if isinstance(value, ir.BlockArgument):
            return value == self.induction or value in self.carried
        return value.owner.operation in self.stages

    def _stage(self, value: Any) -> int:
        """Return the stage that makes a value; 0 for what comes from outside of the loop."""
        seen: set[Any] = set()
        while value in self.carried and value not in seen:
            seen.add(value)
            value = self.carried[value]
        if isinstance(value, ir.BlockArgument):
            return 0
        return self.stages.get(value.owner.operation, 0)


def _at_level_of(op: Any, known: Container[Any]) -> Any:
    """Return the operation of `known` that is `op` or holds it; None if there is none."""
    while op is not None and op not in known:
        op = parent_operation(op)
    return op


def _repeat(ops: list[Any]) -> None:
    """Emit copies of operations without results."""
    for op in ops:
        clone_whole(op, {})
