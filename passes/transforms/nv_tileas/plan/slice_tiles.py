"""Cut results into slices of their columns, together with the tiles that their epilogue loads.

Before:  %r = tiled_load %R[%m, %n] <tma> : tensor<128x256xbf16>; %y = addf %acc, %r
         tiled_store %y, %C[%m, %n] <tma> : tensor<128x256xbf16>
After:   %r0 = tiled_load %R[%m, %n] <tma> {slice_group = 0, slice = 0} : tensor<128x32xbf16>
         %a0 = tile_slice %acc {origin = [0, 0]}; %y0 = addf %a0, %r0
         tiled_store %y0, %C[%m, %n] <tma> {slice_group = 0, slice = 0} : tensor<128x32xbf16>
         %r1 = tiled_load %R[%m, %n + 32] <tma> {slice_group = 0, slice = 1} : tensor<128x32xbf16>
         ...

An epilogue may load a tile, for example a residual. A whole tile would take the place of ring slots
in shared memory, and the epilogue could not begin before all of it has arrived. In slices, the
epilogue loads, computes and stores a few columns at a time. A slice has all rows of the tile, so
every warpgroup has a part of each slice. An accumulator is cut along its columns by naming its
registers (`tile_slice`), which moves nothing. A broadcast row is cut in the same way, and a
constant is made anew. The accesses of a group form a sequence: the loads share a small ring
(`nv-tileas-insert-rings`), the stores share the staging slots.

The pass cuts TMA stores of tiles that are computed element by element, in one block, from a wgmma
accumulator, if they load tiles or compute special functions. (Then the stores of some slices run
while other slices are computed.) Where such a tile is also reduced along its columns, for use after
the store, each slice is reduced, and the results are combined. A tile that something else needs
stays whole, and so does a tile that is also stored at other coordinates. Nothing is cut if the
consumers share columns or if no producer warp loads ahead. The pass runs before layouts are
assigned, because the boxes of loads follow from the extents of the slices.

Options:
    slice_columns: Columns of a slice; 0 leaves all tiles whole.
"""

from math import gcd
from typing import Any

from tilec.dialects.nv_tileas.epilogue_ops import TileSliceOp
from tilec.ir.bindings import arith, ir
from tilec.ir.constants import resized
from tilec.ir.integers import constant
from tilec.ir.likeness import like
from tilec.ir.removal import erase, is_used
from tilec.ir.structured import body_operations, clone_whole, defining_operation
from tilec.passes.analysis.epilogue.epilogue_slices import (
    CONSTANT,
    SlicedStore,
    slice_sources,
    sliced_stores,
)
from tilec.passes.analysis.epilogue.slice_groups import mark_slice
from tilec.passes.analysis.kernels import (
    TiledAccess,
    is_tiled_access,
    kernel_operations,
    read_spec,
    tiled_access,
)
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileas.epilogue.store_parts import replace_token
from tilec.support.fast_dataclasses import dataclass, field


@register_kernel_pass("nv-tileas-slice-tiles")
def slice_tiles(function: Any, context: PassContext) -> bool:
    """Cut the stores of every kernel whose plan has slices, and what they are computed from."""
    columns = (read_spec(function) or {}).get("slice_columns", 0)
    if not columns:
        return False
    ops = kernel_operations(function)
    stores = sliced_stores([tiled_access(op) for op in ops if is_tiled_access(op)])
    for group, store in enumerate(stores):
        store.access = tiled_access(store.access.op)  # its token may be that of a store cut before
        _cut(store, columns, group)
    return bool(stores)


def _cut(store: SlicedStore, columns: int, group: int) -> None:
    """Replace a store by the stores of its slices."""
    access = store.access
    tokens, reduced = [], {}
    with ir.InsertionPoint(access.op):
        for number in range(store.tile.columns // columns):
            piece = _Slice(store, group, number, columns)
            for load in store.loads:  # early, so that its slot is free for another slice early
                piece.of(load.results[0], store.axes[load.results[0]])
            with access.op.location:
                tile = piece.of(access.value, store.axis)
                tokens.append(piece.store(tile).results[0])
            for op in store.reductions:
                reduced[op] = piece.reduce(op, reduced.get(op))
        replace_token(access.op.results[0], tokens)
    erase(access.op)
    for op, tile in reduced.items():
        op.results[0].replace_all_uses_with(tile)
        erase(op)
    _erase_unused(store)


@dataclass
class _Slice:
    """Slice number `number` of a store, emitted at the insertion point."""

    sliced: SlicedStore
    group: int
    number: int
    columns: int
    made: dict[Any, Any] = field(default_factory=dict)

    def of(self, tile: Any, axis: int) -> Any:
        """Return the slice of `tile` along `axis`."""
        if tile not in self.made:
            self.made[tile] = self._emit(tile, axis)
        return self.made[tile]

    def _emit(self, tile: Any, axis: int) -> Any:
        if tile not in self.sliced.axes:
            origin = [0] * len(tile.type.shape)
            origin[axis] = self.number * self.columns
            return TileSliceOp.build(tile, self._extents(tile, axis), origin)
        op = defining_operation(tile)
        if op in self.sliced.loads:
            return self._load(op, axis)
        sources = slice_sources(tile, axis, self.sliced.access.op.block) or []
        mapping = {source: self.of(source, along) for source, along in sources}
        with op.location:
            return self._clone(op, mapping, axis)

    def _extents(self, tile: Any, axis: int) -> list[int]:
        shape = list(tile.type.shape)
        shape[axis] = self.columns
        return shape

    def _type(self, tile: Any, axis: int) -> Any:
        return ir.RankedTensorType.get(self._extents(tile, axis), tile.type.element_type)

    def _clone(self, op: Any, mapping: dict[Any, Any], axis: int) -> Any:
        """Clone an operation on tiles for their slices."""
        result = self._type(op.results[0], axis)
        if op.name == CONSTANT:
            return arith.constant(result, resized(op.attributes["value"], result))
        operands = [mapping.get(operand, operand) for operand in op.operands]
        return like(op, operands, [result]).results[0]

    def _load(self, load: Any, axis: int) -> Any:
        access = tiled_access(load)
        with load.location:
            types = [self._type(load.results[0], axis), load.results[1].type]
            operands = self._operands(access, [access.view], axis)
            clone = like(load, operands, types, **self._changed(access, axis))
        if access.uses_tma:
            mark_slice(clone, self.group, self.number)
        self.made[load.results[1]] = clone.results[1]
        return clone.results[0]

    def reduce(self, op: Any, before: Any) -> Any:
        """Reduce the slice; return its result combined with that of the slices before it."""
        tile = op.operands[0]
        with op.location:
            found = clone_whole(op, {tile: self.of(tile, self.sliced.axes[tile])}).results[0]
            if before is None:
                return found
            combine = body_operations(op.opview.block)[0]
            values = dict(zip(op.opview.block.arguments, (before, found), strict=True))
            operands = [values[operand] for operand in combine.operands]
            return like(combine, operands, [found.type]).results[0]

    def store(self, tile: Any) -> Any:
        """Emit the store of the slice."""
        access, axis = self.sliced.access, self.sliced.axis
        operands = self._operands(access, [access.view, tile], axis)
        clone = like(access.op, operands, **self._changed(access, axis))
        mark_slice(clone, self.group, self.number)
        return clone

    def _operands(self, access: TiledAccess, first: list[Any], axis: int) -> list[Any]:
        """Return the operands of an access to the slice: `first`, coordinates and token."""
        coords = list(access.coords)
        if self.number:
            step = constant(self.number * self.columns)
            coords[axis] = arith.addi(coords[axis], step)
        after = [] if access.token is None else [self.made.get(access.token, access.token)]
        return [*first, *coords, *after]

    def _changed(self, access: TiledAccess, axis: int) -> dict[str, Any]:
        """Return the other attributes of an access to the slice: divisors of its coordinates."""
        if "coord_div_by" not in access.op.attributes:
            return {}
        divisors = list(access.op.attributes["coord_div_by"])
        divisors[axis] = gcd(divisors[axis], self.number * self.columns)
        return {"coord_div_by": ir.DenseI64ArrayAttr.get(divisors)}


def _erase_unused(store: SlicedStore) -> None:
    """Erase what the whole tile was computed from, users before what they use."""
    left = [defining_operation(tile) for tile in store.axes]
    while left:
        unused = [op for op in left if not is_used(op)]
        if not unused:
            return
        left = [op for op in left if op not in unused]
        for op in unused:
            erase(op)
