"""Store a tile while the products of the next tile run.

Before:  scf.for %tile = %first to %end step %s {
           %r = scf.for %k = %lower to %upper iter_args(%acc = %zeros) {
             ring_wait; %d = dot %a, %b, %acc; ring_release; yield %d }
           %v = truncf %r; tiled_store %v, %view[%m, %n] <tma> }
After:   %few = %upper < %lower + 2
         scf.while (%tile = %first, %p0 = %none, %p1 = %none, %y = %rows, %x = %c0) {
           %more = %tile < %end
           if !%more | %few { tiled_store %p0, %view[%y, %x]; tiled_store %p1, ... }
           condition(%more)
         } do {
           %r = scf.for %k = %lower to %upper iter_args(%acc = %zeros) {
             ring_wait; %d = dot %a, %b, %acc
             if %k < (%few ? %lower : %lower + 2) {
               if %k == %lower { tiled_store %p0, ... } else { tiled_store %p1, ... } }
             ring_release; yield %d }
           %v = truncf %r; %q0 = tile_part %v {[0, 0]}; %q1 = tile_part %v {[0, 64]}
           yield %tile + %s, %q0, %q1, %m, %n }

Consumers that share a tile all store it at the same time, and the tensor cores would idle. So the
result stays in registers, in the type that it is stored in, until the next tile: each of its first
products has a part of the store in its shadow, between the issue of the group and the wait for it
(`nv-tileas-schedule-mma`). Behind the last tile, and ahead of every one with fewer products than
parts, the store stands alone. What computes the tile stays behind its own products. Slices of a
tile (`nv-tileas-slice-tiles`) wait together; each begins some columns behind the first.

What a CTA stores with the products of its first tile are zeros beyond the array's last row, which
TMA drops.
"""

from collections.abc import Sequence
from typing import Any

from tilec.diagnostics import InternalCompilerError
from tilec.dialects.nv_tileas.mma_ops import IN_SHADOW
from tilec.ir.bindings import arith, ir, scf
from tilec.ir.structured import body_operations, defining_operation, next_operation, terminator
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.deferral import DeferrableStore, deferrable_store
from tilec.passes.analysis.epilogue import epilogue_parts
from tilec.passes.analysis.kernels import (
    TiledAccess,
    kernel_functions,
    kernel_operations,
    read_spec,
)
from tilec.passes.registry import PassContext, register_pass
from tilec.passes.transforms.nv_tileas.store_parts import Staging, StoreParts, set_staging
from tilec.records import dataclass, replace

NAME = "nv-tileas-defer-stores"


@register_pass(NAME)
def defer_stores(module: Any, context: PassContext) -> bool:
    """Store a tile while the products of the next tile run, where the plan says so."""
    del context
    changed = False
    for function in kernel_functions(module):
        spec = read_spec(function) or {}
        if not spec.get("defer_stores", False):
            continue
        found = [op for op in kernel_operations(function) if op.name == "nv_tileas.roles"]
        for roles in found:
            warpgroups = spec["consumer_warps"] // WARPGROUP_WARPS
            _defer(roles.opview.consumer.blocks[0], warpgroups, spec["epilogue_slots"])
            changed = True
    return changed


def _defer(block: Any, warpgroups: int, slots: int) -> None:
    """Let the store of a tile wait for the next one, in a consumer's operations."""
    loop = next(op for op in body_operations(block) if op.name == "scf.for")
    found = deferrable_store(loop.regions[0].blocks[0])
    if isinstance(found, str):
        raise InternalCompilerError(f"a planned deferral is impossible: {found}", pass_name=NAME)
    store = _DeferredStore.of(found, warpgroups, slots)
    lower, upper = list(found.loop.operands)[:2]
    with ir.InsertionPoint(loop), store.location:
        bound = arith.addi(lower, _constant(store.parts))
        few = arith.cmpi(arith.CmpIPredicate.slt, upper, bound)
        shadow = arith.select(few, lower, bound)
        nothing = store.nothing()
    waiting = _carry_tiles(loop, store, nothing, few)
    _store_in_shadow(found, store, waiting, shadow)
    for access in reversed(found.slices):
        access.op.erase()


@dataclass(frozen=True)
class _Waiting:
    """A tile that is still to be stored: its parts, and where it begins."""

    tiles: list[Any]
    coords: list[Any]

    @property
    def values(self) -> list[Any]:
        """All of it, as a loop over tiles carries it."""
        return [*self.tiles, *self.coords]


@dataclass(frozen=True)
class _DeferredStore:
    """The store, what it is cut into, and the staging slots of each warpgroup.

    Attributes:
        cuts: The parts of every slice; of a whole tile there is one.
        places: Slice and number in it of every part.
        staging: The staging slots.
    """

    cuts: list[StoreParts]
    places: list[tuple[int, int]]
    staging: Staging

    @classmethod
    def of(cls, found: DeferrableStore, warpgroups: int, slots: int) -> "_DeferredStore":
        """Return how the parts of `found` leave through `slots` slots."""
        cuts = []
        for access in found.slices:
            parts = epilogue_parts(access, warpgroups)
            if parts is None:
                raise InternalCompilerError("a deferred store has no parts", pass_name=NAME)
            # Tokens of a tile end with it. `nv-tileas-order-memory` has heeded them.
            cuts.append(StoreParts.of(replace(access, token=None), parts, warpgroups))
        places = [(slice_, n) for slice_, cut in enumerate(cuts) for n in range(len(cut.pieces))]
        count = len(places)
        return cls(cuts, places, Staging(0, min(slots, count), 1, count))

    @property
    def parts(self) -> int:
        """How many parts the share of a warpgroup has."""
        return self.staging.parts

    @property
    def whole(self) -> TiledAccess:
        """The store of the first slice, which begins where the tile begins."""
        return self.cuts[0].access

    @property
    def location(self) -> Any:
        """Where the kernel stores the tile."""
        return self.whole.op.location

    def nothing(self) -> _Waiting:
        """Emit what waits before the first tile: zeros, beyond the last row of the array."""
        access = self.whole
        memref, element = defining_operation(access.view).opview, access.tile_type.element_type
        zero = ir.FloatAttr.get(element, 0.0)
        tiles = []
        for _, layout in (piece for cut in self.cuts for piece in cut.pieces):
            tile = ir.RankedTensorType.get(list(layout.shape), element, loc=ir.Location.unknown())
            tiles.append(arith.constant(tile, ir.DenseElementsAttr.get_splat(tile, zero)))
        coords = [_constant(0) for _ in access.coords]
        sizes, extents = iter(memref.sizes), memref.memref.type.shape
        given = [next(sizes) if extent is None else _constant(extent) for extent in extents]
        coords[-2] = given[-2]
        return _Waiting(tiles, coords)

    def kept(self) -> _Waiting:
        """Emit what waits when a tile is computed."""
        tiles = [
            self.cuts[slice_].part(self.cuts[slice_].access.value, number)
            for slice_, number in self.places
        ]
        return _Waiting(tiles, list(self.whole.coords))

    def emit(self, waiting: _Waiting, number: int) -> None:
        """Emit the store of part `number`."""
        slice_, piece = self.places[number]
        cut = self.cuts[slice_]
        coords = list(waiting.coords)
        if slice_:
            step = slice_ * cut.access.tile_type.shape[cut.columns]
            coords[cut.columns] = arith.addi(coords[cut.columns], _constant(step))
        store = cut.store(waiting.tiles[number], cut.base(coords), piece)
        set_staging(store, self.staging, number)

    def waiting(self, values: Sequence[Any]) -> _Waiting:
        """Return what waits as `values`, which a loop over tiles carries last."""
        rank = len(self.whole.coords)
        tiles = list(values)[-self.parts - rank : -rank]
        return _Waiting(tiles, list(values)[-rank:])


def _carry_tiles(loop: Any, store: _DeferredStore, nothing: _Waiting, few: Any) -> _Waiting:
    """Make the loop over tiles one that carries a tile; return the one that waits in its body.

    It also stores the one that waits when there is no other, or when that has few products.
    """
    first, end, step, *inits = loop.operands
    types = [value.type for value in (first, *inits, *nothing.values)]
    location, body = store.location, loop.regions[0].blocks[0]
    clone = ir.Operation.create(
        "scf.while",
        results=types,
        operands=[first, *inits, *nothing.values],
        regions=2,
        loc=loop.location,
        ip=ir.InsertionPoint(loop),
    )
    before = clone.regions[0].blocks.append(*types, arg_locs=[loop.location] * len(types))
    with ir.InsertionPoint(before), location:
        more = arith.cmpi(arith.CmpIPredicate.slt, before.arguments[0], end)
        last = arith.xori(more, arith.constant(more.type, 1))
        branch = scf.IfOp(arith.ori(last, few))
        with ir.InsertionPoint(branch.then_block):
            for number in range(store.parts):
                store.emit(store.waiting(before.arguments), number)
            scf.YieldOp([])
        scf.ConditionOp(more, list(before.arguments))
    last_yield = terminator(body)
    with ir.InsertionPoint(last_yield), location:
        following = arith.addi(body.arguments[0], step)
        scf.YieldOp([following, *last_yield.operands, *store.kept().values])
    last_yield.erase()
    for value, kept in zip(loop.results, list(clone.results)[1:], strict=False):
        value.replace_all_uses_with(kept)
    carried = [body.add_argument(value.type, loop.location) for value in nothing.values]
    body.append_to(clone.regions[1])
    loop.erase()
    return store.waiting(carried)


def _store_in_shadow(
    found: DeferrableStore, store: _DeferredStore, waiting: _Waiting, shadow: Any
) -> None:
    """Store a part behind each product of a tile whose number is below `shadow`."""
    counter, lower = found.dot.block.arguments[0], found.loop.operands[0]
    with ir.InsertionPoint(found.dot), store.location:
        early = arith.cmpi(arith.CmpIPredicate.slt, counter, shadow)
    with ir.InsertionPoint(next_operation(found.dot)), store.location:
        branch = scf.IfOp(early)
        branch.operation.attributes[IN_SHADOW] = ir.UnitAttr.get()
        with ir.InsertionPoint(branch.then_block):
            _store_one(store, waiting, 0, arith.subi(counter, lower))
            scf.YieldOp([])


def _store_one(store: _DeferredStore, waiting: _Waiting, number: int, chosen: Any) -> None:
    """Emit the store of the part that the i32 `chosen` names, which is `number` at least."""
    if number == store.parts - 1:
        store.emit(waiting, number)
        return
    this = arith.cmpi(arith.CmpIPredicate.eq, chosen, _constant(number))
    branch = scf.IfOp(this, has_else=True)
    with ir.InsertionPoint(branch.then_block):
        store.emit(waiting, number)
        scf.YieldOp([])
    with ir.InsertionPoint(branch.else_block):
        _store_one(store, waiting, number + 1, chosen)
        scf.YieldOp([])


def _constant(number: int) -> Any:
    return arith.constant(ir.IntegerType.get_signless(32), number)
