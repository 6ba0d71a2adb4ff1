"""Memory operations that nv_tileas takes over from nv_tileaa, and tokens of asynchronous copies.

Types stay those of nv_tileaa. Tokens hold no value. They say which accesses of global memory must
come first: passes keep that order, and the protocol check proves it.
"""

from collections.abc import Sequence as SequenceABC
from typing import Any, Sequence  # noqa: UP035 - ext reads typing.Sequence

from tilec.dialects.common.memory_ops import (
    CreateMemTokenBase,
    JoinMemTokenBase,
    MakeMemrefBase,
    SliceBaseBase,
    TiledLoadBase,
    TiledStoreBase,
)
from tilec.dialects.common.prefetch_ops import PrefetchBase
from tilec.dialects.nv_tileaa.types import MemTokenType
from tilec.dialects.nv_tileas.base import POSITION, REGISTERS, RING, CheckedOperation
from tilec.dialects.nv_tileas.dialect import NvTileAS
from tilec.dialects.nv_tileas.epilogue_ops import mark_per_warpgroup
from tilec.ir.bindings import Operand, Result


class MakeMemrefOp(MakeMemrefBase, dialect=NvTileAS, name="make_memref"):
    """Describe a strided array, with the facts that nv_tileaa found out."""


class SliceBaseOp(SliceBaseBase, dialect=NvTileAS, name="slice_base"):
    """Return where a slice of an array begins."""


class TiledLoadOp(TiledLoadBase, dialect=NvTileAS, name="tiled_load"):
    """Load one tile with the copy atom of its witness."""

    SEMANTICS = ("weak", "relaxed")
    ATOM_REQUIRED = True


class TiledStoreOp(TiledStoreBase, dialect=NvTileAS, name="tiled_store"):
    """Store one tile with the copy atom of its witness."""

    SEMANTICS = ("weak", "relaxed")
    ATOM_REQUIRED = True


class PrefetchOp(PrefetchBase, dialect=NvTileAS, name="prefetch"):
    """Ask for one tile to be in L2 when it is loaded."""

    ATOM_REQUIRED = True


class CreateMemTokenOp(CreateMemTokenBase, dialect=NvTileAS, name="create_mem_token"):
    """Make a token that depends on nothing."""


class JoinMemTokenOp(JoinMemTokenBase, dialect=NvTileAS, name="join_mem_token"):
    """Make a token that depends on several others."""


_MEMORY = (MemTokenType, "expects a memory token")


class ReceiveTokenOp(CheckedOperation, name="receive_token"):
    """Return the memory token of the load whose tile a `receive` has taken out of its channel.

    Operands:
        tile: Result of the `receive`.
    """

    TYPES = (("tile", REGISTERS), ("token", _MEMORY))

    tile: Operand[Any]
    token: Result[Any]

    @classmethod
    def build(cls, tile: Any, **where: Any) -> Any:
        """Build the op and return the token."""
        return cls(tile=tile, token=MemTokenType.get(), **where).token


class RingTokenOp(CheckedOperation, name="ring_token"):
    """Return the memory token of the loads that fill the slot at `position`.

    Comes after the `ring_wait` for that slot: what comes after the token needs the wait.
    """

    TYPES = (("ring", RING), ("position", POSITION), ("token", _MEMORY))

    ring: Operand[Any]
    position: Operand[Any]
    token: Result[Any]

    @classmethod
    def build(cls, ring: Any, position: Any, **where: Any) -> Any:
        """Build the op and return the token."""
        return cls(ring=ring, position=position, token=MemTokenType.get(), **where).token


class StoreTokenOp(CheckedOperation, name="store_token"):
    """Return the memory token of the bulk stores that the `bulk_commit` before it closes.

    The tiles that threads copied out instead of them (`copy_out`) count, too. With the attribute
    `per_warpgroup`, the stores are those of each warpgroup.

    Operands:
        after: Tokens of what must happen before the first of these stores.
    """

    TYPES = (("token", _MEMORY),)

    after: Sequence[Operand[Any]]
    token: Result[Any]

    def find_error(self) -> str | None:
        """Return the message for an operand that is no memory token."""
        wrong = [value for value in self.after if not isinstance(value.type, MemTokenType)]
        return f"{_MEMORY[1]}, but got {wrong[0].type}" if wrong else None

    @classmethod
    def build(cls, after: SequenceABC[Any], *, per_warpgroup: bool, **where: Any) -> Any:
        """Build the op and return the token."""
        op = cls(after=list(after), token=MemTokenType.get(), **where)
        if per_warpgroup:
            mark_per_warpgroup(op)
        return op.token
