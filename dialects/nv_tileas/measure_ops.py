"""The table of the ends of tiles."""

from tilec.dialects.common.measure_ops import MeasureTilesBase
from tilec.dialects.nv_tileas.dialect import NvTileAS


class MeasureTilesOp(MeasureTilesBase, dialect=NvTileAS, name="measure_tiles"):
    """Write the least and the largest element of every tile of an array to a table."""
