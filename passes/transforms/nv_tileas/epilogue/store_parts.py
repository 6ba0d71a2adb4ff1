"""The parts in which the store of an accumulator leaves, and the staging slots they go through."""

from collections.abc import Sequence
from itertools import product
from typing import Any

from tilec.dialects.nv_tileas.epilogue_ops import TilePartOp, WarpgroupIdOp, mark_per_warpgroup
from tilec.dialects.nv_tileas.memory_ops import JoinMemTokenOp
from tilec.ir.attributes import elements_of
from tilec.ir.bindings import arith, ir
from tilec.ir.integers import constant, i64
from tilec.ir.likeness import like
from tilec.ir.removal import is_read
from tilec.layout import SharedLayout
from tilec.passes.analysis.epilogue.accumulator_stores import EpilogueParts
from tilec.passes.analysis.kernels import TiledAccess, tiled_access
from tilec.passes.analysis.tma.shared_layouts import shared_attribute
from tilec.support.fast_dataclasses import dataclass

_ORIGIN, _SHAPE = "staging_origin", "staging_shape"


@dataclass(frozen=True)
class Staging:
    """Staging slots of each warpgroup that `parts` parts of a tile take, `batch` at a time.

    Attributes:
        group: Number of the slots: stores with the same one share them.
        slots: How many there are.
        batch: Parts that are written after one barrier and stored after another one.
        parts: Parts of a tile.
        any_order: Whether other stores share the slots, and may have taken them in another order.
    """

    group: int
    slots: int
    batch: int
    parts: int = 0
    any_order: bool = False


@dataclass(frozen=True)
class StoreParts:
    """A store, and how each warpgroup stores its share of the tile.

    Attributes:
        access: The store of the whole tile.
        axis: Axis along which warpgroups share the tile.
        columns: Axis along the columns of the accumulator.
        share: Extent of a warpgroup's share along `axis`.
        pieces: Where in the share each part begins, and its layout in shared memory.
    """

    access: TiledAccess
    axis: int
    columns: int
    share: int
    pieces: list[tuple[tuple[int, ...], SharedLayout]]

    @classmethod
    def of(cls, access: TiledAccess, parts: EpilogueParts, warpgroups: int) -> "StoreParts":
        """Return how `access` is cut into `parts` for `warpgroups`."""
        share = list(access.tile_type.shape)
        share[parts.axis] //= warpgroups
        blocks = zip(share, parts.layouts[0].shape, strict=True)
        starts = [list(range(0, whole, extent)) for whole, extent in blocks]
        widths = [layout.shape[parts.columns] for layout in parts.layouts]
        starts[parts.columns] = [sum(widths[:number]) for number in range(len(widths))]
        layouts = dict(zip(starts[parts.columns], parts.layouts, strict=True))
        pieces = [(origin, layouts[origin[parts.columns]]) for origin in product(*starts)]
        return cls(access, parts.axis, parts.columns, share[parts.axis], pieces)

    def base(self, coords: Sequence[Any]) -> list[Any]:
        """Emit where the calling warpgroup's share of the tile at `coords` begins."""
        found = list(coords)
        displacement = arith.muli(WarpgroupIdOp.build(), constant(self.share))
        found[self.axis] = arith.addi(found[self.axis], displacement)
        return found

    def part(self, tile: Any, number: int) -> Any:
        """Emit part `number` of `tile`."""
        origin, layout = self.pieces[number]
        return TilePartOp.build(tile, layout.shape, origin, self.axis)

    def store(self, part: Any, base: Sequence[Any], number: int) -> Any:
        """Emit the store of `part`, the one with this number, of a share at `base`; return it."""
        access, whole = self.access, self.access.op
        origin, layout = self.pieces[number]
        coords = [_shifted(coord, step) for coord, step in zip(base, origin, strict=True)]
        after = [access.token] if access.token is not None else []
        sizes = ir.DenseI32ArrayAttr.get([1, 1, len(coords), len(after)])
        operands = [access.view, part, *coords, *after]
        store = like(whole, operands, operandSegmentSizes=sizes)
        if "coord_div_by" in store.attributes:  # holds for the whole tile only
            del store.attributes["coord_div_by"]
        store.attributes["shared_layout"] = shared_attribute(layout)
        mark_per_warpgroup(store)
        return store


@dataclass(frozen=True)
class StagingStep:
    """What a store writes of its staging slot, which leaves when all of it is written.

    Attributes:
        origin: Where the written box begins in the slot.
        extents: Its extents.
        shape: Extents of the slot.
    """

    origin: tuple[int, ...]
    extents: tuple[int, ...]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, store: Any) -> "StagingStep":
        """Return the step that `store` is; most write all of their slot."""
        extents = tuple(tiled_access(store).tile_type.shape)
        if _ORIGIN not in store.attributes:
            return cls((0,) * len(extents), extents, extents)
        origin, shape = (tuple(elements_of(store.attributes[name])) for name in (_ORIGIN, _SHAPE))
        return cls(origin, extents, shape)

    @property
    def is_first(self) -> bool:
        """Whether nothing is in the slot yet."""
        return not any(self.origin)

    @property
    def is_last(self) -> bool:
        """Whether the slot is full then."""
        ends = (first + extent for first, extent in zip(self.origin, self.extents, strict=True))
        return tuple(ends) == self.shape

    @property
    def is_whole(self) -> bool:
        """Whether it is the only step."""
        return self.extents == self.shape


def replace_token(token: Any, parts: Sequence[Any]) -> None:
    """Let the tokens of all `parts` of a store replace its own, at the insertion point."""
    if is_read(token):
        token.replace_all_uses_with(JoinMemTokenOp.build(parts, loc=token.owner.location))


def set_step(store: Any, origin: Sequence[int], shape: Sequence[int]) -> None:
    """Say that `store` writes a box at `origin` of a staging slot of extents `shape`."""
    for name, numbers in ((_ORIGIN, origin), (_SHAPE, shape)):
        store.attributes[name] = ir.DenseI64ArrayAttr.get(list(numbers))


def set_staging(store: Any, staging: Staging, number: int) -> None:
    """Say which staging slot part `number` takes, and how long its batch has to wait for its slots.

    `staging_pending` counts the batches that may still be in flight when the slots are written:
    all those after the last one that used them, in this tile or in the one before. In any order,
    that may be the last one before this tile.
    """
    size = min(staging.batch, staging.slots)
    turns, batches = -(-staging.slots // size), -(-staging.parts // size)
    batch, place = divmod(number, size)
    turn = batch % turns
    before = -1 if staging.any_order else range(turn, batches, turns)[-1] - batches
    last = batch - turns if batch >= turns else before
    fields = {
        "group": staging.group,
        "slot": turn * size + place,
        "slots": turns * size,
        "pending": batch - last - 1,
    }
    if size > 1:
        fields |= {"place": place, "batch": min(size, staging.parts - batch * size)}
    for name, value in fields.items():
        store.attributes[f"staging_{name}"] = i64(value)


def _shifted(coord: Any, step: int) -> Any:
    return arith.addi(coord, constant(step)) if step else coord
