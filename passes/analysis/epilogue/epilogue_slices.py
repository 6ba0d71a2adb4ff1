"""Which stores can be computed in slices: some columns of the accumulator at a time.

The tile of such a store is computed element by element, from an accumulator and from tiles that are
loaded in the same block, and nothing else needs those tiles whole. Its slices then are computed
from slices of what it is computed from. What is reduced along the columns, such as the largest
number of each row, is not needed whole either: each slice is reduced, and the results are combined.
"""

from collections.abc import Iterable
from typing import Any

from tilec.dialects.nv_tileas.tile_ops import ReduceOp
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.structured import body_operations, defining_operation, parent_operation
from tilec.ir.values import is_tile, users_of
from tilec.layout import axis_in, without_units
from tilec.passes.analysis.epilogue.accumulator_stores import accumulator_axes, epilogue_parts
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.kernels import TiledAccess, is_tiled_access, tiled_access
from tilec.plan.epilogue import SlicedTile
from tilec.support.fast_dataclasses import dataclass, field

BROADCAST = "nv_tileas.broadcast"
PERMUTE = "nv_tileas.permute"
SPLAT = "nv_tileas.splat"
VIEW = "nv_tileas.view"
CONSTANT = "arith.constant"
_PLAIN_MATH = ("math.fma", "math.absf", "math.absi", "math.copysign")


@dataclass
class SlicedStore:
    """A store that can be computed in slices.

    Attributes:
        access: The store.
        rows: Axis of the stored tile along the rows of the accumulator.
        axis: Axis along its columns, which is cut.
        axes: The axis that is cut of every tile that the stored one is computed from, as far as
            operations on it are computed slice by slice.
        cuts: The same of every tile that slices are taken from.
        loads: Loads of tiles of the same extents, which are loaded slice by slice.
        reductions: Operations that reduce such tiles along their columns, for later use.
    """

    access: TiledAccess
    rows: int
    axis: int
    axes: dict[Any, int] = field(default_factory=dict)
    cuts: dict[Any, int] = field(default_factory=dict)
    loads: list[Any] = field(default_factory=list)
    reductions: list[Any] = field(default_factory=list)

    @property
    def tile(self) -> SlicedTile:
        """What the planner needs to know."""
        type_ = self.access.tile_type
        return SlicedTile(
            rows=type_.shape[self.rows],
            columns=type_.shape[self.axis],
            result_bytes=element_bits(type_.element_type) // 8,
            load_bytes=sum(
                element_bits(load.results[0].type.element_type) // 8
                for load in self.loads
                if tiled_access(load).uses_tma
            ),
            is_costly=bool(self.loads)
            or any(_is_special_function(defining_operation(tile)) for tile in self.axes),
        )


def _is_special_function(op: Any) -> bool:
    return op.name.startswith("math.") and op.name not in _PLAIN_MATH


def sliced_stores(accesses: Iterable[TiledAccess]) -> list[SlicedStore]:
    """Return the stores that are computed in slices when the plan has slices.

    Those that gain from it; only where none does, all that can be.
    """
    found = [store for store in map(sliced_store, accesses) if store is not None]
    return [store for store in found if store.tile.is_worth_slicing] or found


def sliced_store(access: TiledAccess) -> SlicedStore | None:
    """Return how a TMA store can be computed in slices; None when it needs whole tiles."""
    if epilogue_parts(access, 1) is None:
        return None
    axes = accumulator_axes(access.value)
    if axes is None:
        return None
    store = SlicedStore(access, rows=axes[0], axis=axes[1])
    complete = _follow(access.value, store.axis, store) and _used_only_in(store)
    return store if complete else None


def _follow(tile: Any, axis: int, store: SlicedStore) -> bool:
    """Note what `tile` is computed from; False when some tile is needed in slices of two axes."""
    if tile in store.axes or tile in store.cuts:
        return axis == {**store.axes, **store.cuts}[tile]
    sources = slice_sources(tile, axis, store.access.op.block)
    if sources is None:
        store.cuts[tile] = axis
        return True
    store.axes[tile] = axis
    if is_tiled_access(defining_operation(tile)):
        store.loads.append(defining_operation(tile))
    return all(_follow(source, along, store) for source, along in sources)


def slice_sources(tile: Any, axis: int, block: Any) -> list[tuple[Any, int]] | None:
    """Return the tiles and axes whose slices make a slice of `tile` along `axis`.

    None when a slice has to be taken from `tile` itself. Tiles that have extent 1 where others are
    cut are no sources: they are needed whole.
    """
    op = defining_operation(tile)
    if number_of(tile) is not None:
        return []
    if op is None or op.block != block or len(op.regions):
        return None
    if op.name == SPLAT:
        return []
    if is_tiled_access(op):
        return [] if len(without_units(tile.type.shape)) > 1 else None
    if op.name == PERMUTE:
        return [(op.operands[0], list(op.opview.permutation)[axis])]
    if op.name == BROADCAST:
        source = op.operands[0]
        return [(source, axis)] if source.type.shape[axis] > 1 else []
    if op.name == VIEW:
        along = axis_in(tile.type.shape, axis, op.operands[0].type.shape)
        return None if along is None else [(op.operands[0], along)]
    return (
        [(value, axis) for value in op.operands if is_tile(value)] if _is_by_element(op) else None
    )


def _is_by_element(op: Any) -> bool:
    """Tell whether an operation computes a tile element by element, from tiles of its extents."""
    if op.name.split(".")[0] not in ("arith", "math") or len(op.results) != 1:
        return False
    tiles = [value for value in op.operands if is_tile(value)]
    result = op.results[0]
    return is_tile(result) and all(value.type.shape == result.type.shape for value in tiles)


def _used_only_in(store: SlicedStore) -> bool:
    """Tell whether nothing but the store and reductions needs what is computed in slices.

    Plain arithmetic on the accumulator does no harm: the same on the same registers, twice.
    """
    checked: set[Any] = set()
    while left := [tile for tile in store.axes if tile not in checked]:
        checked.update(left)
        for tile in left:
            outside = [op for op in users_of(tile) if not _is_inside(op, store)]
            if _is_plain(tile, store):
                continue
            if not all(_is_reduced(op, tile, store) for op in outside):
                return False
    return all(_may_load_late(load, store) for load in store.loads)


def _is_inside(op: Any, store: SlicedStore) -> bool:
    return op == store.access.op or op in store.reductions or _computes(op, store)


def _is_reduced(op: Any, tile: Any, store: SlicedStore) -> bool:
    """Tell whether `op` reduces a tile, or is a step towards that, and note it.

    A step is computed element by element. What it reads besides is there before the store, where
    the slices are computed.
    """
    axis, block = store.axes[tile], store.access.op.block
    if _is_sliced_reduction(op, axis, store):
        store.reductions.append(op)
        return True
    if op.block != block or not _is_by_element(op):
        return False
    others = [value for value in op.operands if value not in store.axes]
    if not all(_is_there(value, store) for value in others):
        return False
    return _follow(op.results[0], axis, store)


def _is_sliced_reduction(op: Any, axis: int, store: SlicedStore) -> bool:
    """Tell whether `op` combines the slices of one tile by one operation, for use after a store."""
    if op.name != ReduceOp.OPERATION_NAME or op.block != store.access.op.block:
        return False
    if len(op.operands) != 1 or op.opview.axis.value != axis or not is_tile(op.results[0]):
        return False
    combine, *rest = body_operations(op.opview.block)
    plain = len(rest) == 1 and set(combine.operands) == set(op.opview.block.arguments)
    return plain and not any(_comes_before(user, store) for user in users_of(op.results[0]))


def _is_there(value: Any, store: SlicedStore) -> bool:
    maker = defining_operation(value)
    if maker is None or maker.block != store.access.op.block or maker.name == CONSTANT:
        return True
    return _comes_before(maker, store)


def _comes_before(op: Any, store: SlicedStore) -> bool:
    """Tell whether `op`, or what it is inside of, comes before a store in its block."""
    block = store.access.op.block
    while op.block != block:
        op = parent_operation(op)
    order = body_operations(block)
    return order.index(op) < order.index(store.access.op)


def _computes(op: Any, store: SlicedStore) -> bool:
    return any(result in store.axes for result in op.results)


def _is_plain(tile: Any, store: SlicedStore) -> bool:
    """Tell whether a slice of `tile` takes no loads and no special functions."""
    if tile not in store.axes:
        return True
    op = defining_operation(tile)
    if op in store.loads or _is_special_function(op):
        return False
    sources = slice_sources(tile, store.axes[tile], store.access.op.block) or []
    return all(_is_plain(source, store) for source, _ in sources)


def _may_load_late(load: Any, store: SlicedStore) -> bool:
    """Tell whether slices of a load may follow the store of other slices.

    Nothing may be ordered after the load, but for the same elements of the same array: a slice of
    a transposed tile has elements of all slices of the array.
    """
    users = users_of(load.results[1])
    if not users:
        return True
    access, stored = tiled_access(load), store.access
    same = access.view == stored.view and access.coords == stored.coords
    along = store.axes[load.results[0]] == store.axis
    return same and along and all(user == stored.op for user in users)
