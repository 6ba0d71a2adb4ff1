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
released right after the loop, are released before the last iteration of stage 1. If only products
read such a slot, it is released after the last one of them, in the last iteration: the producer
fills it while threads compute and the last products of the tile run.

Before:  %r = scf.for %i = %l to %u { %p = dot %slot, %b {stage = 0}; ... }; ring_release %ring, %q
After:   ...; scf.for %i = %l + 1 to %u { %p = dot %slot, %b; %last = %i + 1 >= %u
                                          ring_release %ring, %q, %last; ... }

The copies of a store have one number, `copy_of`: they use the same shared memory
(`nv-tileas-lower-epilogue`).

A loop around another one is not copied. Where its operations have stages, stage 1 runs during the
inner loop, a piece after the products of each round, before what only later operations need
(`passes/transforms/nv_tileas/schedule/spread_stage.py`):

Before:  scf.for %tile = %first to %end step %s {
           %r = scf.for %k = %lower to %upper iter_args(%acc = %zeros) {
             ring_wait; %d = dot %a, %b, %acc; ring_release; yield %d }
           %v = truncf %r; tiled_store %v, %view[%m, %n] <tma> {stage = 1} }
After:   %few = %upper < %lower + 2
         scf.while (%tile = %first, %p = %zero, %y = %c0, %x = %c0) {
           %more = %tile < %end
           if (!%more | %few) & %tile != %first { tiled_store %p[0], %view[%y, %x]
                                                  tiled_store %p[1], %view[%y, %x + 64] }
           condition(%more)
         } do {
           %shadow = %few | %tile == %first ? %lower : %lower + 2
           %r = scf.for %k = %lower to %upper iter_args(%acc = %zeros) {
             ring_wait; %d = dot %a, %b, %acc
             if %k < %shadow {
               if %k == %lower { tiled_store %p[0], ... } else { tiled_store %p[1], ... } }
             ring_release; yield %d }
           %v = truncf %r; yield %tile + %s, %v, %m, %n }

Options:
    defer_stores: 0 keeps the store of a tile in its own round of the loop over tiles.
    defer_work: 0 keeps there what is computed from a tile that was rounded, too.
"""

from collections.abc import Container
from itertools import takewhile
from typing import Any

from tilec.dialects.nv_tileas import RingReleaseOp
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.removal import erase, replace_operation
from tilec.ir.sequences import operations_after
from tilec.ir.structured import clone_whole, parent_operation, terminator
from tilec.passes.analysis.kernels import kernel_operations, read_spec, warpgroups_of_spec
from tilec.passes.analysis.mma.loop_guards import guard_loop
from tilec.passes.analysis.schedule.loop_graph import loop_graph, loop_operations, loops_of_tiles
from tilec.passes.analysis.schedule.marks import TURNS, set_copy, set_stage, stage_of
from tilec.passes.analysis.schedule.op_costs import DOT
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileas.schedule.spread_stage import SpreadStage
from tilec.passes.transforms.nv_tileas.schedule.staged_loop import StagedLoop, Values
from tilec.plan.issue_order import order_of

RELEASE = RingReleaseOp.OPERATION_NAME


@register_kernel_pass("nv-tileas-rotate-loops")
def rotate_loops(function: Any, context: PassContext) -> bool:
    """Rotate every loop whose operations have stages."""
    changed = False
    loops = [op for op in kernel_operations(function) if op.name == "scf.for"]
    _number_stores(function)
    for loop in reversed(loops):  # inner loops first
        if any(stage_of(op) is not None for op in loop_operations(loop)):
            _rotate(loop, read_spec(function) or {})
            changed = True
    return changed


def _number_stores(function: Any) -> None:
    """Number the stores of loops that will be copied, so that copies of one are known as such."""
    stores = [op for op in kernel_operations(function) if op.name.endswith("tiled_store")]
    for number, store in enumerate(stores):
        place = store  # the stage may be that of a branch around the store
        while place is not None and stage_of(place) is None:
            place = parent_operation(place)
        if place is not None and not loops_of_tiles(parent_operation(place)):
            set_copy(store, number)


def _rotate(loop: Any, spec: dict[str, Any]) -> None:
    """Rotate a loop by the stages of its operations."""
    warpgroups = warpgroups_of_spec(spec)
    if loops_of_tiles(loop):
        SpreadStage(loop, warpgroups, spec["epilogue_slots"]).run()
    else:
        ops = loop_operations(loop)
        stages = tuple(stage_of(op) or 0 for op in ops)
        order, _ = order_of(loop_graph(loop, warpgroups), stages)
        _Rotation(loop, [ops[number] for number in order]).run()


class _Rotation(StagedLoop):
    """The rotation of one loop."""

    def run(self) -> None:
        """Replace the loop by the rotated one."""
        loop = self.loop
        releases = self._early_releases()
        self.last_reads = {op: self._last_read(op) for op in releases}
        branch = guard_loop(loop)
        with ir.InsertionPoint(terminator(branch.regions[1].blocks[0])), loop.location:
            _repeat(releases)
        with ir.InsertionPoint(loop), loop.location:
            replace_operation(loop, self._rotated(releases))
        for op in releases:
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

    def _last_read(self, release: Any) -> Any:
        """Return the product of stage 0 that is the last one to read a slot in a round.

        None where something else reads it, too.
        """
        pending, readers = [release.operands[1]], set()
        while pending:
            for use in pending.pop().uses:
                op = use.owner.operation
                place = _at_level_of(op, self.stages)
                if place is not None:
                    readers.add(place)
                elif op.block == self.loop.block and not op.regions:
                    pending += op.results
        if not readers or any(op.name != DOT for op in readers):
            return None
        return [op for op in self.ops if op in readers][-1]

    def _release_after(self, op: Any, here: Values) -> None:
        """Release what `op` is the last one to read, in the last iteration."""
        reads = self.last_reads.items()
        ended = [release for release, last in reads if last is not None and last == op]
        if not ended:
            return
        _, upper, step = list(self.loop.operands)[:3]
        with op.location:
            following = arith.addi(here[self.induction], step)
            is_last = arith.cmpi(arith.CmpIPredicate.sge, following, upper)
            for release in ended:
                ring, position = list(release.operands)[:2]
                RingReleaseOp(ring=ring, position=position, when=is_last)

    def _rotated(self, releases: list[Any]) -> list[Any]:
        """Emit the first iteration, the rounds and the last iteration; return the results.

        Args:
            releases: What comes after the last round of stage 0.
        """
        lower, upper, step, *inits = self.loop.operands
        first: Values = {self.induction: lower, **dict(zip(self.carried, inits, strict=True))}
        self._emit(first, None)
        given = [
            init if self.stage(value) else first.get(value, value)
            for value, init in zip(self.carried.values(), inits, strict=True)
        ]
        crossing = [first[value] for value in self.crossing]
        start = arith.addi(lower, step)
        rounds = scf.ForOp(start, upper, step, [*given, *crossing])
        if TURNS in self.loop.attributes:
            rounds.operation.attributes[TURNS] = self.loop.attributes[TURNS]
        with ir.InsertionPoint(rounds.body):
            self._round(rounds)
        last = self.values_before(list(rounds.results))
        _repeat([op for op in releases if self.last_reads[op] is None])
        self._emit(None, last)
        return [
            last.get(value, value) if self.stage(value) else result
            for value, result in zip(self.carried.values(), rounds.results, strict=False)
        ]

    def _round(self, rounds: Any) -> None:
        """Emit a round: stage 0 of this iteration, and stage 1 of the one before."""
        arguments = list(rounds.inner_iter_args)
        before = self.values_before(arguments)
        here: Values = {self.induction: rounds.induction_variable}
        for (argument, value), now in zip(self.carried.items(), arguments, strict=False):
            if not self.stage(value):
                here[argument] = now
            elif value in before:
                here[argument] = before[value]
        self._emit(here, before)
        ends = [
            (before if self.stage(value) else here).get(value, value)
            for value in self.carried.values()
        ]
        scf.YieldOp([*ends, *(here[value] for value in self.crossing)])

    def _emit(self, here: Values | None, before: Values | None) -> None:
        """Clone the operations of a round.

        Args:
            here: The values of stage 0, which it extends; None leaves that stage out.
            before: The values of stage 1, likewise.
        """
        for op in self.ops:
            values = before if self.stages[op] else here
            if values is None:
                continue
            set_stage(clone_whole(op, values), None)
            if here is not None:
                self._release_after(op, here)
            if before is not None and here is not None and self.stages[op]:
                for argument, value in self.carried.items():
                    if value in op.results:
                        here[argument] = before[value]


def _at_level_of(op: Any, known: Container[Any]) -> Any:
    """Return the operation of `known` that is `op` or holds it; None if there is none."""
    while op is not None and op not in known:
        op = parent_operation(op)
    return op


def _repeat(ops: list[Any]) -> None:
    """Emit copies of operations without results."""
    for op in ops:
        clone_whole(op, {})
