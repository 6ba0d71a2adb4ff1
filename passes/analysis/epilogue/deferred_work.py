"""What of an epilogue can wait with the store of a tile, for the products of the next tile.

A tile waits in registers, so what waits must be no wider than what is stored. Where the epilogue
has rounded its tile to so few bits on the way (`x = cast(acc + bias, bf16)`), all that it makes of
it from there on can wait, too: arithmetic and the slices of other tiles that it loads. What else
the epilogue needs has to be known ahead of the loop over tiles.
"""

from itertools import pairwise
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import ir
from tilec.ir.structured import body_operations, defining_operation, terminator
from tilec.passes.analysis.epilogue.store_deferral import DeferrableStore
from tilec.passes.analysis.kernels import TiledAccess
from tilec.plan.code_size import is_long
from tilec.support.fast_dataclasses import dataclass

ROUNDED, ROUNDED_BITS = (ir.BF16Type, ir.F16Type), 16
"""Elements of a tile that has been rounded on the way."""
SHAPE_OPS = ("nv_tileas.broadcast", "nv_tileas.permute", "nv_tileas.view")
SLICE = "nv_tileas.tile_slice"
_TILE_OPS = (*SHAPE_OPS, SLICE, "nv_tileas.splat")
_LOAD, _VIEW, _ADVANCE = "nv_tileas.load_shared", "nv_tileas.slot_view", "nv_tileas.ring_advance"
_WAIT = "nv_tileas.ring_wait"
_RING_OPS = (_WAIT, "nv_tileas.ring_release", _ADVANCE)
_TOKEN = "nv_tileas.ring_token"


@dataclass(frozen=True)
class DeferredSlice:
    """The part of an epilogue that waits.

    Attributes:
        store: The store of the slice.
        waits: The tile that waits.
        ops: The operations that compute the stored tile from it, in order; those that wait for
            slots, read and release them among them.
    """

    store: TiledAccess
    waits: Any
    ops: tuple[Any, ...] = ()

    @property
    def computes_token(self) -> bool:
        """Whether what waits returns the memory token that the store comes after."""
        return any(self.store.token in list(op.results) for op in self.ops)


@dataclass(frozen=True)
class DeferredWork:
    """All slices of a tile, and the rings that they alone read.

    Attributes:
        slices: What waits, slice by slice.
        rings: Every ring with its positions before the first slice, which the loop over tiles
            carries, and after the last one.
    """

    slices: tuple[DeferredSlice, ...]
    rings: tuple[tuple[Any, Any, Any], ...] = ()


def deferred_work(found: DeferrableStore) -> DeferredWork:
    """Return the most that can wait of the epilogue of `found`, in a consumer's loop over tiles."""
    slices = [_earliest_wait(access, found.loop) for access in found.slices]
    rings = _own_rings(slices)
    if any(not item.ops for item in slices) or rings is None:
        return only_stores(found)
    return DeferredWork(tuple(slices), tuple(rings))


def only_stores(found: DeferrableStore) -> DeferredWork:
    """Return the stores of `found` as work, without what is computed before them."""
    return DeferredWork(tuple(DeferredSlice(access, access.value) for access in found.slices))


def _earliest_wait(store: TiledAccess, loop: Any) -> DeferredSlice:
    """Return the slice with the earliest tile that can wait; that of the store itself at worst."""
    block = store.op.block
    order = {op: number for number, op in enumerate(body_operations(block))}
    if element_bits(store.tile_type.element_type) < ROUNDED_BITS:
        return DeferredSlice(store, store.value)  # it would wait in more registers than planned
    for op in sorted(order, key=order.__getitem__):
        if order[op] <= order[loop] or len(op.results) != 1 or op.name in (_LOAD, *_RING_OPS):
            continue
        tile = op.results[0]
        if tile == store.value:
            break
        if not isinstance(tile.type, ir.RankedTensorType) or _defines_constant(op):
            continue
        same = list(tile.type.shape) == list(store.tile_type.shape)
        if same and isinstance(tile.type.element_type, ROUNDED):
            ops = _rest(store, tile, loop)
            if ops and all(order[op] > order[loop] for op in ops if op.name == _WAIT):
                return DeferredSlice(store, tile, tuple(sorted(ops, key=order.__getitem__)))
    return DeferredSlice(store, store.value)


def _defines_constant(op: Any) -> bool:
    return op.name == "arith.constant"


def _is_cheap(op: Any) -> bool:
    """Tell whether `op` computes a constant or a scalar."""
    scalar = op.name.startswith("arith.") and not isinstance(
        op.results[0].type, ir.RankedTensorType
    )
    return scalar or _defines_constant(op)


def _rest(store: TiledAccess, waits: Any, loop: Any) -> set[Any] | None:
    """Return the operations that compute the stored tile from `waits`; None if they cannot wait."""
    block = store.op.block
    needed: set[Any] = set()
    pending = [store.value]
    while pending:
        value = pending.pop()
        op = defining_operation(value)
        if value == waits or (op is None and value.owner != block):
            continue
        if op is None or op == loop:
            return None
        if op.block != block or op in needed:
            continue
        if op.name == _LOAD:
            pull = _pull(op)
            if pull is None:
                return None
            needed.update(pull)
            continue
        simple = op.name.startswith(("arith.", "math.")) and not is_long(op.name)
        if not simple and op.name not in _TILE_OPS:
            return None
        needed.add(op)
        pending += op.operands
    uses_it = any(waits in list(op.operands) for op in needed)
    return needed if uses_it and _is_closed(needed, store.op) else None


def _is_closed(needed: set[Any], store: Any) -> bool:
    """Tell whether nothing but `needed` and the store uses the tiles that `needed` computes.

    Constants and scalars apart, of which each place can have its own.
    """
    tiles = [op for op in needed if not _is_cheap(op) and op.name != _ADVANCE]
    users = {use.owner.operation for op in tiles for value in op.results for use in value.uses}
    return users <= {*needed, store}


def _pull(load: Any) -> set[Any] | None:
    """Return the operations that take the tile of `load` from a ring slot of its own."""
    view = defining_operation(load.operands[0])
    if view is None or view.name != _VIEW:
        return None
    users = {use.owner.operation for use in view.operands[1].uses}
    names = sorted(op.name for op in users if op.name != _TOKEN)
    alone = names == sorted((_VIEW, *_RING_OPS))
    if not alone or any(op.block != load.block for op in users):
        return None
    return {load, *users}


def _own_rings(slices: list[DeferredSlice]) -> list[tuple[Any, Any, Any]] | None:
    """Return the first and last position of every ring that `slices` read.

    None where an operation belongs to two of them, where something else uses a ring of theirs, or
    where a slice reads two tiles of one.
    """
    for item in slices:
        own = [op.operands[0] for op in item.ops if op.name == _ADVANCE]
        if len(own) != len(set(own)):
            return None
    ops = [op for item in slices for op in item.ops if not _is_cheap(op)]
    if len(ops) != len(set(ops)):
        return None
    advances: dict[Any, list[Any]] = {}
    for op in (op for op in ops if op.name == _ADVANCE):
        advances.setdefault(op.operands[0], []).append(op)
    found = []
    for ring, steps in advances.items():
        links = pairwise(steps)
        if any(one.results[0] != other.operands[1] for one, other in links):
            return None
        first, last = steps[0].operands[1], steps[-1].results[0]
        if not _is_carried(first, last, steps[0].block):
            return None
        found.append((ring, first, last))
    return found


def _is_carried(first: Any, last: Any, block: Any) -> bool:
    """Tell whether the loop with body `block` begins its rounds with `first`, ends with `last`."""
    yields = list(terminator(block).operands)
    carried = zip(list(block.arguments)[1:], yields, strict=True)
    return (first, last) in list(carried) and len(list(last.uses)) == 1
