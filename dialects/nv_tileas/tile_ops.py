"""Operations on tiles that nv_tileas takes over from nv_tileaa."""

from tilec.dialects.common.combine_ops import ReduceBase, ScanBase, YieldValuesBase
from tilec.dialects.common.count_ops import HistogramBase
from tilec.dialects.common.matmul_ops import DotBase
from tilec.dialects.common.program_ops import GetNumProgramsBase, GetProgramIdBase
from tilec.dialects.common.shape_ops import (
    BroadcastBase,
    CatBase,
    ExtractBase,
    MakeRangeBase,
    PermuteBase,
    SplatBase,
    ViewBase,
)
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.ir.bindings import ir


class MakeRangeOp(MakeRangeBase, dialect=NvTileAS, name="make_range"):
    """Make a 1-D integer tile of consecutive values."""


class SplatOp(SplatBase, dialect=NvTileAS, name="splat"):
    """Make a tile whose elements all equal a scalar."""


class BroadcastOp(BroadcastBase, dialect=NvTileAS, name="broadcast"):
    """Repeat a tile along the dims where its extent is 1."""


class ViewOp(ViewBase, dialect=NvTileAS, name="view"):
    """Give a tile another shape; elements keep their row-major order."""


class PermuteOp(PermuteBase, dialect=NvTileAS, name="permute"):
    """Reorder the dims of a tile."""


class CatOp(CatBase, dialect=NvTileAS, name="cat"):
    """Join two tiles along one dim."""


class ExtractOp(ExtractBase, dialect=NvTileAS, name="extract"):
    """Take one slice of a tile."""


class DotOp(DotBase, dialect=NvTileAS, name="dot"):
    """Matrix multiply-accumulate."""


class GetProgramIdOp(GetProgramIdBase, dialect=NvTileAS, name="get_program_id"):
    """Return the coordinate of this block along a grid axis."""


class GetNumProgramsOp(GetNumProgramsBase, dialect=NvTileAS, name="get_num_programs"):
    """Return the number of blocks along a grid axis."""


_SERIAL, _ROW_BY_ROW = "serial", "row_by_row"


class ReduceOp(ReduceBase, dialect=NvTileAS, name="reduce"):
    """Combine the elements of a tile along one axis.

    With the attribute `serial` (unit), a thread combines its elements one after another. Without
    it, in pairs: this takes less time where nothing else can run, and more registers. With
    `row_by_row` (unit), a thread begins a row only when the one before it is combined.
    """

    @property
    def is_serial(self) -> bool:
        """Whether a thread combines its elements one after another."""
        return _SERIAL in self.operation.attributes

    @property
    def is_row_by_row(self) -> bool:
        """Whether a thread begins a row only when the one before it is combined."""
        return _ROW_BY_ROW in self.operation.attributes

    def make_serial(self, *, row_by_row: bool = False) -> None:
        """Let a thread combine its elements one after another, and its rows if that is asked."""
        self.operation.attributes[_SERIAL] = ir.UnitAttr.get()
        if row_by_row:
            self.operation.attributes[_ROW_BY_ROW] = ir.UnitAttr.get()


class ScanOp(ScanBase, dialect=NvTileAS, name="scan"):
    """Combine every element of a tile with those before it along one axis."""


class HistogramOp(HistogramBase, dialect=NvTileAS, name="histogram"):
    """Count how often each of the numbers 0, ..., n - 1 occurs in a tile."""


class YieldValuesOp(YieldValuesBase, dialect=NvTileAS, name="yield_values"):
    """End the body of a `reduce` or `scan`."""
