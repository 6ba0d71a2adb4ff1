"""Store a tile while the products of the next tile run.

Before:  scf.for %tile = %first to %end step %s {
           %r = scf.for %k = %lower to %upper iter_args(%acc = %zeros) {
             ring_wait; %d = dot %a, %b, %acc; ring_release; yield %d }
           %v = truncf %r; tiled_store %v, %view[%m, %n] <tma> }
After:   %few = %upper < %lower + 2
         scf.while (%tile = %first, %p0 = %none, %p1 = %none, %y = %rows, %x = %c0) {
           %more = %tile < %end
           if !%more | %few { tiled_store %p0, %view[%y, %x]; tiled_store %p1, %view[%y, %x + 64] }
           condition(%more)
         } do {
           %r = scf.for %k = %lower to %upper iter_args(%acc = %zeros) {
             ring_wait; %d = dot %a, %b, %acc
             if %k < (%few ? %lower : %lower + 2) {
               if %k == %lower { tiled_store %p0, ... } else { tiled_store %p1, ... } }
             ring_release; yield %d }
           %v = truncf %r; %q0 = tile_part %v {[0, 0]}; %q1 = tile_part %v {[0, 64]}
           yield %tile + %s, %q0, %q1, %m, %n }

Consumers that share a tile would all store it at the same time, and the tensor cores would idle. So
the result stays in registers until the next tile, in the type in which it is stored. During each of
the first products of the next tile, one part is stored: after the group is issued, before the wait
for it (`nv-tileas-schedule-mma`). After the last tile, and before a tile with fewer products than
parts, the store runs alone. During the products of the first tile, a CTA stores zeros beyond the
last row of the array, which TMA drops. The slices of a tile (`nv-tileas-slice-tiles`) are deferred
together.

The kernel must have one product in one loop and one store, of a tile that is computed element by
element from the sums. The registers must hold a result and the accumulators of the next tile
together. Other work of the epilogue stays after the products of its own tile.

With `defer_work`, a tile that is rounded to 16 bits is deferred as soon as it is rounded. What is
computed from it then runs with the store:

    Before:  %x = truncf %r; ring_wait %slot; %l = load_shared %slot; ring_release
             %y = addf %x, %l; tiled_store %y, %view[%m, %n]
    After:   // during a product of the next tile, if a tile is deferred:
             %v = opaque (tile_slice %x {[0, 0]}); ring_wait %slot; %l = load_shared %slot {[0, 0]}
             %y = addf %v, %l; tiled_store %y, %view[%m, %n] {staging_origin = [0, 0]}
             // during the product after that:
             %v = opaque (tile_slice %x {[0, 16]}); %l = load_shared %slot {[0, 16]}
             %y = addf %v, %l; tiled_store %y, %view[%m, %n] {staging_origin = [0, 16]}
             ring_release

Each step computes 16 columns; more would make the next product wait. The steps of a slice write one
staging slot. The first step waits for what the slice reads, the last one stores it and releases the
slot. This work may need only the rounded tile, constants, values that are known before the loop
over tiles, and tiles that are loaded after the products and that no other part of the epilogue
reads. It may not call functions (`sin`, `%`), which every step would repeat.

Options:
    defer_stores: 1 defers the store of a tile.
    defer_work: 1 also defers the computations after the rounding.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.memory_ops import CreateMemTokenOp, JoinMemTokenOp
from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.removal import erase
from tilec.ir.structured import body_operations, defining_operation, next_operation, terminator
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.epilogue.deferred_work import DeferredWork, deferred_work, only_stores
from tilec.passes.analysis.epilogue.store_deferral import DeferrableStore, deferrable_store
from tilec.passes.analysis.facts.memory_tokens import trace_token
from tilec.passes.analysis.kernels import (
    TiledAccess,
    kernel_functions,
    kernel_operations,
    read_spec,
    reject,
)
from tilec.passes.registry import PassContext, register_pass
from tilec.passes.transforms.nv_tileas.epilogue.waiting_parts import (
    Begin,
    WaitingPart,
    waiting_parts,
)
from tilec.support.diagnostics import InternalCompilerError
from tilec.support.fast_dataclasses import dataclass

NAME = "nv-tileas-defer-stores"
_NO_WORK = "defer_work = true: nothing is left to compute from a tile that is rounded to 16 bits"
_NO_WORK_HINT = (
    "round the tile first, as in cast(acc, bf16), and load what is computed with it only then"
)


@register_pass(NAME)
def defer_stores(module: Any, context: PassContext) -> bool:
    """Store a tile while the products of the next tile run, where the plan says so."""
    changed = False
    for function in kernel_functions(module):
        spec = read_spec(function) or {}
        if not spec.get("defer_stores", False):
            continue
        asked = context.overrides(function).get("defer_work", False)
        found = [op for op in kernel_operations(function) if op.name == "nv_tileas.roles"]
        for roles in found:
            works = _defer(roles.opview, spec, asked=asked)
            plan = read_kernel_fact(function, "plan", {})
            write_kernel_facts(function, plan={**plan, "defer_work": works})
            changed = True
    return changed


def _defer(roles: Any, spec: dict[str, Any], *, asked: bool) -> bool:
    """Let the store of a tile wait for the next one, in the consumers' operations.

    Args:
        roles: The roles of a kernel.
        spec: Its spec.
        asked: Whether the user wants something computed with the store.

    Returns:
        Whether something is.

    Raises:
        CompileError: T0421 if nothing is, though the user asked for it.
    """
    loop = next(op for op in body_operations(roles.consumer.blocks[0]) if op.name == "scf.for")
    found = deferrable_store(loop.regions[0].blocks[0])
    if isinstance(found, str):
        raise InternalCompilerError(f"a planned deferral is impossible: {found}", pass_name=NAME)
    work = deferred_work(found) if spec.get("defer_work", False) else only_stores(found)
    works = any(item.ops for item in work.slices)
    if asked and not works:
        raise reject(found.slices[0].op, "T0421", _NO_WORK, _NO_WORK_HINT)
    warpgroups = spec["consumer_warps"] // WARPGROUP_WARPS
    parts = waiting_parts(work, warpgroups, spec["epilogue_slots"])
    lower, upper = list(found.loop.operands)[:2]
    with ir.InsertionPoint(loop), found.slices[0].op.location:
        bound = arith.addi(lower, _constant(sum(part.steps for part in parts)))
        few = arith.cmpi(arith.CmpIPredicate.slt, upper, bound)
        shadow = arith.select(few, lower, bound)
    _DeferredStore(found, work, parts).apply(loop, few, shadow)
    return works


@dataclass(frozen=True)
class _Carried:
    """What a loop over tiles carries for the tile that waits.

    Attributes:
        waits: Whether one does; None where one always does.
        tiles: Its parts.
        begin: Where it begins, and what its store must come after.
    """

    waits: Any
    tiles: list[Any]
    begin: Begin

    @property
    def values(self) -> list[Any]:
        """All of it."""
        waits = [] if self.waits is None else [self.waits]
        return [*waits, *self.tiles, *self.begin.tokens, *self.begin.coords]

    def replaced(self, values: Sequence[Any]) -> "_Carried":
        """Return the same of `values`, which a loop carries last."""
        last = iter(list(values)[-len(self.values) :])
        waits = None if self.waits is None else next(last)
        tiles, tokens, coords = (
            [next(last) for _ in part]
            for part in (self.tiles, self.begin.tokens, self.begin.coords)
        )
        return _Carried(waits, tiles, Begin(coords, tokens))


@dataclass(frozen=True)
class _DeferredStore:
    """The store of a tile, what is computed with it, and its parts."""

    found: DeferrableStore
    work: DeferredWork
    parts: list[WaitingPart]

    @property
    def whole(self) -> TiledAccess:
        """The store of the first slice, which begins where the tile begins."""
        return self.found.slices[0]

    @property
    def location(self) -> Any:
        """Where the kernel stores the tile."""
        return self.whole.op.location

    def apply(self, tiles: Any, few: Any, shadow: Any) -> None:
        """Rewrite the loop `tiles`: parts below `shadow` follow products, the others are alone."""
        body = tiles.regions[0].blocks[0]
        rings = [list(body.arguments).index(first) for _, first, _ in self.work.rings]
        with ir.InsertionPoint(tiles), self.location:
            nothing = self._nothing()
        waiting = self._carry_tiles(tiles, nothing, few, rings)
        ends = self._work_in_shadow(waiting, shadow)
        for (_, _, last), end in zip(self.work.rings, ends, strict=True):
            last.replace_all_uses_with(end)
        for access in reversed(self.found.slices):
            erase(access.op)
        done = dict.fromkeys(op for item in self.work.slices for op in item.ops)
        for op in reversed(done):
            if not any(next(iter(value.uses), None) for value in op.results):
                erase(op)

    def _nothing(self) -> _Carried:
        """Emit what waits before the first tile: zeros, beyond the last row of the array."""
        access, tiles = self.whole, [part.nothing() for part in self.parts]
        memref = defining_operation(access.view).opview
        coords = [_constant(0) for _ in access.coords]
        sizes, extents = iter(memref.sizes), memref.memref.type.shape
        given = [next(sizes) if extent is None else _constant(extent) for extent in extents]
        coords[-2] = given[-2]
        waits = _truth(False) if self.work.rings else None
        tokens = [CreateMemTokenOp.build()] if self._tokens() else []
        return _Carried(waits, tiles, Begin(coords, tokens))

    def _kept(self) -> _Carried:
        """Emit what waits when a tile is computed."""
        waits, tokens = _truth(True) if self.work.rings else None, self._tokens()
        joined = [JoinMemTokenOp.build(tokens)] if tokens else []
        begin = Begin(list(self.whole.coords), joined)
        return _Carried(waits, [part.kept() for part in self.parts], begin)

    def _tokens(self) -> list[Any]:
        """Return the memory tokens of what the tile is computed from, and stored after."""
        waiting = [item.store.token for item in self.work.slices if not item.computes_token]
        given = dict.fromkeys(token for token in waiting if token is not None)
        return [token for token in given if trace_token(token).origins]

    def _carry_tiles(self, loop: Any, nothing: _Carried, few: Any, rings: list[int]) -> _Carried:
        """Make the loop over tiles one that carries a tile; return the one that waits in its body.

        It also stores the one that waits when there is no other, or when that has few products.
        """
        first, end, step, *inits = loop.operands
        types = [value.type for value in (first, *inits, *nothing.values)]
        body = loop.regions[0].blocks[0]
        clone = ir.Operation.create(
            "scf.while",
            results=types,
            operands=[first, *inits, *nothing.values],
            regions=2,
            loc=loop.location,
            ip=ir.InsertionPoint(loop),
        )
        before = clone.regions[0].blocks.append(*types, arg_locs=[loop.location] * len(types))
        with ir.InsertionPoint(before), self.location:
            more = arith.cmpi(arith.CmpIPredicate.slt, before.arguments[0], end)
            alone = arith.ori(arith.xori(more, _truth(True)), few)
            passed = list(before.arguments)
            positions = [passed[index] for index in rings]
            for index, position in zip(
                rings, self._work_alone(nothing.replaced(passed), alone, positions), strict=True
            ):
                passed[index] = position
            scf.ConditionOp(more, passed)
        last_yield = terminator(body)
        with ir.InsertionPoint(last_yield), self.location:
            following = arith.addi(body.arguments[0], step)
            scf.YieldOp([following, *last_yield.operands, *self._kept().values])
        erase(last_yield)
        for value, kept in zip(loop.results, list(clone.results)[1:], strict=False):
            value.replace_all_uses_with(kept)
        carried = [body.add_argument(value.type, loop.location) for value in nothing.values]
        body.append_to(clone.regions[1])
        erase(loop)
        return nothing.replaced(carried)

    def _work_alone(self, waiting: _Carried, alone: Any, positions: list[Any]) -> list[Any]:
        """Emit all parts, if `alone`; return the positions of the rings after them."""
        if waiting.waits is not None:
            alone = arith.andi(alone, waiting.waits)
        branch = _branch(alone, positions)
        with ir.InsertionPoint(branch.then_block):
            ends = positions
            for number in range(len(self.parts)):
                ends = self._emit(waiting, number, None, ends)
            scf.YieldOp(ends)
        return list(branch.results)

    def _work_in_shadow(self, waiting: _Carried, shadow: Any) -> list[Any]:
        """Emit a part after each product of a tile whose number is below `shadow`.

        Returns:
            The positions of the rings after the loop over products.
        """
        inits = [first for _, first, _ in self.work.rings]
        loop, positions, results = _carry_through(self.found.loop, inits)
        dot = self.found.dot
        counter, lower = dot.block.arguments[0], loop.operands[0]
        with ir.InsertionPoint(dot), self.location:
            early = arith.cmpi(arith.CmpIPredicate.slt, counter, shadow)
            if waiting.waits is not None:
                early = arith.andi(early, waiting.waits)
        with ir.InsertionPoint(next_operation(dot)), self.location:
            branch = _branch(early, positions)
            with ir.InsertionPoint(branch.then_block):
                scf.YieldOp(self._emit_one(waiting, 0, arith.subi(counter, lower), positions))
        _yield_instead(loop, positions, list(branch.results))
        return results

    def _emit_one(
        self, waiting: _Carried, number: int, chosen: Any, positions: list[Any]
    ) -> list[Any]:
        """Emit the step that the i32 `chosen` names, which is `number` at least."""
        steps = [(part, step) for part, it in enumerate(self.parts) for step in range(it.steps)]
        if number == len(steps) - 1:
            return self._emit(waiting, *steps[number], positions)
        this = arith.cmpi(arith.CmpIPredicate.eq, chosen, _constant(number))
        branch = scf.IfOp(this, [value.type for value in positions], has_else=True)
        with ir.InsertionPoint(branch.then_block):
            scf.YieldOp(self._emit(waiting, *steps[number], positions))
        with ir.InsertionPoint(branch.else_block):
            scf.YieldOp(self._emit_one(waiting, number + 1, chosen, positions))
        return list(branch.results)

    def _emit(
        self, waiting: _Carried, part: int, step: int | None, positions: list[Any]
    ) -> list[Any]:
        """Emit a step of a part, or all of it; return the positions of the rings after it."""
        rings = [ring for ring, _, _ in self.work.rings]
        current = dict(zip(rings, positions, strict=True))
        return self.parts[part].emit(waiting.tiles[part], waiting.begin, current, step)


def _branch(condition: Any, positions: list[Any]) -> Any:
    """Emit a branch that returns what it makes of `positions`, or `positions`."""
    branch = scf.IfOp(condition, [value.type for value in positions], has_else=bool(positions))
    if positions:
        with ir.InsertionPoint(branch.else_block):
            scf.YieldOp(positions)
    return branch


def _carry_through(loop: Any, inits: list[Any]) -> tuple[Any, list[Any], list[Any]]:
    """Let an `scf.for` carry more values, for now without change; return it, theirs and results."""
    if not inits:
        return loop, [], []
    body = loop.regions[0].blocks[0]
    types = [value.type for value in (*loop.results, *inits)]
    clone = ir.Operation.create(
        "scf.for",
        results=types,
        operands=[*loop.operands, *inits],
        attributes=dict(loop.attributes.items()),
        regions=1,
        loc=loop.location,
        ip=ir.InsertionPoint(loop),
    )
    carried = [body.add_argument(value.type, loop.location) for value in inits]
    body.append_to(clone.regions[0])
    end = terminator(body)
    with ir.InsertionPoint(end), end.location:
        scf.YieldOp([*end.operands, *carried])
    erase(end)
    for value, kept in zip(loop.results, list(clone.results), strict=False):
        value.replace_all_uses_with(kept)
    erase(loop)
    return clone, carried, list(clone.results)[-len(inits) :]


def _yield_instead(loop: Any, values: list[Any], instead: list[Any]) -> None:
    """Let the last values that an `scf.for` yields be `instead` of `values`."""
    end = terminator(loop.regions[0].blocks[0])
    first = len(end.operands) - len(values)
    for number, value in enumerate(instead):
        end.operands[first + number] = value


def _truth(value: bool) -> Any:
    return arith.constant(ir.IntegerType.get_signless(1), int(value))


def _constant(number: int) -> Any:
    return arith.constant(ir.IntegerType.get_signless(32), number)
