"""Cut the stores of accumulators into parts that each warpgroup stores on its own.

Before:  tiled_store %d, %view[%m, %n] <tma> : tensor<128x256xbf16>
After:   %w = warpgroup_id; %row = %m + %w * 64
         %p0 = tile_part %d {origin = [0, 0], axis = 0} : tensor<64x64xbf16>
         tiled_store %p0, %view[%row, %n] <tma> {per_warpgroup, staging_slot = 0, ...}
         %p1 = tile_part %d {origin = [0, 64], axis = 0} : tensor<64x64xbf16>
         tiled_store %p1, %view[%row, %n + 64] <tma> {per_warpgroup, staging_slot = 1, ...}
         ...

A whole tile in shared memory would take the place of a ring slot or two, and all warpgroups would
meet at its barriers. Parts go through a few small staging buffers in turn: one is filled while TMA
reads the others, and a warpgroup that is done starts on the next tile. The slices of a tile that
`nv-tileas-slice-tiles` has cut go through the same buffers. The plan says how many
(`epilogue_slots`; 0 leaves stores whole). A tile that is not an accumulator computed on element
by element stays whole, too.

A part costs two barriers of its warpgroup and a fence. With an `epilogue_batch`, as many parts are
written behind one barrier and stored behind another one.
"""

from itertools import product
from typing import Any

from tilec.dialects.nv_tileas.epilogue_ops import TilePartOp, WarpgroupIdOp, mark_per_warpgroup
from tilec.ir.bindings import arith, ir
from tilec.layout import SharedLayout
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.epilogue import EpilogueParts, epilogue_parts
from tilec.passes.analysis.kernels import (
    TiledAccess,
    is_tiled_access,
    kernel_functions,
    kernel_operations,
    read_spec,
    tiled_access,
)
from tilec.passes.analysis.shared_layouts import shared_attribute
from tilec.passes.analysis.slice_groups import slice_group
from tilec.passes.registry import PassContext, register_pass
from tilec.records import dataclass, replace


@register_pass("nv-tileas-lower-epilogue")
def lower_epilogue(module: Any, context: PassContext) -> None:
    """Cut the stores of every kernel whose plan has staging slots for parts."""
    for function in kernel_functions(module):
        spec = read_spec(function) or {}
        slots = spec.get("epilogue_slots", 0)
        if not slots:
            continue
        warpgroups = spec["consumer_warps"] // WARPGROUP_WARPS
        batch = spec.get("epilogue_batch", 1)
        stores = [op for op in kernel_operations(function) if is_tiled_access(op)]
        found = ((store, epilogue_parts(tiled_access(store), warpgroups)) for store in stores)
        groups: dict[Any, list[tuple[Any, EpilogueParts]]] = {}  # slices of a tile take turns
        for store, parts in found:
            if parts is not None:
                group = slice_group(store)
                groups.setdefault(store if group is None else group, []).append((store, parts))
        for number, members in enumerate(groups.values()):
            _cut_group(members, _Staging(number, slots, batch), warpgroups)


def _cut_group(
    members: list[tuple[Any, EpilogueParts]], staging: "_Staging", warpgroups: int
) -> None:
    """Cut the stores that go through the same staging slots."""
    cuts = [_Cut.of(tiled_access(store), parts, warpgroups) for store, parts in members]
    total = sum(len(cut.pieces) for cut in cuts)
    staging = replace(staging, parts=total, slots=min(staging.slots, total))
    first = 0
    for cut in cuts:
        _emit_parts(cut, staging, first)
        first += len(cut.pieces)


@dataclass(frozen=True)
class _Cut:
    """A store, axis and extent of a warpgroup's share, and where in it which parts begin."""

    access: TiledAccess
    axis: int
    share: int
    pieces: list[tuple[tuple[int, ...], SharedLayout]]

    @classmethod
    def of(cls, access: TiledAccess, parts: EpilogueParts, warpgroups: int) -> "_Cut":
        """Return how `access` is cut into `parts` for `warpgroups`."""
        share = list(access.tile_type.shape)
        share[parts.axis] //= warpgroups
        blocks = zip(share, parts.layouts[0].shape, strict=True)
        starts = [list(range(0, whole, extent)) for whole, extent in blocks]
        widths = [layout.shape[parts.columns] for layout in parts.layouts]
        starts[parts.columns] = [sum(widths[:number]) for number in range(len(widths))]
        layouts = dict(zip(starts[parts.columns], parts.layouts, strict=True))
        pieces = [(origin, layouts[origin[parts.columns]]) for origin in product(*starts)]
        return cls(access, parts.axis, share[parts.axis], pieces)


@dataclass(frozen=True)
class _Staging:
    """Staging slots of each warpgroup that `parts` parts of a tile take, `batch` at a time."""

    group: int
    slots: int
    batch: int
    parts: int = 0


def _emit_parts(cut: _Cut, staging: _Staging, first: int) -> None:
    """Replace one store by the stores of its parts, the first of which is part `first`."""
    access, store = cut.access, cut.access.op
    with ir.InsertionPoint(store), store.location:
        base = list(access.coords)
        displacement = arith.muli(WarpgroupIdOp.build(), _constant(cut.share))
        base[cut.axis] = arith.addi(base[cut.axis], displacement)
        token = access.token
        for number, (origin, layout) in enumerate(cut.pieces, first):
            tile = TilePartOp.build(access.value, layout.shape, origin, cut.axis)
            coords = [_shifted(coord, step) for coord, step in zip(base, origin, strict=True)]
            after = [access.token] if access.token is not None else []
            piece = _store_like(store, [access.view, tile, *coords, *after])
            piece.attributes["shared_layout"] = shared_attribute(layout)
            mark_per_warpgroup(piece)
            _set_staging(piece, staging, number)
            token = piece.results[0]
    store.results[0].replace_all_uses_with(token)
    store.erase()


def _set_staging(store: Any, staging: _Staging, number: int) -> None:
    """Say which staging slot part `number` takes, and how long its batch has to wait for its slots.

    `staging_pending` counts the batches that may still be on their way when the slots are written:
    all those behind the last one that used them, in this tile or in the one before.
    """
    size = min(staging.batch, staging.slots)
    turns, batches = -(-staging.slots // size), -(-staging.parts // size)
    batch, place = divmod(number, size)
    turn = batch % turns
    before = range(turn, batches, turns)[-1] - batches  # in the tile before
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
        i64 = ir.IntegerType.get_signless(64)
        store.attributes[f"staging_{name}"] = ir.IntegerAttr.get(i64, value)


def _store_like(store: Any, operands: list[Any]) -> Any:
    """Return a store of other operands with the attributes of `store` that hold for parts, too."""
    attributes = dict(store.attributes.items())
    attributes.pop("coord_div_by", None)
    return ir.Operation.create(
        store.name,
        results=[result.type for result in store.results],
        operands=operands,
        attributes=attributes,
    )


def _constant(number: int) -> Any:
    return arith.constant(ir.IntegerType.get_signless(32), number)


def _shifted(coord: Any, step: int) -> Any:
    return arith.addi(coord, _constant(step)) if step else coord
