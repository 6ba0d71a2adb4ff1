"""Memory operations of the nv_tileaa dialect."""

from typing import Any

from tilec.dialects.common.memory_ops import (
    CreateMemTokenBase,
    JoinMemTokenBase,
    MakeMemrefBase,
    SliceBaseBase,
    TiledLoadBase,
    TiledStoreBase,
)
from tilec.dialects.common.prefetch_ops import PrefetchBase
from tilec.dialects.common.verify import report, total
from tilec.dialects.nv_tileaa.dialect import NvTileAA
from tilec.ir.bindings import Operand, Pure, Result, ir


class MakeMemrefOp(MakeMemrefBase, dialect=NvTileAA, name="make_memref"):
    """Describe a strided array; `nv-tileaa-infer-facts` adds what is known about it.

    Attributes:
        base_div_by: Bytes that divide the base address.
        size_div_by: Per dim, a divisor of the extent in elements.
        stride_div_by: Per dim, a divisor of the stride in bytes.
    """


class SliceBaseOp(SliceBaseBase, dialect=NvTileAA, name="slice_base"):
    """Return where a slice of an array begins.

    Attributes:
        start_div_by: A divisor of `start`, from `nv-tileaa-infer-facts`.
    """


class TiledLoadOp(TiledLoadBase, dialect=NvTileAA, name="tiled_load"):
    """Load one tile; the copy-atom witness comes from `nv-tileaa-select-copy-atoms`."""

    SEMANTICS = ("weak", "relaxed", "acquire")
    BAD_SEMANTIC = "loads accept only relaxed or acquire"
    SCOPE_ON_WEAK = "weak memory ordering must not carry a scope"
    SCOPE_MISSING = "non-weak memory ordering requires explicit scope"


class TiledStoreOp(TiledStoreBase, dialect=NvTileAA, name="tiled_store"):
    """Store one tile; the copy-atom witness comes from `nv-tileaa-select-copy-atoms`."""

    SEMANTICS = ("weak", "relaxed", "release")
    BAD_SEMANTIC = "stores accept only relaxed or release"
    SCOPE_ON_WEAK = "weak memory ordering must not carry a scope"
    SCOPE_MISSING = "non-weak memory ordering requires explicit scope"


class PrefetchOp(PrefetchBase, dialect=NvTileAA, name="prefetch"):
    """Ask for one tile to be in L2 when it is loaded."""


class CreateMemTokenOp(CreateMemTokenBase, dialect=NvTileAA, name="create_mem_token"):
    """Make a token that depends on nothing."""


class JoinMemTokenOp(JoinMemTokenBase, dialect=NvTileAA, name="join_mem_token"):
    """Make a token that depends on several others."""


class AssumeOp(NvTileAA.Operation, name="assume", traits=[Pure]):
    """Return a value together with a fact about it.

    Attributes:
        div_by: Divisor: of the address in bytes for pointers, else of the value. A positive
            power of two.
    """

    value: Operand[Any]
    result: Result[Any]
    div_by: ir.IntegerAttr

    @total
    def verify_invariants(self) -> bool:
        """Report a divisor that is no power of two or a change of type."""
        divisor = self.div_by.value
        if divisor <= 0 or divisor & (divisor - 1):
            return report(self, "div_by divisor must be a positive power of two")
        if self.value.type != self.result.type:
            return report(self, "expects the result to have the type of the value")
        return True

    @classmethod
    def build(cls, value: Any, div_by: int, **where: Any) -> Any:
        """Build the op and return the value."""
        divisor = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), div_by)
        return cls(value=value, result=value.type, div_by=divisor, **where).result
