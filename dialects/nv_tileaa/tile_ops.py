"""Operations on tiles of the nv_tileaa dialect."""

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
from tilec.dialects.nv_tileaa.dialect import NvTileAA


class MakeRangeOp(MakeRangeBase, dialect=NvTileAA, name="make_range"):
    """Make a 1-D integer tile of consecutive values."""


class SplatOp(SplatBase, dialect=NvTileAA, name="splat"):
    """Make a tile whose elements all equal a scalar."""


class BroadcastOp(BroadcastBase, dialect=NvTileAA, name="broadcast"):
    """Repeat a tile along the dims where its extent is 1."""


class ViewOp(ViewBase, dialect=NvTileAA, name="view"):
    """Give a tile another shape; elements keep their row-major order."""


class PermuteOp(PermuteBase, dialect=NvTileAA, name="permute"):
    """Reorder the dims of a tile."""


class CatOp(CatBase, dialect=NvTileAA, name="cat"):
    """Join two tiles along one dim."""


class ExtractOp(ExtractBase, dialect=NvTileAA, name="extract"):
    """Take one slice of a tile."""


class DotOp(DotBase, dialect=NvTileAA, name="dot"):
    """Matrix multiply-accumulate."""


class GetProgramIdOp(GetProgramIdBase, dialect=NvTileAA, name="get_program_id"):
    """Return the coordinate of this block along a grid axis."""


class GetNumProgramsOp(GetNumProgramsBase, dialect=NvTileAA, name="get_num_programs"):
    """Return the number of blocks along a grid axis."""


class ReduceOp(ReduceBase, dialect=NvTileAA, name="reduce"):
    """Combine the elements of a tile along one axis."""


class ScanOp(ScanBase, dialect=NvTileAA, name="scan"):
    """Combine every element of a tile with those before it along one axis."""


class HistogramOp(HistogramBase, dialect=NvTileAA, name="histogram"):
    """Count how often each of the numbers 0, ..., n - 1 occurs in a tile."""


class YieldValuesOp(YieldValuesBase, dialect=NvTileAA, name="yield_values"):
    """End the body of a `reduce` or `scan`."""
