"""Emission helpers: integers that fold while they are constants, pointers, vectors, inline PTX."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir

Index = int | Any
"""An i32: a Python int as long as it is known, else an SSA value."""

GLOBAL, SHARED, CLUSTER = 1, 3, 7
"""NVPTX address spaces (LLVM, NVPTX usage guide)."""


def i32_type() -> Any:
    """Return the 32-bit integer type."""
    return ir.IntegerType.get_signless(32)


def i64_type() -> Any:
    """Return the 64-bit integer type."""
    return ir.IntegerType.get_signless(64)


def i1_type() -> Any:
    """Return the boolean type."""
    return ir.IntegerType.get_signless(1)


def pointer_type(space: int = 0) -> Any:
    """Return the pointer type of an address space."""
    return llvm_ops.pointer_type(space)


def value(index: Index) -> Any:
    """Return `index` as an i32 SSA value."""
    return constant(i32_type(), index) if isinstance(index, int) else index


def constant(type_: Any, number: int) -> Any:
    """Return an integer constant."""
    return llvm_ops.value("arith.constant", type_, value=ir.IntegerAttr.get(type_, number))


def _integer(name: str, lhs: Any, rhs: Any) -> Any:
    """Emit an operation of arith on two integers of one type."""
    return llvm_ops.value(name, lhs.type, (lhs, rhs))


def add(lhs: Index, rhs: Index) -> Index:
    """Return `lhs + rhs`."""
    if isinstance(lhs, int) and isinstance(rhs, int):
        return lhs + rhs
    if isinstance(lhs, int) and lhs == 0:
        return rhs
    if isinstance(rhs, int) and rhs == 0:
        return lhs
    return _integer("arith.addi", value(lhs), value(rhs))


def multiply(lhs: Index, rhs: Index) -> Index:
    """Return `lhs * rhs`."""
    if isinstance(lhs, int) and isinstance(rhs, int):
        return lhs * rhs
    for one, other in ((lhs, rhs), (rhs, lhs)):
        if isinstance(one, int) and one in (0, 1):
            return other if one else 0
    return _integer("arith.muli", value(lhs), value(rhs))


def divide(lhs: Index, rhs: int) -> Index:
    """Return `lhs // rhs` of non-negative numbers."""
    if isinstance(lhs, int):
        return lhs // rhs
    return lhs if rhs == 1 else _integer("arith.divui", lhs, value(rhs))


def remainder(lhs: Index, rhs: int) -> Index:
    """Return `lhs % rhs` of non-negative numbers."""
    if isinstance(lhs, int):
        return lhs % rhs
    return 0 if rhs == 1 else _integer("arith.remui", lhs, value(rhs))


def total(terms: Sequence[Index]) -> Index:
    """Return the sum of `terms`, constants added up first."""
    constant = sum(term for term in terms if isinstance(term, int))
    result: Index = 0
    for term in terms:
        if not isinstance(term, int):
            result = add(result, term)
    return add(result, constant)


def compare(predicate: str, lhs: Index, rhs: Index) -> Any:
    """Return the i1 `lhs predicate rhs` (`eq`, `ne`, `slt`, `ult`, ...)."""
    return arith.cmpi(getattr(arith.CmpIPredicate, predicate), value(lhs), value(rhs))


def byte_offset(pointer: Any, offset: Any) -> Any:
    """Return `pointer` plus `offset` bytes (a Python int, an i32 or an i64)."""
    if isinstance(offset, int) and offset == 0:
        return pointer
    return llvm_ops.getelementptr(pointer, offset, ir.IntegerType.get_signless(8))


def element_pointer(pointer: Any, index: Any, element: Any) -> Any:
    """Return the address of element `index` (i64) of an array of `element` at `pointer`."""
    return llvm_ops.getelementptr(pointer, index, element)


def memory_type(element: Any) -> Any:
    """Return the type of an element in memory: a bool takes a byte."""
    if isinstance(element, ir.IntegerType) and ir.IntegerType(element).width == 1:
        return ir.IntegerType.get_signless(8)
    return register_type(element)


def register_type(element: Any) -> Any:
    """Return the type of an element in registers.

    LLVM has no 8-bit floats, which travel as bits, and no tf32, which is an f32 with fewer bits.
    """
    if isinstance(element, ir.FloatType) and ir.FloatType(element).width == 8:
        return ir.IntegerType.get_signless(8)
    return ir.F32Type.get() if isinstance(element, ir.FloatTF32Type) else element


def to_memory(element: Any) -> Any:
    """Return a register value as it is stored."""
    if isinstance(element.type, ir.IntegerType) and ir.IntegerType(element.type).width == 1:
        return arith.extui(ir.IntegerType.get_signless(8), element)
    return element


def from_memory(element: Any, wanted: Any) -> Any:
    """Return a loaded value as it is held in registers."""
    if element.type == register_type(wanted):
        return element
    zero = arith.constant(element.type, 0)
    return arith.cmpi(arith.CmpIPredicate.ne, element, zero)


def load_vector(pointer: Any, element: Any, count: int) -> list[Any]:
    """Load `count` consecutive elements with one access."""
    stored = memory_type(element)
    if count == 1:
        return [from_memory(llvm_ops.load(stored, pointer), element)]
    vector_type = ir.VectorType.get([count], stored)
    vector = llvm_ops.load(vector_type, pointer, count * element_bits(stored) // 8)
    return [
        from_memory(llvm_ops.extract_element(vector, value(lane)), element) for lane in range(count)
    ]


def store_vector(pointer: Any, elements: Sequence[Any]) -> None:
    """Store consecutive elements with one access."""
    stored = [to_memory(element) for element in elements]
    if len(stored) == 1:
        llvm_ops.store(stored[0], pointer)
        return
    llvm_ops.store(pack(stored), pointer, len(stored) * element_bits(stored[0].type) // 8)


def store_matrices(row: Any, words: Sequence[Any], transposed: bool) -> None:
    """Store an 8x8 matrix of 16-bit elements for each of `words`; `row` is this lane's address."""
    llvm_ops.store_matrices(row, words, "col" if transposed else "row")


def load_matrices(row: Any, count: int, transposed: bool) -> list[Any]:
    """Load 8x8 matrices of 16-bit elements, one i32 each; `row` is this lane's address."""
    loaded = llvm_ops.load_matrices(row, count, "col" if transposed else "row")
    if count == 1:
        return [loaded]
    return [llvm_ops.extract_value(i32_type(), loaded, number) for number in range(count)]


def lane_numbers(count: int) -> list[Any]:
    """Return the numbers of the first lanes of a vector, which `pack` and extractions take."""
    return [value(lane) for lane in range(count)]


def pack(elements: Sequence[Any], lanes: Sequence[Any] | None = None) -> Any:
    """Return the vector of `elements`; `lanes` are their numbers, where there are some already."""
    lanes = lane_numbers(len(elements)) if lanes is None else lanes
    vector = llvm_ops.poison(ir.VectorType.get([len(elements)], elements[0].type))
    for lane, element in zip(lanes, elements, strict=True):
        vector = llvm_ops.insert_element(vector, element, lane)
    return vector


def inline_ptx(
    text: str, constraints: str, operands: Sequence[Any] = (), result: Any = None
) -> Any:
    """Emit PTX text with side effects and return its result, if it has one."""
    return llvm_ops.inline_asm(text, constraints, operands, result, has_side_effects=True)


def constraint(type_: Any) -> str:
    """Return the letter of inline assembly for a register of `type_` (LLVM, NVPTX constraints)."""
    return {"i64": "l", "f32": "f", "f64": "d"}.get(str(type_), "r")


def opaque(register: Any) -> Any:
    """Return a register of 16 or 32 bits, as what no optimization knows to be equal to it."""
    constraints = {"i16": "=h,0", "i32": "=r,0", "f32": "=f,0"}
    return inline_ptx("", constraints[str(register.type)], [register], register.type)


def broadcast(number: Any) -> Any:
    """Return lane 0's value of an i32 that is equal in all lanes.

    It tells ptxas that the value is uniform: addresses made of it stay in uniform registers, and
    wgmma descriptors need no R2UR moves (measured: 21 in a persistent GEMM without it).
    """
    return llvm_ops.shuffle("idx", value(-1), number, value(0), value(31))


def flag(condition: Any) -> Any:
    """Emit a bool as an i32 of 0 or 1."""
    return arith.extui(i32_type(), condition)


def both(first: Any, second: Any) -> Any:
    """Emit whether two conditions hold; None is one that always does."""
    if first is None or second is None:
        return second if first is None else first
    return arith.andi(first, second)
