"""Rules for matrix products on the tensor cores: wgmma groups and their waits.

One inline-PTX block holds the fence, every wgmma of the group and the commit, so that nothing can
come between them; the accumulator registers are tied to its results. The wait ties them again,
which keeps LLVM from moving their readers above it.
"""

from collections.abc import Sequence
from typing import Any, Literal

from tilec.dialects.nv_tileas.mma_ops import AsyncMmaOp, MmaDrainOp, MmaWaitOp, UndefinedOp, ZerosOp
from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir
from tilec.layout import (
    SharedLayout,
    descriptor_fields,
    k_step_bytes,
    row_block_bytes,
    warpgroup_share,
)
from tilec.layout.constructors import WGMMA_ROWS
from tilec.passes.analysis.mma.wgmma_support import WGMMA_K, WGMMA_MAX_N
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering, tile_layout
from tilec.support.fast_dataclasses import dataclass

ADDRESS_MASK = 0x3FFFF
"""Shared-memory address bits that a descriptor holds, in units of 16 bytes (PTX ISA, wgmma)."""


def instruction_columns(n: int, step: int) -> int:
    """Return N of one wgmma for a tile of `n` columns that may be cut at multiples of `step`."""
    candidates = range(min(n, WGMMA_MAX_N), 0, -8)
    return next(c for c in candidates if n % c == 0 and (c == n or c % step == 0))


@dataclass(frozen=True)
class _Operand:
    """A shared-memory operand: its layout and whether K (`k`) or M/N (`mn`) is contiguous."""

    layout: SharedLayout
    major: Literal["k", "mn"]

    def advance(self, index: int, step: int) -> int:
        """Return the bytes from the operand's start to M or N index `index` of a k-step."""
        start = row_block_bytes(self.layout, self.major, index) if index else 0
        return start + k_step_bytes(self.layout, self.major, step)

    @property
    def transposed(self) -> int:
        """Immediate of the instruction: 1 when M or N is contiguous."""
        return int(self.major == "mn")


@RULES.converts(AsyncMmaOp)
def lower_async_mma(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Issue all wgmma of a tile product as one group."""
    mma = op.opview
    a = _Operand(layout_of_shared(mma.a.type), "k" if mma.a_major.value == "k" else "mn")
    b = _Operand(layout_of_shared(mma.b.type), "k" if mma.b_major.value == "k" else "mn")
    m, n, k = mma.tile_shape
    rows, columns = warpgroup_share(m, n, lowering.current_role.warps // 4)
    descriptors = [
        _descriptor(lowering.get(mma.a), a, _own_part(lowering, a, rows, m)),
        _descriptor(lowering.get(mma.b), b, _own_part(lowering, b, columns, n)),
    ]
    acc, predicate = lowering.tile(mma.acc), mma.accumulate
    inputs, setup = descriptors, [".reg .b64 da, db;"]
    if predicate is not None:
        inputs = [*inputs, arith.extui(emit.i32_type(), lowering.get(predicate))]
        setup += [".reg .pred p;", f"setp.ne.b32 p, ${2 * len(acc) + 2}, 0;"]
    text = "\n".join(
        [
            "{",
            *setup,
            "wgmma.fence.sync.aligned;",
            *_instructions(mma, (a, b), (rows, columns, k), len(acc)),
            "wgmma.commit_group.sync.aligned;",
            "}",
        ]
    )
    return [_tied(text, acc, inputs), None]


def _instructions(
    mma: Any, operands: tuple[_Operand, _Operand], share: tuple[int, int, int], registers: int
) -> list[str]:
    """Return the PTX of every wgmma for the rows, columns and K of one warpgroup, k innermost.

    Of those that add to the same registers, the first one may overwrite them: predicate p.
    """
    a, b = operands
    rows, n, k = share
    columns = instruction_columns(n, 8 if b.major == "k" else b.layout.box[1])
    element = "bf16" if isinstance(mma.a.type.element_type, ir.BF16Type) else "f16"
    name = f"wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.{element}.{element}"
    first = "1" if mma.accumulate is None else "p"
    lines = []
    for row in range(0, rows, WGMMA_ROWS):
        for column in range(0, n, columns):
            fragment = _fragment(row // WGMMA_ROWS, column, columns, n)
            for step in range(k // WGMMA_K):
                flags = f"{'1' if step else first}, 1, 1, {a.transposed}, {b.transposed}"
                lines += [
                    f"add.s64 da, ${2 * registers}, {a.advance(row, step) >> 4};",
                    f"add.s64 db, ${2 * registers + 1}, {b.advance(column, step) >> 4};",
                    f"{name} {{{fragment}}}, da, db, {flags};",
                ]
    return lines


def _fragment(block: int, column: int, columns: int, n: int) -> str:
    """Return the accumulator registers of 64 rows and `columns` columns, as asm operands."""
    first = (block * n + column) // 2
    return ", ".join(f"${index}" for index in range(first, first + columns // 2))


def _own_part(lowering: Lowering, operand: _Operand, part: int, whole: int) -> emit.Index:
    """Emit the byte offset of the part of an operand's M or N that this warpgroup multiplies."""
    starts = [operand.advance(first, 0) for first in range(0, whole, part)]
    result: emit.Index = starts[0]
    for index in range(1, len(starts)):
        chosen = emit.compare("eq", lowering.current_role.warpgroup, index)
        result = arith.select(chosen, emit.value(starts[index]), emit.value(result))
    return result


def _descriptor(address: Any, operand: _Operand, start: emit.Index) -> Any:
    """Emit the 64-bit matrix descriptor of an operand (PTX ISA, wgmma matrix descriptor format)."""
    leading, stride, swizzle = descriptor_fields(operand.layout, operand.major)
    constant = (leading >> 4) << 16 | (stride >> 4) << 32 | swizzle << 62
    if constant >= 1 << 63:
        constant -= 1 << 64
    number = emit.add(llvm_ops.pointer_to_integer(emit.i32_type(), address), start)
    masked = arith.andi(number, emit.value(ADDRESS_MASK))
    low = arith.extui(emit.i64_type(), arith.shrui(masked, emit.value(4)))
    return arith.ori(low, arith.constant(emit.i64_type(), constant))


def _tied(text: str, acc: list[Any], inputs: list[Any]) -> list[Any]:
    """Emit PTX that updates the registers of `acc` in place; return the new registers."""
    count = len(acc)
    constraints = ",".join(
        ["=f"] * count
        + [str(index) for index in range(count)]
        + ["l" if item.type == emit.i64_type() else "r" for item in inputs]
        + ["~{memory}"]
    )
    struct = emit.literal_struct(ir.F32Type.get(), count)
    result = emit.inline_ptx(text, constraints, [*acc, *inputs], struct)
    return _fields(result, count)


def _fields(struct: Any, count: int) -> list[Any]:
    """Return the fields of a struct of f32."""
    return [llvm_ops.extract_value(ir.F32Type.get(), struct, index) for index in range(count)]


@RULES.converts(UndefinedOp)
def lower_undefined(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Copy a register that is never written, which costs no instruction.

    Without the copies the registers would keep what they hold: ptxas sees that a product may read
    them, and spares them from the end of the last tile on (13.0: 132 bytes reloaded at 256x208).
    """
    return [_filled(op, "unwritten", [".reg .b32 unwritten;"])]


@RULES.converts(ZerosOp)
def lower_zeros(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Write zeros by PTX, which stays where it is."""
    return [_filled(op, "0")]


def _filled(op: Any, source: str, declarations: Sequence[str] = ()) -> list[Any]:
    """Emit PTX that writes `source` to every register of the result of `op`; return them."""
    count = tile_layout(op.results[0]).num_registers
    moves = [f"mov.b32 ${index}, {source};" for index in range(count)]
    text = "\n".join(["{", *declarations, *moves, "}"])
    struct = emit.literal_struct(ir.F32Type.get(), count)
    return _fields(emit.inline_ptx(text, ",".join(["=f"] * count), [], struct), count)


@RULES.converts(MmaWaitOp)
def lower_mma_wait(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Wait for a group and pass its accumulator on."""
    pending = op.opview.pending.value
    acc = lowering.tile(op.operands[0])
    return [_tied(f"wgmma.wait_group.sync.aligned {pending};", acc, [])]


@RULES.converts(MmaDrainOp)
def lower_mma_drain(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Wait for all groups and pass the accumulator on."""
    acc = lowering.tile(op.operands[0])
    return [_tied("wgmma.wait_group.sync.aligned 0;", acc, [])]
