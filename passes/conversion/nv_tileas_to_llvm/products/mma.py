"""Rules for matrix products on the tensor cores: wgmma groups. `mma_waits.py` has their waits.

One inline-PTX block holds the fence, every wgmma of the group and the commit, so that nothing can
come between them; the accumulator registers are tied to its results.
"""

from collections.abc import Sequence
from typing import Any, Literal

from tilec.dialects.nv_tileas.mma_ops import AsyncMmaOp, UndefinedOp, ZerosOp
from tilec.ir import llvm_ops
from tilec.ir.bindings import arith
from tilec.layout import (
    SharedLayout,
    descriptor_fields,
    k_step_bytes,
    row_block_bytes,
    warpgroup_share,
)
from tilec.layout.constructors import WGMMA_ROWS
from tilec.passes.analysis.tma.shared_layouts import layout_of_shared
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.control_flow import lowered_types, parts_of, regroup
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import (
    PASS_NAME,
    RULES,
    Lowering,
    PackedTile,
)
from tilec.passes.conversion.nv_tileas_to_llvm.products.warp_mma import operand_words
from tilec.passes.conversion.nv_tileas_to_llvm.sinking import sink_before
from tilec.support.diagnostics import InternalCompilerError
from tilec.support.fast_dataclasses import dataclass
from tilec.support.mma_atoms import MmaFamily, ProductTypes, wgmma_family

_STEP_WORDS = 4
"""Registers of A of one instruction: 64 rows of 32 bytes over 128 threads (PTX ISA, wgmma)."""
ADDRESS_MASK = 0x3FFFF
"""Shared-memory address bits that a descriptor holds, in units of 16 bytes (PTX ISA, wgmma)."""


def instruction_columns(family: MmaFamily, n: int, step: int) -> int:
    """Return N of one wgmma for a tile of `n` columns that may be cut at multiples of `step`.

    Raises:
        InternalCompilerError: No instruction tiles the columns.
    """
    columns = family.widest(n, step)
    if columns is None:
        message = f"no wgmma tiles {n} columns that are cut at multiples of {step}"
        raise InternalCompilerError(message, pass_name=PASS_NAME, op="nv_tileas.async_mma")
    return columns


def _family(mma: Any) -> MmaFamily:
    """Return the wgmma instructions for the element types of a product."""
    types: ProductTypes = mma.product_types
    family = wgmma_family(types)
    if family is None:
        message = f"wgmma does not multiply {types}"
        raise InternalCompilerError(message, pass_name=PASS_NAME, op=mma.OPERATION_NAME)
    return family


@dataclass(frozen=True)
class _InShared:
    """An operand in shared memory.

    Attributes:
        layout: Its layout.
        major: Whether K (`k`) or M/N (`mn`) is contiguous.
        register: PTX register that holds the descriptor of an instruction.
        number: Operand of the inline PTX that is the descriptor of the warpgroup's part.
    """

    layout: SharedLayout
    major: Literal["k", "mn"]
    register: str
    number: int

    def advance(self, index: int, step: int) -> int:
        """Return the bytes from the operand's start to M or N index `index` of a k-step."""
        start = row_block_bytes(self.layout, self.major, index) if index else 0
        return start + k_step_bytes(self.layout, self.major, step)

    def prepare(self, index: int, step: int) -> list[str]:
        """Return the PTX that comes before an instruction for M or N index `index`."""
        offset = self.advance(index, step) >> 4
        return [f"add.s64 {self.register}, ${self.number}, {offset};"]

    def text(self, index: int, step: int) -> str:
        """Return the operand of the instruction."""
        del index, step
        return self.register

    @property
    def flags(self) -> list[str]:
        """Immediate of an instruction that can transpose: 1 when M or N is contiguous."""
        return [str(int(self.major == "mn"))]


@dataclass(frozen=True)
class _InRegisters:
    """The words of an A operand in registers.

    Attributes:
        number: Operand of the inline PTX that is the first word.
        words: Words of 64 rows.
        first: The step of K of the first word.
    """

    number: int
    words: int
    first: int

    def prepare(self, index: int, step: int) -> list[str]:
        """Return the PTX that comes before an instruction: none."""
        del index, step
        return []

    def text(self, index: int, step: int) -> str:
        """Return the words of row `index` and the rows after it."""
        own = (step - self.first) * _STEP_WORDS
        first = self.number + index // WGMMA_ROWS * self.words + own
        return "{" + ", ".join(f"${first + word}" for word in range(_STEP_WORDS)) + "}"

    @property
    def flags(self) -> list[str]:
        """Registers have no order to transpose (PTX ISA, wgmma.mma_async)."""
        return []


_Operands = tuple[_InShared | _InRegisters, _InShared]


@dataclass(frozen=True)
class _Group:
    """What is issued together.

    Attributes:
        mma: The product.
        operands: A and B.
        share: Rows and columns of one warpgroup.
        steps: Steps of K.
        predicate: Whether the first step adds to the accumulator, an i1; None if it always does.
    """

    mma: Any
    operands: _Operands
    share: tuple[int, int]
    steps: range
    predicate: Any


@RULES.converts(AsyncMmaOp)
def lower_async_mma(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Issue all wgmma of a tile product as one group, or as one for each step of K.

    With `by_steps`, threads compute A of the next step while the one before runs.
    """
    mma = op.opview
    m, n, _ = mma.tile_shape
    share = warpgroup_share(m, n, lowering.current_role.warps // 4)
    first, count = (extent // _family(mma).inner for extent in mma.part)
    steps, predicate = range(first, first + count), mma.accumulate
    if mma.registers_hold_a:
        return [regroup(op.results[0], _issue_fragments(mma, lowering, share, steps)), None]
    acc = parts_of(lowering, mma.acc)
    number = 2 * len(acc)
    a = _in_shared(mma.a, mma.a_major.value, "da", number)
    b = _in_shared(mma.b, mma.b_major.value, "db", number + 1)
    inputs = [
        _descriptor(lowering.get(mma.a), a, _own_part(lowering, a, share[0], m)),
        _descriptor(lowering.get(mma.b), b, _own_part(lowering, b, share[1], n)),
    ]
    group = _Group(mma, (a, b), share, steps, predicate)
    return [regroup(op.results[0], _issue(lowering, group, acc, inputs)), None]


def _issue_fragments(
    mma: Any, lowering: Lowering, share: tuple[int, int], steps: range
) -> list[Any]:
    """Issue the groups of a product whose A is in registers; return the accumulator."""
    words = _words(lowering, mma.a)
    registers = list(parts_of(lowering, mma.acc))
    first, each = 2 * len(registers), len(words) * WGMMA_ROWS // share[0]
    count = 1 if mma.by_steps else len(steps)
    own = len(words) // each * count * _STEP_WORDS
    b = _in_shared(mma.b, mma.b_major.value, "db", first + own)
    start = _own_part(lowering, b, share[1], mma.tile_shape[1])
    descriptor = _descriptor(lowering.get(mma.b), b, start)
    for step in steps[::count]:
        part = range(step * _STEP_WORDS, (step + count) * _STEP_WORDS)
        inputs = [words[block + word] for block in range(0, len(words), each) for word in part]
        predicate = mma.accumulate if step == steps[0] else None
        a = _InRegisters(first, len(part), step)
        group = _Group(mma, (a, b), share, range(step, step + count), predicate)
        registers = _issue(lowering, group, registers, [*inputs, descriptor])
        if step > steps[0]:
            sink_before(_maker_of(registers), inputs)
    return registers


def _words(lowering: Lowering, tile: Any) -> list[Any]:
    """Return a tile in registers as PTX takes it."""
    found = lowering.values[tile]
    return found.words if isinstance(found, PackedTile) else operand_words(found)


def _issue(
    lowering: Lowering, group: _Group, acc: Sequence[Any], inputs: Sequence[Any]
) -> list[Any]:
    """Emit the PTX of a group; return the accumulator."""
    names = [item.register for item in group.operands if isinstance(item, _InShared)]
    setup, values = [f".reg .b64 {', '.join(names)};"], list(inputs)
    if group.predicate is not None:
        setup += [".reg .pred p;", f"setp.ne.b32 p, ${2 * len(acc) + len(values)}, 0;"]
        values.append(arith.extui(emit.i32_type(), lowering.get(group.predicate)))
    text = "\n".join(
        [
            "{",
            *setup,
            "wgmma.fence.sync.aligned;",
            *_instructions(group),
            "wgmma.commit_group.sync.aligned;",
            "}",
        ]
    )
    return tied(text, acc, values)


def _in_shared(tile: Any, major: str, register: str, number: int) -> _InShared:
    """Return an operand in shared memory, whose descriptor is operand `number` of the PTX."""
    return _InShared(layout_of_shared(tile.type), "k" if major == "k" else "mn", register, number)


def _instructions(group: _Group) -> list[str]:
    """Return the PTX of every wgmma for the rows and columns of one warpgroup, k innermost.

    Of those that add to the same registers, the first one may overwrite them: predicate p.
    """
    (a, b), (rows, n), steps = group.operands, group.share, group.steps
    family = _family(group.mma)
    columns = instruction_columns(family, n, 8 if b.major == "k" else b.layout.box[1])
    m, step_k, types = family.rows, family.inner, family.types
    name = f"wgmma.mma_async.sync.aligned.m{m}n{columns}k{step_k}.{types.ptx}"
    first = "1" if group.predicate is None else "p"
    lines = []
    for row in range(0, rows, m):
        for column in range(0, n, columns):
            start = row // m * n + column
            fragment = _fragment(start, columns, types.accumulator_bytes)
            for step in steps:
                flags = _immediates("1" if step > steps[0] else first, family, group.operands)
                lines += [
                    *a.prepare(row, step),
                    *b.prepare(column, step),
                    f"{name} {{{fragment}}}, {a.text(row, step)}, {b.text(column, step)}, {flags};",
                ]
    return lines


def _immediates(scale_d: str, family: MmaFamily, operands: _Operands) -> str:
    """Return what follows the operands (PTX ISA, wgmma.mma_async).

    Integers have no factors for A and B, and only operands that may lie transposed say whether.
    """
    flags = [scale_d]
    if not family.is_integer:
        flags += ["1", "1"]
    if family.reads_transposed:
        flags += [flag for operand in operands for flag in operand.flags]
    return ", ".join(flags)


def _fragment(start: int, columns: int, element_bytes: int) -> str:
    """Return the accumulator registers of 64 rows and `columns` columns, as asm operands.

    Args:
        start: Columns of the warpgroup's accumulator before them, 64 rows at a time.
        columns: Columns.
        element_bytes: Size of an accumulator element: two of 16 bits share a register.
    """
    first, count = (extent * element_bytes // 8 for extent in (start, columns))
    return ", ".join(f"${index}" for index in range(first, first + count))


def _own_part(lowering: Lowering, operand: _InShared, part: int, whole: int) -> emit.Index:
    """Emit the byte offset of the part of an operand's M or N that this warpgroup multiplies."""
    starts = [operand.advance(first, 0) for first in range(0, whole, part)]
    result: emit.Index = starts[0]
    for index in range(1, len(starts)):
        chosen = emit.compare("eq", lowering.current_role.warpgroup, index)
        result = arith.select(chosen, emit.value(starts[index]), emit.value(result))
    return result


def _descriptor(address: Any, operand: _InShared, start: emit.Index) -> Any:
    """Emit the 64-bit matrix descriptor of an operand (PTX ISA, wgmma matrix descriptor format)."""
    leading, stride, swizzle = descriptor_fields(operand.layout, operand.major)
    constant = (leading >> 4) << 16 | (stride >> 4) << 32 | swizzle << 62
    if constant >= 1 << 63:
        constant -= 1 << 64
    number = emit.add(llvm_ops.pointer_to_integer(emit.i32_type(), address), start)
    masked = arith.andi(number, emit.value(ADDRESS_MASK))
    low = arith.extui(emit.i64_type(), arith.shrui(masked, emit.value(4)))
    return arith.ori(low, arith.constant(emit.i64_type(), constant))


def tied(text: str, acc: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Emit PTX that updates the registers of `acc` in place; return what they hold then."""
    count = len(acc)
    constraints = ",".join(
        [f"={emit.constraint(acc[0].type)}"] * count
        + [str(index) for index in range(count)]
        + [emit.constraint(item.type) for item in inputs]
        + ["~{memory}"]
    )
    struct = llvm_ops.struct_type(acc[0].type, count)
    result = emit.inline_ptx(text, constraints, [*acc, *inputs], struct)
    return _fields(result, acc[0].type, count)


def _maker_of(registers: Sequence[Any]) -> Any:
    """Return the inline PTX whose result has these fields."""
    return registers[0].owner.operation.operands[0].owner.operation


def _fields(struct: Any, field: Any, count: int) -> list[Any]:
    """Return the fields of a struct, each of type `field`."""
    return [llvm_ops.extract_value(field, struct, index) for index in range(count)]


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


def _filled(op: Any, source: str, declarations: Sequence[str] = ()) -> Any:
    """Emit PTX that writes `source` to every register of the result of `op`; return the tile."""
    tile = op.results[0]
    types = lowered_types(tile)
    moves = [f"mov.b32 ${index}, {source};" for index in range(len(types))]
    text = "\n".join(["{", *declarations, *moves, "}"])
    struct = llvm_ops.struct_type(types[0], len(types))
    constraints = ",".join([f"={emit.constraint(types[0])}"] * len(types))
    written = emit.inline_ptx(text, constraints, [], struct)
    return regroup(tile, _fields(written, types[0], len(types)))
