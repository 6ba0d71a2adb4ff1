"""Matrix products of shared-memory tiles: asynchronous (wgmma), by each warp (mma.sync), SIMT."""

from typing import Any, Optional

from tilec.dialects.common.effects import Hints
from tilec.dialects.common.matmul_ops import k_part, product_types
from tilec.dialects.common.verify import is_i1
from tilec.dialects.nv_tileas.base import (
    OPERAND,
    REGISTERS,
    SHARED,
    TOKEN,
    CheckedOperation,
    find_choice_error,
    find_count_error,
    find_element_error,
)
from tilec.ir.bindings import Operand, Result, ir
from tilec.ir.integers import i64
from tilec.support.mma_atoms import ProductTypes

WHOLE = "whole"
"""Attribute (unit) of an anchor that waits for all registers of its tile, not for a few."""
BY_STEPS = "by_steps"
"""Unit attribute of an `async_mma` with A in registers: each step of K is a group of its own, so
that threads can compute A of the next step while it runs. The wait follows at once."""


class _SharedProduct(CheckedOperation):
    """What products of two shared-memory tiles have in common.

    Operands:
        a: Shared-memory tile: `[M, K]` when `a_major` is `k`, else `[K, M]`.
        b: Shared-memory tile: `[K, N]` when `b_major` is `n`, else `[N, K]`.
        acc: Register tile `[M, N]`.

    Attributes:
        a_major: Contiguous dimension of `a`: `k` or `m`.
        b_major: Contiguous dimension of `b`: `k` or `n`.
        k_part: Optional: first and number of the elements of K that are multiplied.
        signedness_a: Optional, of the integers of `a`; `signedness_b` likewise.
        precision: Optional: `tf32` for operands of f32 that are read as tf32.
    """

    TYPES = (("a", SHARED), ("b", SHARED), ("acc", REGISTERS), ("result", REGISTERS))

    a: Operand[Any]
    b: Operand[Any]
    acc: Operand[Any]
    result: Result[Any]
    a_major: ir.StringAttr
    b_major: ir.StringAttr

    @property
    def product_types(self) -> ProductTypes:
        """The element types that are multiplied."""
        return product_types(self, self.acc)

    @property
    def tile_shape(self) -> tuple[int, int, int]:
        """M, N and K of the (last two dims of the) tile product."""
        m, n = self.acc.type.shape[-2:]
        return m, n, self.a.type.shape[-1 if self.a_major.value == "k" else -2]

    def find_error(self) -> str | None:
        """Return the message for attributes or operands that form no product."""
        message = find_choice_error(self, "a_major", ("k", "m")) or find_choice_error(
            self, "b_major", ("k", "n")
        )
        return message or self._find_shape_error() or self._find_part_error()

    @property
    def shared_operands(self) -> list[Any]:
        """The operands in shared memory."""
        return [self.a, self.b]

    @property
    def part(self) -> tuple[int, int]:
        """First and number of the elements of K that are multiplied."""
        return k_part(self)

    def _find_part_error(self) -> str | None:
        (first, count), whole = self.part, self.tile_shape[2]
        if first >= 0 and count >= 1 and first + count <= whole:
            return None
        return f"k_part must lie in the {whole} elements of K"

    def _find_shape_error(self) -> str | None:
        rank = len(self.acc.type.shape)
        if self.result.type != self.acc.type or rank < 2:
            return "expects the shape of operand #C is compatible with operands #A and #B"
        if len(self.a.type.shape) != rank or len(self.b.type.shape) != rank:
            return "expects the shape of operand #A and #B to be compatible"
        m, n, k = self.tile_shape
        a_expected = (m, k) if self.a_major.value == "k" else (k, m)
        b_expected = (k, n) if self.b_major.value == "n" else (n, k)
        if tuple(self.a.type.shape[-2:]) == a_expected and self.b.type.shape[-2:] == b_expected:
            return None
        return "expects the shape of operand #A and #B to be compatible"


class AsyncMmaOp(_SharedProduct, name="async_mma"):
    """Start `acc += a @ b` on the tensor cores; the result may be read after `mma_wait`.

    The accumulator is a linear value: this operation is the only use of `acc`.

    Operands:
        a: As above, or a register tile `[M, K]` (`a_major` is `k`), each thread's fragment of A.
        accumulate: Whether what `acc` holds is added (i1): the predicate scale-d of wgmma (PTX ISA,
            wgmma.mma_async). Where it is false the result is `a @ b`, and `acc` is not read. Absent
            from a product that always adds.

    Attributes:
        by_steps: See `BY_STEPS`.

    Results:
        result: The accumulator in flight.
        token: Consumed by the `mma_wait` that retires the group.
    """

    TYPES = (("a", OPERAND), *_SharedProduct.TYPES[1:], ("token", TOKEN))

    token: Result[Any]
    accumulate: Optional[Operand[Any]] = None  # noqa: UP045 - ext reads typing.Optional

    @property
    def registers_hold_a(self) -> bool:
        """Whether A comes from registers."""
        return isinstance(self.a.type, ir.RankedTensorType)

    @property
    def by_steps(self) -> bool:
        """Whether each step of K is a group of its own."""
        return BY_STEPS in self.attributes

    @property
    def shared_operands(self) -> list[Any]:
        """The operands in shared memory."""
        return [self.b] if self.registers_hold_a else super().shared_operands

    def find_error(self) -> str | None:
        """Return the message for a predicate that is none, or for what forms no product."""
        if self.registers_hold_a and self.a_major.value != "k":
            return "expects 'a_major' to be k for an operand in registers"
        predicate = self.accumulate
        if predicate is not None and not is_i1(predicate.type):
            return f"expects 'accumulate' to be an i1, but got {predicate.type}"
        return super().find_error()


class _FirstAccumulator(CheckedOperation):
    """What an accumulator holds before the first product, from the place of the operation on."""

    TYPES = (("tile", REGISTERS),)

    tile: Result[Any]

    @classmethod
    def build(cls, tile: Any, **where: Any) -> Any:
        """Build the op and return a tile of type `tile`."""
        return cls(tile=tile, **where).tile

    def find_error(self) -> str | None:
        """Return the message for a tile that is no accumulator."""
        return find_element_error(self.tile)


class UndefinedOp(_FirstAccumulator, name="undefined"):
    """Return registers that may hold anything, for a product that overwrites them.

    Nothing may read them: their only way leads into the `acc` of an `async_mma` whose `accumulate`
    is false the first time.
    """


class ZerosOp(_FirstAccumulator, name="zeros"):
    """Write zeros into registers.

    A constant has no place of its own: LLVM may write one before the branch that needs it.
    """


class SimtMmaOp(_SharedProduct, name="simt_mma"):
    """Compute `acc + a @ b` with fused multiply-adds on the CUDA cores.

    For products that the tensor cores cannot do. Extents and element types are free; leading dims
    are batches.
    """


class WarpMmaOp(_SharedProduct, name="warp_mma"):
    """Compute `acc + a @ b` on the tensor cores, each warp its part, and wait for it: `mma.sync`.

    For products that wgmma cannot do: fewer rows, and f64. Threads read the operands.
    """


class MmaWaitOp(CheckedOperation, name="mma_wait"):
    """Wait until at most `pending` groups are in flight and return the accumulator.

    If fewer than `pending` groups were issued after that of `token`, what is returned is still in
    flight: only the next `async_mma` or an `mma_drain` may use it.
    """

    TYPES = (("acc", REGISTERS), ("token", TOKEN), ("result", REGISTERS))

    acc: Operand[Any]
    token: Operand[Any]
    result: Result[Any]
    pending: ir.IntegerAttr

    @classmethod
    def build(cls, acc: Any, token: Any, pending: int, **where: Any) -> Any:
        """Build the op and return the accumulator."""
        return cls(
            acc=acc,
            token=token,
            result=acc.type,
            pending=i64(pending),
            **where,
        ).result

    def find_error(self) -> str | None:
        """Return the message for a wait that changes the accumulator or waits for nothing."""
        if self.result.type != self.acc.type:
            return f"expects a result of type {self.acc.type}, but got {self.result.type}"
        return find_count_error(self, "pending", 0)


class AnchorOp(CheckedOperation, name="anchor", traits=[Hints]):
    """Compute a tile before this place.

    Arithmetic has no place of its own: ptxas moves a wait up above all of it that needs no result
    of the group (seen with ptxas 13.0 and 13.5). An anchor before the wait keeps it there. It waits
    for a few registers of the tile, or for all of them (`WHOLE`).
    """

    TYPES = (("tile", REGISTERS),)

    tile: Operand[Any]

    @property
    def is_whole(self) -> bool:
        """Whether the anchor waits for all registers of the tile."""
        return WHOLE in self.operation.attributes


class HoldOp(CheckedOperation, name="hold"):
    """Pass a tile on after the wait that returned an accumulator.

    Only what is computed from the result comes after the wait. An anchor keeps the rest before it.
    It takes an instruction for each register of the tile, so small tiles are held.
    """

    TYPES = (("tile", REGISTERS), ("acc", REGISTERS), ("result", REGISTERS))

    tile: Operand[Any]
    acc: Operand[Any]
    result: Result[Any]

    @classmethod
    def build(cls, tile: Any, acc: Any, **where: Any) -> Any:
        """Build the op and return the tile."""
        return cls(tile=tile, acc=acc, result=tile.type, **where).result

    def find_error(self) -> str | None:
        """Return the message for a tile that is changed, or not made of words."""
        if self.result.type != self.tile.type:
            return f"expects a result of type {self.tile.type}, but got {self.result.type}"
        return find_element_error(self.tile, ("i32", "f32")) or find_element_error(self.acc)


class MmaDrainOp(CheckedOperation, name="mma_drain"):
    """Wait until no group is in flight and return the accumulator that a loop left in flight."""

    TYPES = (("acc", REGISTERS), ("result", REGISTERS))

    acc: Operand[Any]
    result: Result[Any]

    @classmethod
    def build(cls, acc: Any, **where: Any) -> Any:
        """Build the op and return the accumulator."""
        return cls(acc=acc, result=acc.type, **where).result

    def find_error(self) -> str | None:
        """Return the message for a wait that changes the accumulator."""
        if self.result.type != self.acc.type:
            return f"expects a result of type {self.acc.type}, but got {self.result.type}"
        return None
