"""The pieces in which the result of a tile is computed and stored while other products run."""

from collections.abc import Sequence
from typing import Any, Protocol

from tilec.dialects.nv_tileas import OpaqueOp, TilePartOp, TileSliceOp
from tilec.ir.bindings import ir
from tilec.ir.constants import resized
from tilec.ir.likeness import like
from tilec.ir.structured import defining_operation
from tilec.ir.values import is_tile, users_of
from tilec.passes.analysis.epilogue.accumulator_stores import epilogue_parts
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.kernels import TiledAccess, tiled_access
from tilec.passes.analysis.schedule.marks import set_stage
from tilec.passes.analysis.schedule.tile_graph import SHAPE_OPS, SLICE, STORE
from tilec.passes.transforms.nv_tileas.epilogue.store_parts import (
    Staging,
    StoreParts,
    set_staging,
    set_step,
)
from tilec.plan import machine
from tilec.support.diagnostics import InternalCompilerError
from tilec.support.fast_dataclasses import dataclass, replace

ADVANCE = "nv_tileas.ring_advance"
_WAIT, _VIEW = "nv_tileas.ring_wait", "nv_tileas.slot_view"
_AFTER_STORE = ("nv_tileas.ring_release", ADVANCE)

Values = dict[Any, Any]
"""By a value of stage 1, or one that it reads, what stands for it."""


class Piece(Protocol):
    """A piece of stage 1."""

    @property
    def steps(self) -> int:
        """In how many steps it can be done, one after each product."""
        ...

    def emit(self, values: Values, step: int | None = None) -> None:
        """Emit one step of the piece, or all of it at once.

        Args:
            values: What stands for what it reads; it adds what it makes.
            step: Which step; None for all.
        """
        ...


def stage_pieces(
    ops: Sequence[Any], crossing: Sequence[Any], warpgroups: int, slots: int
) -> list[Piece]:
    """Return the pieces of stage 1.

    Args:
        ops: Its operations, in order.
        crossing: What it reads of the round before.
        warpgroups: Consumer warpgroups, which share the tile.
        slots: Staging slots of each.
    """
    cuts = [_cut(tiled_access(op), warpgroups) for op in ops if op.name == STORE]
    total = sum(len(cut.pieces) for cut in cuts)
    staging = Staging(0, min(slots, total), 1, total)
    pieces: list[Piece] = []
    first = 0
    for cut in cuts:
        place = _Place(cut, staging, first)
        first += len(cut.pieces)
        needed = _needed(cut.access.op, ops)
        tiles = tuple(value for value in crossing if is_tile(value))
        if any(is_tile(value) for op in needed for value in op.results):
            pieces.append(_Computed(needed, tiles, place))
        else:
            pieces += [_Stored(needed, place, number) for number in range(len(cut.pieces))]
    return pieces


def _cut(store: TiledAccess, warpgroups: int) -> StoreParts:
    """Return the parts in which a tile is stored."""
    parts = epilogue_parts(store, warpgroups)
    if parts is None:
        raise InternalCompilerError(
            "a store that waits has no parts", pass_name="nv-tileas-rotate-loops"
        )
    return StoreParts.of(store, parts, warpgroups)


def _needed(store: Any, ops: Sequence[Any]) -> tuple[Any, ...]:
    """Return what of `ops` the tile of `store` needs, the slots that it is read from included."""
    inside = set(ops)
    found: set[Any] = set()
    pending = list(_sources(store))
    while pending:
        op = pending.pop()
        if op not in inside or op in found:
            continue
        found.add(op)
        pending += _sources(op)
        if op.name == _VIEW:  # with the operations on its slot
            pending += users_of(op.operands[1])
    return tuple(op for op in ops if op in found and op.name != STORE)


def _sources(op: Any) -> list[Any]:
    """Return what makes the operands of `op`, but for positions of rings."""
    made = filter(None, map(defining_operation, op.operands))
    return [source for source in made if source.name != ADVANCE]


@dataclass(frozen=True)
class _Place:
    """Where the parts of a tile go: its staging slots, and the number of its first part."""

    cut: StoreParts
    staging: Staging
    first: int

    def store(self, tile: Any, values: Values, number: int) -> Any:
        """Emit the store of part `number`, which is `tile`; return it."""
        access = self.cut.access
        token = values.get(access.token, access.token)
        cut = replace(self.cut, access=replace(access, token=token))
        base = cut.base([values.get(coord, coord) for coord in access.coords])
        store = cut.store(tile, base, number)
        set_staging(store, self.staging, self.first + number)
        set_stage(store, None)
        return store


@dataclass(frozen=True)
class _Stored:
    """A part of the result, which only has to be stored."""

    ops: tuple[Any, ...]
    place: _Place
    number: int
    steps: int = 1

    def emit(self, values: Values, step: int | None = None) -> None:
        del step
        whole = _Span(0, 0, 1)
        for op in self.ops:
            whole.emit(op, values)
        cut = self.place.cut
        self.place.store(cut.part(values[cut.access.value], self.number), values, self.number)


@dataclass(frozen=True)
class _Computed:
    """A tile from which the result is still to be computed, some columns at a time.

    Attributes:
        ops: What computes the result; what waits for slots, reads and releases them included.
        tiles: The tiles that wait.
        place: Where the result goes.
    """

    ops: tuple[Any, ...]
    tiles: tuple[Any, ...]
    place: _Place

    @property
    def steps(self) -> int:
        """One, unless each column can be computed without the others."""
        cut = self.place.cut
        width = cut.access.tile_type.shape[cut.columns]
        steps = max(1, width // machine.DEFERRED_COLUMNS)
        whole = width % steps or len(cut.pieces) > 1 or cut.axis == cut.columns
        return 1 if whole or not self._goes_in_steps() else steps

    def emit(self, values: Values, step: int | None = None) -> None:
        span = _Span(self.place.cut.columns, *((0, 1) if step is None else (step, self.steps)))
        read = {operand for op in self.ops for operand in op.operands}
        for tile in (tile for tile in self.tiles if tile in read):
            part = span.of(values[tile])
            values[tile] = OpaqueOp(tile=part, result=part.type).result
        # Slots are released after the store, whose fence then covers the reads, too.
        last = [op for op in self.ops if op.name in _AFTER_STORE]
        for op in self.ops:
            if op not in last and (span.is_first or op.name != _WAIT):
                span.emit(op, values)
        self._store(values, span)
        for op in last if span.is_last else ():
            span.emit(op, values)

    def _store(self, values: Values, span: "_Span") -> None:
        """Emit the stores of the parts of a tile, or of some columns of its only part."""
        cut = self.place.cut
        result = values[cut.access.value]
        if span.count == 1:
            for number in range(len(cut.pieces)):
                self.place.store(cut.part(result, number), values, number)
            return
        ((origin, layout),) = cut.pieces
        shape = list(layout.shape)
        part = TilePartOp.build(result, tuple(span.extents(shape)), origin, cut.axis)
        set_step(self.place.store(part, values, 0), span.origin(shape), shape)

    def _goes_in_steps(self) -> bool:
        """Tell whether columns of the result can be computed from as many of what waits."""
        shape = list(self.place.cut.access.tile_type.shape)
        inside = {*self.tiles, *(result for op in self.ops for result in op.results)}
        for op in self.ops:
            known = op.name == SLICE and op.operands[0] not in inside  # of one that slices share
            operands = () if known else op.operands
            tiles = [value for value in (*operands, *op.results) if is_tile(value)]
            alike = all(value in inside and list(value.type.shape) == shape for value in tiles)
            if not alike or op.name in SHAPE_OPS or _is_table(op):
                return False
        return True


@dataclass(frozen=True)
class _Span:
    """Columns of a tile: one of `count` equal shares along `axis`."""

    axis: int
    number: int
    count: int

    @property
    def is_first(self) -> bool:
        """Whether the tile begins with it."""
        return self.number == 0

    @property
    def is_last(self) -> bool:
        """Whether the tile ends with it."""
        return self.number == self.count - 1

    def extents(self, shape: Sequence[int]) -> list[int]:
        """Return its extents in a tile of extents `shape`."""
        return [n // self.count if axis == self.axis else n for axis, n in enumerate(shape)]

    def origin(self, shape: Sequence[int]) -> list[int]:
        """Return where it begins in a tile of extents `shape`."""
        extents = self.extents(shape)
        return [extents[axis] * self.number * (axis == self.axis) for axis in range(len(shape))]

    def of(self, tile: Any) -> Any:
        """Emit what it has of `tile`."""
        shape = list(tile.type.shape)
        if self.count == 1:
            return tile
        return TileSliceOp.build(tile, self.extents(shape), self.origin(shape))

    def emit(self, op: Any, values: Values) -> None:
        """Emit `op`, for these columns, on what `values` says; add its results to them."""
        changed: dict[str, Any] = {}
        types = [self._narrowed(result.type) for result in op.results]
        if self.count > 1 and op.name == "nv_tileas.load_shared":
            origin = self.origin(list(op.results[0].type.shape))
            changed["origin"] = ir.DenseI64ArrayAttr.get(origin)
        elif op.name == SLICE:
            within = self.origin(list(op.results[0].type.shape))
            origin = [a + b for a, b in zip(op.opview.origin, within, strict=True)]
            changed["origin"] = ir.DenseI64ArrayAttr.get(origin)
        elif self.count > 1 and op.name == "arith.constant" and is_tile(op.results[0]):
            changed["value"] = resized(op.attributes["value"], types[0])
        operands = [values.get(operand, operand) for operand in op.operands]
        copy = like(op, operands, types, **changed)
        set_stage(copy, None)
        values.update(zip(op.results, copy.results, strict=True))

    def _narrowed(self, tile: Any) -> Any:
        """Return the type of its share of a tile of type `tile`; other types stay."""
        if self.count == 1 or not isinstance(tile, ir.RankedTensorType):
            return tile
        extents = self.extents(list(tile.shape))
        return ir.RankedTensorType.get(extents, tile.element_type, loc=ir.Location.unknown())


def _is_table(op: Any) -> bool:
    """Tell whether `op` is a constant tile whose elements differ."""
    return op.name == "arith.constant" and number_of(op.results[0]) is None
