"""PTX of ordered accesses to one element: loads, stores and atomic operations with a scope.

They are inline assembly, because LLVM has no type of order and scope that NVPTX keeps for all of
them. Values travel as bits: PTX takes an untyped register for any type of its size.
"""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir
from tilec.passes.conversion.nv_tileas_to_llvm import emit

_REGISTERS = {8: "h", 16: "h", 32: "r", 64: "l"}
"""Constraint of a register by the bits of the value; PTX has no registers of 8 bits."""
_NARROWEST = 16
_BITWISE = {"and": "and.b", "or": "or.b", "xor": "xor.b", "xchg": "exch.b", "cas": "cas.b"}
_ARITHMETIC = {"add": "add.u", "max": "max.s", "min": "min.s", "umax": "max.u", "umin": "min.u"}
FLOAT_EXTREMES = {"maxf": ("max", "umin"), "minf": ("min", "umax")}
"""Integer operations on the bits of floats that are not negative, and of those that are."""
_NO_REDUCTION = ("xchg", "cas")
"""Modes that `red` does not have."""
Bound = tuple[Any, Any, str]
"""A coordinate (i32), what it must be less than (i32), and `s` or `u`: how they are compared."""


def atomic_opcode(mode: str, element: Any) -> str:
    """Return what stands after the state space: `add.u32` (PTX ISA, atom)."""
    if mode == "addf":
        narrow = isinstance(element, ir.F16Type | ir.BF16Type)
        return f"add.noftz.{element}" if narrow else f"add.{element}"
    return f"{(_BITWISE.get(mode) or _ARITHMETIC[mode])}{element_bits(element)}"


def load(pointer: Any, element: Any, order: str, scope: str, predicate: Any) -> Any:
    """Load an element where `predicate` holds; it is 0 elsewhere."""
    bits = element_bits(element)
    text = f"ld.{order}.{scope}.global.b{bits} $0, [$1];"
    return _from_bits(_returning(text, bits, [pointer], predicate), element)


def load_where(pointer: Any, outside: Sequence[Any], bounds: Sequence[Bound]) -> list[Any]:
    """Load neighbouring registers with one access where all `bounds` hold.

    The comparisons are part of the text. LLVM would keep a result that a store needs, too, in a
    register until then.

    Args:
        pointer: Address, a multiple of the size of the access.
        outside: What each register is elsewhere: integers of one size.
        bounds: At least one comparison.
    """
    bits, count = ir.IntegerType(outside[0].type).width, len(outside)
    held = [_to_bits(value) for value in outside]
    places = ", ".join(f"${number}" for number in range(count))
    vector, target = (f"v{count}.", f"{{{places}}}") if count > 1 else ("", places)
    tests, compared = [], [side for bound in bounds for side in bound[:2]]
    for number, (_, _, sign) in enumerate(bounds):
        place = 2 * count + 1 + 2 * number
        both, more = (".and", ", p") if number else ("", "")
        tests.append(f"setp.lt{both}.{sign}32 p, ${place}, ${place + 1}{more};")
    load = f"@p ld.global.{vector}b{bits} {target}, [${count}];"
    text = " ".join(["{ .reg .pred p;", *tests, load, "}"])
    results = [f"={_constraint(value)}" for value in held]
    ties = [str(number) for number in range(count)]
    constraints = ",".join([*results, "l", *ties, *["r"] * len(compared)])
    register = held[0].type
    struct = register if count == 1 else llvm_ops.struct_type(register, count)
    found = emit.inline_ptx(text, constraints, [pointer, *held, *compared], struct)
    if count > 1:
        return [llvm_ops.extract_value(register, found, number) for number in range(count)]
    return [arith.trunci(outside[0].type, found) if bits < _NARROWEST else found]


def store(pointer: Any, value: Any, order: str, scope: str, predicate: Any) -> None:
    """Store an element where `predicate` holds."""
    bits = element_bits(value.type)
    _silent(f"st.{order}.{scope}.global.b{bits} [$0], $1;", [pointer, _to_bits(value)], predicate)


def atomic(
    mode: str, pointer: Any, values: list[Any], order: str, scope: str, predicate: Any
) -> Any:
    """Change an element where `predicate` holds; return what it was, 0 elsewhere."""
    element = values[0].type
    if mode in FLOAT_EXTREMES:
        bits, ways = _by_sign(mode, values[0], predicate)
        first, second = (atomic(way, pointer, [bits], order, scope, where) for way, where in ways)
        return llvm_ops.bitcast(element, arith.ori(first, second))  # one of them is 0
    opcode = f"{order}.{scope}.global.{atomic_opcode(mode, element)}"
    places = ", ".join(f"${number + 2}" for number in range(len(values)))
    operands = [pointer, *map(_to_bits, values)]
    text = f"atom.{opcode} $0, [$1], {places};"
    return _from_bits(_returning(text, element_bits(element), operands, predicate), element)


def reduce(
    mode: str,
    pointer: Any,
    values: list[Any],
    order: str,
    scope: str,
    predicate: Any,
    space: str = "global",
) -> None:
    """Change an element where `predicate` holds."""
    if mode in FLOAT_EXTREMES:
        bits, ways = _by_sign(mode, values[0], predicate)
        for way, where in ways:
            reduce(way, pointer, [bits], order, scope, where, space)
        return
    opcode = f"{order}.{scope}.{space}.{atomic_opcode(mode, values[0].type)}"
    places = ", ".join(f"${number + 1}" for number in range(len(values)))
    # The destination `_` makes an atomic operation a reduction (PTX ISA, atom).
    start = "atom" if mode in _NO_REDUCTION else "red"
    target = "_, " if mode in _NO_REDUCTION else ""
    text = f"{start}.{opcode} {target}[$0], {places};"
    _silent(text, [pointer, *map(_to_bits, values)], predicate)


def _by_sign(mode: str, value: Any, predicate: Any) -> tuple[Any, list[tuple[str, Any]]]:
    """Return the bits of a float, and which integer operation has its result for either sign.

    Signed numbers order floats as a float that is not negative asks for. The bits of negative
    floats grow as they fall, and are larger than all others without a sign. A NaN gets the sign
    with which it wins.
    """
    width = element_bits(value.type)
    integer, sign = ir.IntegerType.get_signless(width), 1 << (width - 1)
    bits = llvm_ops.bitcast(integer, value)
    is_nan = arith.cmpf(arith.CmpFPredicate.UNE, value, value)
    largest = emit.constant(integer, sign - 1 if mode == "maxf" else -1)
    bits = arith.select(is_nan, largest, bits)
    negative = arith.cmpi(arith.CmpIPredicate.slt, bits, emit.constant(integer, 0))
    other = arith.xori(negative, emit.constant(negative.type, 1))
    first, second = FLOAT_EXTREMES[mode]
    ways = [(first, emit.both(predicate, other)), (second, emit.both(predicate, negative))]
    return bits, ways


def adds_vectors(mode: str, element: Any) -> bool:
    """Tell whether `red` adds several neighbouring elements at once (PTX ISA, red: sm_90)."""
    return mode == "addf" and isinstance(element, ir.F16Type | ir.BF16Type | ir.F32Type)


def add_vector(pointer: Any, values: list[Any], order: str, scope: str, predicate: Any) -> None:
    """Add floats to neighbouring elements where `predicate` holds; of each 16 bytes at most."""
    element = values[0].type
    rounding = "" if isinstance(element, ir.F32Type) else ".noftz"
    places = ", ".join(f"${number + 1}" for number in range(len(values)))
    kind = f"add{rounding}.v{len(values)}.{element}"
    text = f"red.{order}.{scope}.global.{kind} [$0], {{{places}}};"
    _silent(text, [pointer, *map(_to_bits, values)], predicate)


def fence(scope: str) -> None:
    """Order all accesses of this thread before it against all after it."""
    emit.inline_ptx(f"fence.acq_rel.{scope};", "~{memory}")


def _returning(text: str, bits: int, operands: list[Any], predicate: Any) -> Any:
    """Emit an instruction with the result `$0`, which is 0 where the predicate does not hold."""
    wide = ir.IntegerType.get_signless(max(bits, _NARROWEST))
    inputs = [_constraint(operand) for operand in operands]
    if predicate is None:
        constraints = ",".join([f"={_REGISTERS[bits]}", *inputs, "~{memory}"])
        return emit.inline_ptx(text, constraints, operands, wide)
    flag = len(operands) + 1
    body = f"{{ .reg .pred p; setp.ne.b32 p, ${flag}, 0; mov.b{wide.width} $0, 0; @p {text} }}"
    constraints = ",".join([f"=&{_REGISTERS[bits]}", *inputs, "r", "~{memory}"])
    return emit.inline_ptx(body, constraints, [*operands, emit.flag(predicate)], wide)


def _silent(text: str, operands: list[Any], predicate: Any) -> None:
    inputs = [_constraint(operand) for operand in operands]
    if predicate is None:
        emit.inline_ptx(text, ",".join([*inputs, "~{memory}"]), operands)
        return
    body = f"{{ .reg .pred p; setp.ne.b32 p, ${len(operands)}, 0; @p {text} }}"
    constraints = ",".join([*inputs, "r", "~{memory}"])
    emit.inline_ptx(body, constraints, [*operands, emit.flag(predicate)])


def _constraint(operand: Any) -> str:
    if isinstance(operand.type, ir.IntegerType):
        return _REGISTERS[ir.IntegerType(operand.type).width]
    return "r" if operand.type == emit.pointer_type(emit.SHARED) else "l"


def _to_bits(value: Any) -> Any:
    """Return a value as an integer register."""
    stored = emit.to_memory(value)
    integer = ir.IntegerType.get_signless(element_bits(value.type))
    if stored.type != integer:
        stored = llvm_ops.bitcast(integer, stored)
    wide = ir.IntegerType.get_signless(_NARROWEST)
    return arith.extui(wide, stored) if integer.width < _NARROWEST else stored


def _from_bits(register: Any, element: Any) -> Any:
    """Return what an integer register holds, as a value in registers."""
    stored = emit.memory_type(element)
    integer = ir.IntegerType.get_signless(element_bits(element))
    if integer.width < _NARROWEST:
        register = arith.trunci(integer, register)
    if stored != integer:
        register = llvm_ops.bitcast(stored, register)
    return emit.from_memory(register, element)
