"""Matrix products of shared-memory tiles: asynchronous groups (wgmma on sm_90a) and SIMT."""

from typing import Any

from tilec.dialects.common.verify import report
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.dialects.nv_tileas.types import MmaTokenType
from tilec.ir.bindings import Operand, Result, ext, ir


class _SharedProduct(ext.Operation):
    """What products of two shared-memory tiles have in common.

    Operands:
        a: Shared-memory tile: `[M, K]` when `a_major` is `k`, else `[K, M]`.
        b: Shared-memory tile: `[K, N]` when `b_major` is `n`, else `[N, K]`.
        acc: Register tile `[M, N]`.

    Attributes:
        a_major: Contiguous dimension of `a`: `k` or `m`.
        b_major: Contiguous dimension of `b`: `k` or `n`.
    """

    a: Operand[Any]
    b: Operand[Any]
    acc: Operand[Any]
    result: Result[Any]

    @property
    def tile_shape(self) -> tuple[int, int, int]:
        """M, N and K of the (last two dims of the) tile product."""
        m, n = self.acc.type.shape[-2:]
        return m, n, self.a.type.shape[-1 if self.a_major.value == "k" else -2]

    def verify_invariants(self) -> bool:
        """Report operand shapes that form no product."""
        m, n, k = self.tile_shape
        a_expected = (m, k) if self.a_major.value == "k" else (k, m)
        b_expected = (k, n) if self.b_major.value == "n" else (n, k)
        if self.a.type.shape[-2:] == a_expected and self.b.type.shape[-2:] == b_expected:
            return True
        return report(self, "expects the shape of operand #A and #B to be compatible")


class AsyncMmaOp(_SharedProduct, dialect=NvTileAS, name="async_mma"):
    """Start `acc += a @ b` on the tensor cores; the result may be read after `mma_wait`.

    The accumulator is a linear value: this operation is the only use of `acc`.

    Results:
        result: The accumulator in flight.
        token: Consumed by the `mma_wait` that retires the group.
    """

    token: Result[Any]
    a_major: ir.StringAttr
    b_major: ir.StringAttr


class SimtMmaOp(_SharedProduct, dialect=NvTileAS, name="simt_mma"):
    """Compute `acc + a @ b` with fused multiply-adds on the CUDA cores.

    For products that the tensor cores cannot do. Extents and element types are free; leading dims
    are batches.
    """

    a_major: ir.StringAttr
    b_major: ir.StringAttr


class MmaWaitOp(NvTileAS.Operation, name="mma_wait"):
    """Wait until at most `pending` newer groups are in flight and return the accumulator."""

    acc: Operand[Any]
    token: Operand[Any]
    result: Result[Any]
    pending: ir.IntegerAttr

    @classmethod
    def build(cls, acc: Any, token: Any, pending: int, **where: Any) -> Any:
        """Build the op and return the accumulator."""
        i64 = ir.IntegerType.get_signless(64)
        return cls(
            acc=acc,
            token=token,
            result=acc.type,
            pending=ir.IntegerAttr.get(i64, pending),
            **where,
        ).result

    def verify_invariants(self) -> bool:
        """Report a token that no asynchronous group defines."""
        if isinstance(self.token.type, MmaTokenType):
            return True
        return report(self, f"expects an mma token, but got {self.token.type}")
