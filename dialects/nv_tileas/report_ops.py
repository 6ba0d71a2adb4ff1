"""Operations of the nv_tileas dialect by which a kernel reports to the host."""

from tilec.dialects.common.report_ops import AssertBase, PrintBase
from tilec.dialects.nv_tileas.dialect import NvTileAS


class AssertOp(AssertBase, dialect=NvTileAS, name="assert"):
    """Report where a condition does not hold; the kernel goes on."""


class PrintOp(PrintBase, dialect=NvTileAS, name="print"):
    """Print values, with the coordinates of the block in front."""
