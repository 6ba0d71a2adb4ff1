"""Loads of runs of elements that begin anywhere: two aligned vectors, shifted into place.

An access of 16 bytes needs an address that is a multiple of 16 (PTX ISA, ld). Rows of an odd pitch
begin at any element, so a thread would load its run of eight 16-bit elements one by one. It loads
the two vectors that hold them instead, and takes 16 bytes out of the 32: by words, by two
selections, and inside of words, by a shift of two registers (`shf`). An aligned vector that holds
an element of the array lies in memory which the array owns a part of. Pages, and so what may be
read, begin and end at multiples of 16. What is read outside of the array is dropped, and both
vectors of a run without any element of the array are the ones around its first element. Where runs
begin at multiples of 16 bytes, and only the end of a row may cut them, one vector holds a run.
"""

from itertools import pairwise
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir import llvm_ops
from tilec.ir.bindings import arith
from tilec.passes.analysis.facts.runs import RUN_BYTES
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.support.fast_dataclasses import dataclass

_WORD_BITS, _WORDS = 32, 4
_SHIFT = "shf.r.wrap.b32 $0, $1, $2, $3;"
"""Shift two registers to the right by the lowest five bits of a count; the result is the low one
(PTX ISA, shf)."""


@dataclass(frozen=True)
class Run:
    """A run of elements of one row.

    Attributes:
        memref: The array.
        offset: Its first element (i64).
        length: Elements of the run.
        inside: Whether its row is in the array (i1); None if it always is.
        left: Elements of the row from the first one of the run on (i32), which may be negative;
            None if all of the run is in the row.
        aligned: Whether it begins at a multiple of its size.
    """

    memref: Any
    offset: Any
    length: int
    inside: Any
    left: Any
    aligned: bool

    def words(self, padding: Any) -> list[Any]:
        """Emit the loads; return the run in registers of 32 bits.

        Args:
            padding: A register full of what elements outside of the array are read as; None for
                zeros.
        """
        count = self._count()
        offset = self.offset
        if count is not None:
            found = emit.compare("sgt", count, 0)
            offset = arith.select(found, offset, emit.constant(emit.i64_type(), 0))
        stored = emit.memory_type(self.memref.element)
        pointer = emit.element_pointer(self.memref.base, offset, stored)
        words = _vector(pointer) if self.aligned else self._around(pointer, count)
        return self._padded(words, count, padding)

    def _around(self, pointer: Any, count: Any) -> list[Any]:
        """Emit the loads of the two vectors that hold a run; return the run."""
        size = element_bits(self.memref.element) // 8
        address = llvm_ops.pointer_to_integer(emit.i64_type(), pointer)
        shift = arith.andi(arith.trunci(emit.i32_type(), address), emit.value(RUN_BYTES - 1))
        taken = emit.value(RUN_BYTES)
        if count is not None:
            taken = arith.maxsi(arith.muli(count, emit.value(size)), emit.value(size))
        crosses = emit.compare("ugt", arith.addi(shift, taken), RUN_BYTES)
        low = emit.byte_offset(pointer, arith.subi(emit.value(0), shift))
        high = emit.byte_offset(low, arith.select(crosses, emit.value(RUN_BYTES), emit.value(0)))
        return _shifted([*_vector(low), *_vector(high)], shift)

    def _count(self) -> Any:
        """Return how many elements of the run are in the array, at most its length; None: all."""
        count = self.left
        if count is not None:
            count = arith.minsi(count, emit.value(self.length))
        if self.inside is None:
            return count
        whole = emit.value(self.length) if count is None else count
        return arith.select(self.inside, whole, emit.value(0))

    def _padded(self, words: list[Any], count: Any, padding: Any) -> list[Any]:
        """Replace what lies outside of the array."""
        if count is None:
            return words
        kept = arith.muli(count, emit.value(element_bits(self.memref.element)))
        masks = [_low_bits(emit.add(kept, -_WORD_BITS * number)) for number in range(_WORDS)]
        found = [arith.andi(word, mask) for word, mask in zip(words, masks, strict=True)]
        if padding is None:
            return found
        ones = emit.value(-1)
        outside = [arith.andi(padding, arith.xori(mask, ones)) for mask in masks]
        return [arith.ori(*pair) for pair in zip(found, outside, strict=True)]


def _vector(pointer: Any) -> list[Any]:
    return emit.load_vector(pointer, emit.i32_type(), _WORDS)


def _shifted(words: list[Any], shift: Any) -> list[Any]:
    """Return the four words that begin `shift` bytes (0 to 15) into `words`, eight of them."""
    for step in (2, 1):
        moves = emit.compare("ne", arith.andi(shift, emit.value(4 * step)), 0)
        words = [
            arith.select(moves, later, word)
            for word, later in zip(words, words[step:], strict=False)
        ][: _WORDS + step]
    bits = arith.shli(shift, emit.value(3))
    return [
        llvm_ops.inline_asm(
            _SHIFT, "=r,r,r,r", [low, high, bits], emit.i32_type(), has_side_effects=False
        )
        for low, high in pairwise(words)
    ]


def _low_bits(count: Any) -> Any:
    """Return a register whose lowest `count` bits are ones: all from 32 on, none below 1."""
    some = arith.maxsi(count, emit.value(0))
    one = emit.value(1)
    ones = arith.subi(arith.shli(one, some), one)
    return arith.select(emit.compare("sge", count, _WORD_BITS), emit.value(-1), ones)
