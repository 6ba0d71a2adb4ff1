"""Elements in registers of 32 bits, as loads under a predicate return them."""

from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir import llvm_ops
from tilec.ir.bindings import ir
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering

WORD_BITS = 32
"""Width of a register."""


def elements_of_word(element: Any) -> int:
    """Return how many elements a register of 32 bits holds; at least one."""
    return max(1, WORD_BITS // element_bits(element))


def to_words(elements: Sequence[Any]) -> list[Any]:
    """Return neighbouring elements as integers: of 32 bits, or of all of them if they have less.

    Args:
        elements: As many as fill words, or fewer than fill one.
    """
    stored = [emit.to_memory(element) for element in elements]
    bits = element_bits(stored[0].type)
    each = min(len(stored), elements_of_word(stored[0].type))
    word = ir.IntegerType.get_signless(bits * each)
    parts = (stored[at : at + each] for at in range(0, len(stored), each))
    return [llvm_ops.bitcast(word, emit.pack(part) if each > 1 else part[0]) for part in parts]


def from_words(lowering: Lowering, words: Sequence[Any], element: Any, count: int) -> list[Any]:
    """Return the elements that words hold.

    Args:
        lowering: Emits in the current role.
        words: As `to_words` makes them.
        element: Type of the elements.
        count: How many there are.
    """
    stored, each = emit.memory_type(element), count // len(words)
    found: list[Any] = []
    for word in words:
        if each == 1:
            found.append(llvm_ops.bitcast(stored, word))
            continue
        vector = llvm_ops.bitcast(ir.VectorType.get([each], stored), word)
        found += lowering.unpack(vector, emit.lane_numbers(each))
    return [emit.from_memory(item, element) for item in found]
