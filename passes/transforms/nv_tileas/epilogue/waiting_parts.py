"""The parts of a tile that waits in registers for the next one, and what is done with each."""

from collections.abc import Sequence
from typing import Any, Protocol

from tilec.dialects.nv_tileas import OpaqueOp, TilePartOp, TileSliceOp
from tilec.dialects.nv_tileas.memory_ops import JoinMemTokenOp
from tilec.ir.bindings import arith, ir
from tilec.passes.analysis.epilogue.accumulator_stores import epilogue_parts
from tilec.passes.analysis.epilogue.deferred_work import (
    SHAPE_OPS,
    SLICE,
    DeferredSlice,
    DeferredWork,
)
from tilec.passes.transforms.nv_tileas.epilogue.store_parts import (
    Staging,
    StoreParts,
    set_staging,
    set_step,
)
from tilec.plan import machine
from tilec.support.diagnostics import InternalCompilerError
from tilec.support.fast_dataclasses import dataclass, replace

_WAIT = "nv_tileas.ring_wait"
_AFTER_STORE = ("nv_tileas.ring_release", "nv_tileas.ring_advance")


class WaitingPart(Protocol):
    """A part of a tile that waits."""

    @property
    def steps(self) -> int:
        """In how many steps the part can be done, one after each product."""
        ...

    def kept(self) -> Any:
        """Emit what waits of a tile that has been computed."""
        ...

    def nothing(self) -> Any:
        """Emit what waits before the first tile: zeros."""
        ...

    def emit(
        self, tile: Any, begin: "Begin", positions: dict[Any, Any], step: int | None = None
    ) -> list[Any]:
        """Emit one step of the part, or all of it at once.

        Args:
            tile: What was kept.
            begin: Where the whole tile begins, and what it comes after.
            positions: Current positions of the rings that parts read, by ring.
            step: Which step; None for all.

        Returns:
            The positions after it.
        """
        ...


@dataclass(frozen=True)
class Begin:
    """Where the store of a tile that waits begins.

    Attributes:
        coords: First element of the whole tile in the array.
        tokens: Memory token of what it must come after, if there is any.
    """

    coords: list[Any]
    tokens: list[Any]


def waiting_parts(work: DeferredWork, warpgroups: int, slots: int) -> list[WaitingPart]:
    """Return the parts in which `work` is done.

    Args:
        work: What waits.
        warpgroups: Consumer warpgroups, which share the tile.
        slots: Staging slots of each.
    """
    cuts = [_cut(item, warpgroups) for item in work.slices]
    total = sum(len(cut.pieces) for cut in cuts)
    staging = Staging(0, min(slots, total), 1, total)
    parts: list[WaitingPart] = []
    first = 0
    for number, (item, cut) in enumerate(zip(work.slices, cuts, strict=True)):
        place = _Place(cut, number, staging, first)
        first += len(cut.pieces)
        if item.ops:
            parts.append(_ComputedSlice(item, place))
        else:
            parts += [_StoredPart(place, piece) for piece in range(len(cut.pieces))]
    return parts


def _cut(item: DeferredSlice, warpgroups: int) -> StoreParts:
    """Return the pieces in which a slice is stored."""
    parts = epilogue_parts(item.store, warpgroups)
    if parts is None:
        raise InternalCompilerError(
            "a deferred store has no parts", pass_name="nv-tileas-defer-stores"
        )
    return StoreParts.of(item.store, parts, warpgroups)


@dataclass(frozen=True)
class _Place:
    """Where the pieces of a slice go: the number of the slice and of its first piece."""

    cut: StoreParts
    slice: int
    staging: Staging
    first: int

    def store(self, tile: Any, begin: Begin, piece: int) -> Any:
        """Emit the store of a piece of a tile that begins at `begin`; return it."""
        coords, tokens = list(begin.coords), begin.tokens
        if self.slice:
            step = self.slice * self.cut.access.tile_type.shape[self.cut.columns]
            coords[self.cut.columns] = arith.addi(coords[self.cut.columns], _constant(step))
        token = JoinMemTokenOp.build(tokens) if len(tokens) > 1 else next(iter(tokens), None)
        cut = replace(self.cut, access=replace(self.cut.access, token=token))
        store = cut.store(tile, cut.base(coords), piece)
        set_staging(store, self.staging, self.first + piece)
        return store


@dataclass(frozen=True)
class _StoredPart:
    """A piece of the result, which only has to be stored."""

    place: _Place
    piece: int
    steps: int = 1

    def kept(self) -> Any:
        cut = self.place.cut
        return cut.part(cut.access.value, self.piece)

    def nothing(self) -> Any:
        _, layout = self.place.cut.pieces[self.piece]
        return _zeros(list(layout.shape), self.place.cut.access.tile_type.element_type)

    def emit(
        self, tile: Any, begin: Begin, positions: dict[Any, Any], step: int | None = None
    ) -> list[Any]:
        del step
        self.place.store(tile, begin, self.piece)
        return list(positions.values())


@dataclass(frozen=True)
class _ComputedSlice:
    """A slice from which the result is still to be computed, some columns at a time."""

    item: DeferredSlice
    place: _Place

    @property
    def steps(self) -> int:
        """One, unless each column can be computed without the others."""
        cut = self.place.cut
        width = cut.access.tile_type.shape[cut.columns]
        steps = max(1, width // machine.DEFERRED_COLUMNS)
        whole = width % steps or len(cut.pieces) > 1 or cut.axis == cut.columns
        return 1 if whole or not _goes_in_steps(self.item) else steps

    def kept(self) -> Any:
        return self.item.waits

    def nothing(self) -> Any:
        kept = self.item.waits.type
        return _zeros(list(kept.shape), kept.element_type)

    def emit(
        self, tile: Any, begin: Begin, positions: dict[Any, Any], step: int | None = None
    ) -> list[Any]:
        span = _Span(self.place.cut.columns, *((0, 1) if step is None else (step, self.steps)))
        part = span.of(tile)
        values = {self.item.waits: OpaqueOp(tile=part, result=part.type).result}
        waits = [op for op in self.item.ops if op.name == _WAIT]
        values |= {op.operands[1]: positions[op.operands[0]] for op in waits}
        # Slots are released after the store, whose fence then covers the reads, too.
        last = [op for op in self.item.ops if op.name in _AFTER_STORE]
        for op in self.item.ops:
            if op not in last and (span.is_first or op not in waits):
                span.emit(op, values)
        if self.item.computes_token:
            begin = Begin(begin.coords, [*begin.tokens, values[self.item.store.token]])
        self._store(values[self.place.cut.access.value], begin, span)
        if not span.is_last:
            return list(positions.values())
        for op in last:
            span.emit(op, values)
        ends = {op.operands[0]: values[op.results[0]] for op in last if op.results}
        return list((positions | ends).values())

    def _store(self, result: Any, begin: Begin, span: "_Span") -> None:
        """Emit the stores of the pieces of a slice, or of some columns of its only piece."""
        cut = self.place.cut
        if span.count == 1:
            for piece in range(len(cut.pieces)):
                self.place.store(cut.part(result, piece), begin, piece)
            return
        ((origin, layout),) = cut.pieces
        shape = list(layout.shape)
        part = TilePartOp.build(result, tuple(span.extents(shape)), origin, cut.axis)
        set_step(self.place.store(part, begin, 0), span.origin(shape), shape)


@dataclass(frozen=True)
class _Span:
    """Columns of a slice: one of `count` equal shares along `axis`."""

    axis: int
    number: int
    count: int

    @property
    def is_first(self) -> bool:
        """Whether the slice begins with it."""
        return self.number == 0

    @property
    def is_last(self) -> bool:
        """Whether the slice ends with it."""
        return self.number == self.count - 1

    def extents(self, shape: Sequence[int]) -> list[int]:
        """Return its extents in a slice of extents `shape`."""
        return [n // self.count if axis == self.axis else n for axis, n in enumerate(shape)]

    def origin(self, shape: Sequence[int]) -> list[int]:
        """Return where it begins in a slice of extents `shape`."""
        extents = self.extents(shape)
        return [extents[axis] * self.number * (axis == self.axis) for axis in range(len(shape))]

    def of(self, tile: Any) -> Any:
        """Emit what it has of the slice `tile`."""
        shape = list(tile.type.shape)
        if self.count == 1:
            return tile
        return TileSliceOp.build(tile, self.extents(shape), self.origin(shape))

    def emit(self, op: Any, values: dict[Any, Any]) -> None:
        """Emit `op`, for these columns, on what `values` says; add its results to them."""
        attributes = dict(op.attributes.items())
        types = [self._narrowed(result.type) for result in op.results]
        if self.count > 1 and op.name == "nv_tileas.load_shared":
            origin = self.origin(list(op.results[0].type.shape))
            attributes["origin"] = ir.DenseI64ArrayAttr.get(origin)
        elif op.name == SLICE:
            within = self.origin(list(op.results[0].type.shape))
            origin = [a + b for a, b in zip(op.opview.origin, within, strict=True)]
            attributes["origin"] = ir.DenseI64ArrayAttr.get(origin)
        elif self.count > 1 and op.name == "arith.constant" and _is_tile(op.results[0]):
            splat = ir.DenseElementsAttr(attributes["value"]).get_splat_value()
            attributes["value"] = ir.DenseElementsAttr.get_splat(types[0], splat)
        operands = [values.get(operand, operand) for operand in op.operands]
        copy = ir.Operation.create(op.name, types, operands, attributes, loc=op.location)
        values.update(zip(op.results, copy.results, strict=True))

    def _narrowed(self, tile: Any) -> Any:
        """Return the type of its share of a slice of type `tile`; other types stay."""
        if self.count == 1 or not isinstance(tile, ir.RankedTensorType):
            return tile
        extents = self.extents(list(tile.shape))
        return ir.RankedTensorType.get(extents, tile.element_type, loc=ir.Location.unknown())


def _goes_in_steps(item: DeferredSlice) -> bool:
    """Tell whether columns of a slice can be computed from as many of what waits."""
    shape = list(item.waits.type.shape)
    inside = {item.waits, *(result for op in item.ops for result in op.results)}
    for op in item.ops:
        known = op.name == SLICE and op.operands[0] not in inside  # of a tile that all slices share
        operands = () if known else op.operands
        tiles = [value for value in (*operands, *op.results) if _is_tile(value)]
        alike = all(value in inside and list(value.type.shape) == shape for value in tiles)
        if not alike or op.name in SHAPE_OPS or _is_table(op):
            return False
    return True


def _is_table(op: Any) -> bool:
    """Tell whether `op` is a constant tile whose elements differ."""
    if op.name != "arith.constant" or not _is_tile(op.results[0]):
        return False
    return not ir.DenseElementsAttr(op.attributes["value"]).is_splat


def _is_tile(value: Any) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


def _zeros(shape: list[int], element: Any) -> Any:
    tile = ir.RankedTensorType.get(shape, element, loc=ir.Location.unknown())
    whole = isinstance(element, ir.IntegerType)
    zero = ir.IntegerAttr.get(element, 0) if whole else ir.FloatAttr.get(element, 0.0)
    return arith.constant(tile, ir.DenseElementsAttr.get_splat(tile, zero))


def _constant(number: int) -> Any:
    return arith.constant(ir.IntegerType.get_signless(32), number)
