"""Operations of arith and math that one instruction does on two registers of a tile.

Two elements of 16 bits share a register of 32 bits. So do two bytes that become such elements. What
is computed stays a vector of two (`Lowering.vectors`), which the next operation takes whole.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir
from tilec.ir.structured import defining_operation
from tilec.layout.matrix_accesses import PAIR
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.arithmetic import restricted_floats
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering

HALF_BITS, UPPER_HALF = 16, -(1 << 16)
"""Width of a bf16, and the half of 32 bits (as an i32) in which an f32 holds one."""

Apply = Callable[[Lowering, Any, list[Any], Any], Any]
"""Emits an operation on given operands with a given result type."""
Rows = Sequence[tuple[Any, ...]]
"""The operands of each of two registers."""
Rule = Callable[[Lowering, Rows], list[Any] | None]
"""Emits two registers of a result together; None where each is computed by itself."""

_FLOATS = frozenset(
    (
        "arith.addf",
        "arith.subf",
        "arith.mulf",
        "arith.negf",
        "arith.maximumf",
        "arith.minimumf",
        "arith.maxnumf",
        "arith.minnumf",
        "math.fma",
        "math.absf",
    )
)
"""Operations that one instruction does on two 16-bit floats (PTX ISA, half precision
floating-point instructions: the types .f16x2 and .bf16x2)."""
_BITS = frozenset(("arith.andi", "arith.ori", "arith.xori"))
"""Operations that do the same to each bit, in a word of any two elements."""
_LOAD, _PART = "llvm.load", "llvm.extractelement"
_BITCAST, _UNSIGNED, _EXTENSION = "arith.bitcast", "arith.extui", "arith.extf"
_SPREAD, _SPREAD_UPPER, _JOINED = "0x4140", "0x4342", "0x5410"
"""Selectors of prmt: the bytes 0 and 1 of the first word, its bytes 2 and 3, each below byte 0 of
the second word, or byte 0 of each word, as elements of 16 bits. Byte 1 of a word of one byte is 0
where a selector takes it for 0 (PTX ISA, prmt)."""
_BYTE_BITS, _WORD_BYTES = 8, 4


def narrows(op: Any) -> bool:
    """Tell whether `op` rounds f32 to 8 or 16 bits, which the hardware does two at a time."""
    if op.name != "arith.truncf":
        return False
    source, result = _elements(op)
    if restricted_floats.is_restricted(result):
        return restricted_floats.truncates_pairs(source, result)
    return isinstance(source, ir.F32Type) and ir.FloatType(result).width == HALF_BITS


def narrow(lowering: Lowering, registers: list[Any], element: Any) -> list[Any]:
    """Round two registers with one instruction (PTX ISA, cvt.rn.bf16x2.f32)."""
    lanes = emit.lane_numbers(len(registers))
    if restricted_floats.is_restricted(element):
        pair = restricted_floats.truncate_pair(registers, element)
    else:
        pair = _truncated(registers, lanes, element)
    return lowering.unpack(pair, lanes)


def find_rule(op: Any, apply: Apply) -> Rule | None:
    """Return what computes two registers of the result of `op` together; None if nothing does.

    Args:
        op: An operation on tiles.
        apply: Emits it on registers of other types.
    """
    source, result = _elements(op)
    if op.name == _EXTENSION:
        return _extension(source, result)
    if op.name == _UNSIGNED and (_width(source), _width(result)) == (HALF_BITS // 2, HALF_BITS):
        return _spread
    if op.name == _BITCAST and _renames(source, result):
        return partial(_rename, result)
    if op.name in _BITS and _width(result) == HALF_BITS:
        return partial(_compute_bits, op, apply, _upper_byte(op))
    if op.name in _FLOATS and isinstance(result, ir.BF16Type | ir.F16Type):
        return partial(_compute, op, apply)
    return None


def _elements(op: Any) -> tuple[Any, Any]:
    """Return the element types of the first operand and of the result."""
    first, result = op.operands[0].type, op.results[0].type
    return getattr(first, "element_type", first), result.element_type


def _extension(source: Any, result: Any) -> Rule | None:
    if restricted_floats.extends_pairs(source):
        return partial(_extend_bytes, source, result)
    widens = isinstance(source, ir.BF16Type) and isinstance(result, ir.F32Type)
    return _widen if widens else None


def _renames(source: Any, result: Any) -> bool:
    """Tell whether integers of 16 bits become floats, or floats such integers.

    LLVM must not see that the bits of one float become those of another (`elementwise.py`).
    """
    integers = [isinstance(kind, ir.IntegerType) for kind in (source, result)]
    return sorted(integers) == [False, True] and _width(source) == _width(result) == HALF_BITS


def _truncated(registers: Sequence[Any], lanes: Sequence[Any], element: Any) -> Any:
    """Emit the vector of two f32, rounded to 16 bits."""
    vector = ir.VectorType.get([len(registers)], element)
    return llvm_ops.value("arith.truncf", vector, [emit.pack(registers, lanes)])


def _widen(lowering: Lowering, rows: Rows) -> list[Any] | None:
    """Convert two bf16 that share a register of 32 bits to f32 with one instruction each.

    Each f32 takes a half as it is. What is not in such a register would have to be put there first.
    """
    registers = _only(rows)
    if not lowering.are_parts(registers):
        return None
    word = lowering.word(registers, emit.lane_numbers(PAIR))
    upper = [
        arith.shli(word, emit.value(HALF_BITS)),
        arith.andi(word, emit.value(UPPER_HALF)),
    ]
    return [arith.bitcast(ir.F32Type.get(), half) for half in upper]


def _extend_bytes(source: Any, result: Any, lowering: Lowering, rows: Rows) -> list[Any] | None:
    """Convert two 8-bit floats to f16, and from there: f32, tf32 and bf16 hold them, too."""
    if rows[0] == rows[1]:
        return None
    lanes = emit.lane_numbers(PAIR)
    both = llvm_ops.bitcast(_word_type(), lowering.pair(_only(rows), lanes))
    halves = restricted_floats.extend_pair(both, source)
    if isinstance(result, ir.F16Type):
        return lowering.unpack(halves, lanes)
    wide = result if isinstance(result, ir.F64Type) else ir.F32Type.get()
    single = [arith.extf(wide, llvm_ops.extract_element(halves, lane)) for lane in lanes]
    if isinstance(result, ir.BF16Type):
        return lowering.unpack(_truncated(single, lanes, result), lanes)
    return single


def _spread(lowering: Lowering, rows: Rows) -> list[Any] | None:
    """Zero-extend two bytes to 16 bits, with one instruction.

    Computed bytes stay alone: ptxas merges what masks them with the operations that follow.
    """
    if rows[0] == rows[1]:
        return None
    registers, lanes, i32 = _only(rows), emit.lane_numbers(PAIR), emit.i32_type()
    loaded = _loaded_word(registers)
    if loaded is not None:
        spread = _permuted(lowering, *loaded, emit.value(0))
        lowering.spread[tuple(spread)] = loaded
        return spread
    if lowering.are_parts(registers):
        both = llvm_ops.bitcast(_word_type(), lowering.pair(registers, lanes))
        return _permuted(lowering, _SPREAD, arith.extui(i32, both), emit.value(0))
    if all(map(_is_loaded, registers)):
        words = [arith.extui(i32, register) for register in registers]
        return _permuted(lowering, _JOINED, *words)
    return None


def _loaded_word(registers: Sequence[Any]) -> tuple[str, Any] | None:
    """Return which half of which word of a vector of bytes two registers are, or None.

    Otherwise the half would have to be cut out of the word first.
    """
    parts = [defining_operation(register) for register in registers]
    if any(part is None or part.name != _PART for part in parts):
        return None
    vector = parts[0].operands[0]
    first, second = (number_of(part.operands[1]) for part in parts)
    count = ir.VectorType(vector.type).shape[0]
    if first is None or first % PAIR or second != first + 1:
        return None
    if parts[1].operands[0] != vector or count % _WORD_BYTES:
        return None
    words = ir.VectorType.get([count // _WORD_BYTES], emit.i32_type())
    number = emit.value(first // _WORD_BYTES)
    word = llvm_ops.extract_element(llvm_ops.bitcast(words, vector), number)
    return (_SPREAD_UPPER if first % _WORD_BYTES else _SPREAD), word


def _permuted(lowering: Lowering, selector: str, first: Any, second: Any) -> list[Any]:
    """Emit four bytes of two words; return the elements of 16 bits that they are."""
    text, operands = f"prmt.b32 $0, $1, $2, {selector};", (first, second)
    word = llvm_ops.inline_asm(text, "=r,r,r", operands, emit.i32_type(), has_side_effects=False)
    pair = llvm_ops.bitcast(_vector(_word_type()), word)
    return lowering.unpack(pair, emit.lane_numbers(PAIR))


def _raise_bytes(lowering: Lowering, registers: Sequence[Any], upper: int) -> list[Any] | None:
    """Put `upper` above two bytes by the instruction that spreads them; None if none does.

    Only bytes of a loaded word: elsewhere ptxas 13.0 moves the constant to a register each time.
    """
    spread = lowering.spread.get(tuple(registers))
    return None if spread is None else _permuted(lowering, *spread, emit.value(upper))


def _rename(result: Any, lowering: Lowering, rows: Rows) -> list[Any] | None:
    """Give two elements of 16 bits that share a register another type of 16 bits."""
    registers = _only(rows)
    if rows[0] == rows[1] or not lowering.are_parts(registers):
        return None
    lanes = emit.lane_numbers(PAIR)
    pair = llvm_ops.bitcast(_vector(result), lowering.pair(registers, lanes))
    return lowering.unpack(pair, lanes)


def _compute(op: Any, apply: Apply, lowering: Lowering, rows: Rows) -> list[Any] | None:
    """Compute two floats of 16 bits with one instruction."""
    if rows[0] == rows[1]:
        return None
    lanes = emit.lane_numbers(PAIR)
    operands = [lowering.pair(column, lanes) for column in zip(*rows, strict=True)]
    return lowering.unpack(apply(lowering, op, operands, operands[0].type), lanes)


def _compute_bits(
    op: Any, apply: Apply, upper: int | None, lowering: Lowering, rows: Rows
) -> list[Any] | None:
    """Compute two integers of 16 bits as one of 32, where one operand is in such registers.

    Where all that an 'or' does is to put a byte `upper` above bytes, what spreads them does it.
    """
    if rows[0] == rows[1] or not any(map(lowering.are_parts, zip(*rows, strict=True))):
        return None
    raised = _raise_bytes(lowering, _only(rows), upper) if upper is not None else None
    if raised is not None:
        return raised
    lanes, i32 = emit.lane_numbers(PAIR), emit.i32_type()
    operands = [lowering.pair(column, lanes) for column in zip(*rows, strict=True)]
    words = [llvm_ops.bitcast(i32, operand) for operand in operands]
    result = llvm_ops.bitcast(operands[0].type, apply(lowering, op, words, i32))
    return lowering.unpack(result, lanes)


def _upper_byte(op: Any) -> int | None:
    """Return the upper byte of the constant of an 'or', if its lower byte is 0; else None."""
    number = number_of(op.operands[1]) if op.name == "arith.ori" else None
    if number is None:
        return None
    upper, lower = divmod(number, 1 << _BYTE_BITS)
    return None if lower else upper % (1 << _BYTE_BITS)


def _is_loaded(register: Any) -> bool:
    op = defining_operation(register)
    return op is not None and op.name == _LOAD


def _only(rows: Rows) -> list[Any]:
    """Return the registers of the only operand."""
    return [row[0] for row in rows]


def _width(element: Any) -> int:
    """Return the bits of an element; 0 for an index."""
    if isinstance(element, ir.IntegerType):
        return ir.IntegerType(element).width
    return ir.FloatType(element).width if isinstance(element, ir.FloatType) else 0


def _word_type() -> Any:
    """Return the type of two bytes."""
    return ir.IntegerType.get_signless(HALF_BITS)


def _vector(element: Any) -> Any:
    return ir.VectorType.get([PAIR], element)
