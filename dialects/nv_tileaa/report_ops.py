"""Operations of the nv_tileaa dialect by which a kernel reports to the host."""

from tilec.dialects.common.report_ops import AssertBase, PrintBase
from tilec.dialects.nv_tileaa.dialect import NvTileAA


class AssertOp(AssertBase, dialect=NvTileAA, name="assert"):
    """Report where a condition does not hold; the kernel goes on."""


class PrintOp(PrintBase, dialect=NvTileAA, name="print"):
    """Print values, with the coordinates of the block in front."""
