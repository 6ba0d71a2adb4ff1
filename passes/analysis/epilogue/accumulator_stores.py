"""Which stores can go out part by part, and in which parts.

Warpgroups share an accumulator by rows. A stored tile that is computed from one element by element,
transposed at most, lies in registers the same way; each warpgroup can then store boxes of it on its
own. Dims of extent 1 may come anywhere, as a batch or the heads of an attention have them.
"""

from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.bindings import ir
from tilec.ir.structured import defining_operation, terminator
from tilec.ir.values import is_tile
from tilec.layout import LayoutError, SharedLayout, axis_in, warpgroup_share
from tilec.layout.constructors import WGMMA_ROWS
from tilec.layout.shared import tma_boxes
from tilec.passes.analysis.kernels import TiledAccess
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.plan.epilogue import part_widths
from tilec.support.fast_dataclasses import dataclass, field

Axes = tuple[int, int] | None
"""Of a tile: that along which the rows of an accumulator lie, and that of its columns."""


@dataclass(frozen=True)
class EpilogueParts:
    """How a tile is cut.

    Attributes:
        layouts: Shared-memory layouts of the parts of 64 rows, the widest first. The shape of a
            layout is the extents of its part.
        columns: Axis along which they follow each other.
        axis: Axis along which the warpgroups share the tile.
    """

    layouts: tuple[SharedLayout, ...]
    columns: int
    axis: int


def epilogue_parts(access: TiledAccess, warpgroups: int) -> EpilogueParts | None:
    """Return the parts that a TMA store can go out in, or None when it needs the whole tile.

    Args:
        access: The store.
        warpgroups: Consumer warpgroups, which share the rows of an accumulator or, where these do
            not split, its columns.
    """
    if access.is_load or not access.uses_tma:
        return None
    axes = accumulator_axes(access.value)
    if axes is None:
        return None
    rows, columns = axes
    shape = tuple(access.tile_type.shape)
    bits = element_bits(access.tile_type.element_type)
    try:
        share = warpgroup_share(shape[rows], shape[columns], warpgroups)
        axis = rows if share[1] == shape[columns] else columns
        layouts = []
        for width in part_widths(share[1], bits // 8):
            extents = [1] * len(shape)
            extents[rows], extents[columns] = WGMMA_ROWS, width
            layouts.append(tma_boxes(extents, bits))
        return EpilogueParts(tuple(layouts), columns, axis)
    except LayoutError:
        return None


def accumulator_axes(tile: Any, known: dict[Any, Axes] | None = None) -> Axes:
    """Return the axes of `tile` along which rows and columns of a wgmma accumulator lie.

    Args:
        tile: A tile of a kernel.
        known: What this function found for other tiles of the kernel, so that a chain of operations
            is looked at once; what it finds now is added.
    """
    search = _Search({} if known is None else known)
    axes = search.axes(tile)
    # A search that fails has followed each value that it saw to its end.
    search.known.update(dict.fromkeys(search.seen) if axes is None else {tile: axes})
    return axes


@dataclass
class _Search:
    """A search for the accumulator that a tile is computed from."""

    known: dict[Any, Axes]
    seen: set[Any] = field(default_factory=set)

    def axes(self, tile: Any) -> Axes:
        """Return the axes of a tile."""
        pending = [tile]
        while pending:
            value = pending.pop()
            op = defining_operation(value)
            if op is None or value in self.seen:
                continue
            self.seen.add(value)
            if value in self.known or op.name in _NOT_BY_ELEMENT:
                axes = self.known[value] if value in self.known else self._through(op, value)
                if axes is not None:
                    return axes
                continue
            tiles = [item for item in op.operands if is_tile(item)]
            if all(item.type.shape == value.type.shape for item in tiles):
                pending.extend(reversed(tiles))
        return None

    def _through(self, op: Any, tile: Any) -> Axes:
        """Return the axes of `tile`, a result of an operation of `_NOT_BY_ELEMENT`."""
        if op.name == "nv_tileas.dot":
            return (0, 1) if why_not_wgmma(op, 1) is None else None
        if op.name == "nv_tileas.add_partial":
            return 0, 1  # only products of wgmma are split, see `why_not_split`
        if op.name == "nv_tileas.permute":
            axes = self.axes(op.operands[0])
            order = list(op.opview.permutation)
            return None if axes is None else (order.index(axes[0]), order.index(axes[1]))
        if op.name == "nv_tileas.view":
            return self._through_units(op)
        if op.name == "nv_tileas.tile_slice":
            return self.axes(op.operands[0])
        number = ir.OpResult(tile).result_number
        end = terminator(op.regions[0].blocks[0])
        return self.axes(end.operands[number])

    def _through_units(self, op: Any) -> Axes:
        """Return the axes under a view that only adds or drops dims of extent 1."""
        axes = self.axes(op.operands[0])
        if axes is None:
            return None
        source, result = op.operands[0].type.shape, op.results[0].type.shape
        rows, columns = (axis_in(source, axis, result) for axis in axes)
        return None if rows is None or columns is None else (rows, columns)


_NOT_BY_ELEMENT = frozenset(
    {
        "nv_tileas.dot", "nv_tileas.add_partial", "nv_tileas.permute", "nv_tileas.view",
        "nv_tileas.tile_slice", "scf.for", "scf.if",
    }
)  # fmt: skip
"""Operations that do not compute a tile element by element."""
