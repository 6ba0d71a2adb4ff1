"""Cut the stores of accumulators into parts that each warpgroup stores by itself.

Before:  tiled_store %d, %view[%m, %n] <tma> : tensor<128x256xbf16>
After:   %w = warpgroup_id; %row = %m + %w * 64
         %p0 = tile_part %d {origin = [0, 0], axis = 0} : tensor<64x64xbf16>
         tiled_store %p0, %view[%row, %n] <tma> {per_warpgroup, staging_slot = 0,
                                                 staging_pending = 1}
         %p1 = tile_part %d {origin = [0, 64], axis = 0} : tensor<64x64xbf16>
         tiled_store %p1, %view[%row, %n + 64] <tma> {per_warpgroup, staging_slot = 1,
                                                      staging_pending = 1}
         ...

A result that is staged whole takes the place of a ring slot or two, and all warpgroups meet at its
barriers. Parts go through a few small staging slots of each warpgroup: one slot is filled while TMA
reads the others, and a warpgroup that is done starts on its next tile. A part is a box of the rows
that the warpgroup holds: 64 rows (columns of a column-major array) of one 128-byte swizzle span,
8192 bytes, one TMA copy. Its registers are already in the right threads, so cutting moves nothing.
`staging_pending` is the number of parts that may still be in flight when the slot is written
again. The slices of a tile (`nv-tileas-slice-tiles`) use the same staging slots, and so do the
copies that rotation made of a store (`nv-tileas-rotate-loops`).

The pass cuts TMA stores of a wgmma accumulator, also if it is converted, scaled, biased or
transposed. Other tiles may lie in registers in any way and stay whole. A part costs two barriers of
its warpgroup and a fence; with an `epilogue_batch`, several parts share them.

Options:
    epilogue_slots: Staging slots of each warpgroup; 0 leaves stores whole.
    share_slots: Whether all stores take the same slots, each from the first one on.
    epilogue_batch: Parts that are written after one barrier and stored after another one.
"""

from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.removal import erase
from tilec.passes.analysis.epilogue.accumulator_stores import EpilogueParts, epilogue_parts
from tilec.passes.analysis.epilogue.slice_groups import slice_group
from tilec.passes.analysis.kernels import (
    is_tiled_access,
    kernel_operations,
    read_spec,
    tiled_access,
    warpgroups_of_spec,
)
from tilec.passes.analysis.schedule.marks import copy_of
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileas.epilogue.store_parts import (
    Staging,
    StoreParts,
    replace_token,
    set_staging,
)
from tilec.support.fast_dataclasses import replace

_ALL = "all"
"""The group of all stores of a kernel."""
_Members = list[tuple[Any, EpilogueParts]]
"""Stores whose parts take the slots of a group one after the other."""


@register_kernel_pass("nv-tileas-lower-epilogue")
def lower_epilogue(function: Any, context: PassContext) -> None:
    """Cut the stores of every kernel whose plan has staging slots for parts."""
    spec = read_spec(function) or {}
    slots = spec.get("epilogue_slots", 0)
    if not slots:
        return
    warpgroups = warpgroups_of_spec(spec)
    batch = spec.get("epilogue_batch", 1)
    stores = [op for op in kernel_operations(function) if is_tiled_access(op)]
    found = ((store, epilogue_parts(tiled_access(store), warpgroups)) for store in stores)
    groups: dict[Any, list[_Members]] = {}
    for store, parts in found:
        if parts is not None:
            group = _ALL if spec.get("share_slots") else _group_of(store)
            _add_to_group(groups.setdefault(group, []), store, parts)
    for number, (group, sequences) in enumerate(groups.items()):
        staging = Staging(number, slots, batch, any_order=group == _ALL)
        for members in sequences:
            _cut_group(members, staging, warpgroups)


def _group_of(store: Any) -> Any:
    """Return what tells the stores that go through the same staging slots."""
    group, copy = slice_group(store), copy_of(store)
    if group is not None:
        return "slices", group
    return store if copy is None else ("copies", copy)


def _add_to_group(sequences: list[_Members], store: Any, parts: EpilogueParts) -> None:
    """Add a store to a group: the slices of a tile share slots, copies of a store start anew."""
    if sequences and slice_group(store) is not None:
        sequences[0].append((store, parts))
    else:
        sequences.append([(store, parts)])


def _cut_group(members: _Members, staging: Staging, warpgroups: int) -> None:
    """Cut the stores that go through the same staging slots."""
    cuts = [StoreParts.of(tiled_access(store), parts, warpgroups) for store, parts in members]
    total = sum(len(cut.pieces) for cut in cuts)
    slots = staging.slots if staging.any_order else min(staging.slots, total)
    staging = replace(staging, parts=total, slots=slots)
    first = 0
    for cut in cuts:
        _emit_parts(cut, staging, first)
        first += len(cut.pieces)


def _emit_parts(cut: StoreParts, staging: Staging, first: int) -> None:
    """Replace one store by the stores of its parts, the first of which is part `first`."""
    access, store = cut.access, cut.access.op
    with ir.InsertionPoint(store), store.location:
        base, tokens = cut.base(access.coords), []
        for number in range(len(cut.pieces)):
            piece = cut.store(cut.part(access.value, number), base, number)
            set_staging(piece, staging, first + number)
            tokens.append(piece.results[0])
        replace_token(store.results[0], tokens)
    erase(store)
