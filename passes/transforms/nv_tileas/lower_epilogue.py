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
reads the others, and a warpgroup that is done starts on the next tile. The plan says how many
(`epilogue_slots`; 0 leaves stores whole). A tile that is not an accumulator computed on element
by element stays whole, too.
"""

from itertools import product
from typing import Any

from tilec.dialects.nv_tileas.epilogue_ops import TilePartOp, WarpgroupIdOp, mark_per_warpgroup
from tilec.ir.bindings import arith, ir
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.epilogue import EpiloguePart, epilogue_part
from tilec.passes.analysis.kernels import (
    TiledAccess,
    is_tiled_access,
    kernel_functions,
    kernel_operations,
    read_spec,
    tiled_access,
)
from tilec.passes.analysis.shared_layouts import shared_attribute
from tilec.passes.registry import PassContext, register_pass


@register_pass("nv-tileas-lower-epilogue")
def lower_epilogue(module: Any, context: PassContext) -> None:
    """Cut the stores of every kernel whose plan has staging slots for parts."""
    for function in kernel_functions(module):
        spec = read_spec(function) or {}
        slots = spec.get("epilogue_slots", 0)
        if not slots:
            continue
        warpgroups = spec["consumer_warps"] // WARPGROUP_WARPS
        stores = [op for op in kernel_operations(function) if is_tiled_access(op)]
        parts = [(store, epilogue_part(tiled_access(store), warpgroups)) for store in stores]
        whole = [(store, part) for store, part in parts if part is not None]
        for group, (store, part) in enumerate(whole):
            _cut(tiled_access(store), part, group, slots, warpgroups)


def _cut(access: TiledAccess, part: EpiloguePart, group: int, slots: int, warpgroups: int) -> None:
    """Replace one store by the stores of its parts."""
    store, extents = access.op, part.layout.shape
    share = list(access.tile_type.shape)
    share[part.axis] //= warpgroups
    starts = (range(0, whole, extent) for whole, extent in zip(share, extents, strict=True))
    with ir.InsertionPoint(store), store.location:
        base = list(access.coords)
        displacement = arith.muli(WarpgroupIdOp.build(), _constant(share[part.axis]))
        base[part.axis] = arith.addi(base[part.axis], displacement)
        token = access.token
        origins = list(product(*starts))
        for number, origin in enumerate(origins):
            tile = TilePartOp.build(access.value, extents, origin, part.axis)
            coords = [_shifted(coord, step) for coord, step in zip(base, origin, strict=True)]
            after = [access.token] if access.token is not None else []
            piece = _store_like(store, [access.view, tile, *coords, *after])
            piece.attributes["shared_layout"] = shared_attribute(part.layout)
            mark_per_warpgroup(piece)
            _set_staging(piece, group, number, min(slots, len(origins)), len(origins))
            token = piece.results[0]
    store.results[0].replace_all_uses_with(token)
    store.erase()


def _set_staging(store: Any, group: int, number: int, slots: int, parts: int) -> None:
    """Say which staging slot part `number` of `parts` takes, and how long it has to wait for it.

    `staging_pending` counts the parts that may still be on their way when the slot is written:
    all those behind the last one that used it, in this tile or in the one before.
    """
    slot = number % slots
    last = number - slots if number >= slots else range(slot, parts, slots)[-1] - parts
    fields = {"group": group, "slot": slot, "slots": slots, "pending": number - last - 1}
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
