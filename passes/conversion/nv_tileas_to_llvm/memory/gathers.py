"""Loads of single elements in any order with others: neighbouring ones with one access.

An access has a predicate made of its bounds checks, and its registers are padded before, as those
of tiled loads. So an element along one axis takes a comparison, a multiply-add for its address and
the access. A select of the address and of the result took seven instructions more in attention
with a bias for each distance, and held a predicate until the result was there. A scalar, which
conditions may depend on, is loaded whether it is inside or not: outside, the first element of the
array is read, and the padding replaces it.

Where the end of the array may come in the middle of an access, the threads first load
what is whole. Only a thread that has a cut access takes a branch, one for all of them, and loads
each element by itself. So the loads of a thread follow each other, and nothing waits between them.
"""

from collections.abc import Sequence
from typing import Any

from tilec.ir.bindings import arith, ir, scf
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.memory import element_ptx
from tilec.passes.conversion.nv_tileas_to_llvm.memory.words import from_words, to_words


def load_weakly(elements: Any) -> list[Any]:
    """Return the registers of all elements of a gather (`elements.py`)."""
    if elements.width == 1:
        return [_load_alone(elements, register) for register in range(elements.count)]
    runs = [
        range(first, first + elements.width) for first in range(0, elements.count, elements.width)
    ]
    last = -1 if elements.is_ragged else 0  # of a run that begins inside, only the end can be cut
    words = [word for run in runs for word in _load(elements, run, run[last])]
    if elements.is_ragged:
        words = _with_cut_runs(elements, runs, words)
    return from_words(elements.lowering, words, elements.memref.element, elements.count)


def _load_alone(elements: Any, register: int) -> Any:
    """Load an element; return it, or the padding."""
    inputs = [*elements.indices, *filter(None, (elements.mask, elements.padding))]
    key = ("loaded", *(values[register] for values in inputs))
    return elements.once(key, lambda: _load_new(elements, register))


def _load_new(elements: Any, register: int) -> Any:
    """Load an element that no register before has."""
    element, inside = elements.memref.element, elements.inside(register)
    if inside is not None and elements.layout is not None:
        words = _load(elements, range(register, register + 1), register)
        return from_words(elements.lowering, words, element, 1)[0]
    pointer = elements.pointer(register)
    if inside is not None:
        pointer = arith.select(inside, pointer, elements.memref.base)
    (loaded,) = emit.load_vector(pointer, element, 1)
    return loaded if inside is None else arith.select(inside, loaded, elements.padding[register])


def _with_cut_runs(elements: Any, runs: Sequence[range], words: list[Any]) -> list[Any]:
    """Return the words of all runs, loaded one by one where a run of this thread is cut."""
    cut = None
    for run in runs:
        begins, ends = (elements.inside(register) for register in (run[0], run[-1]))
        this = begins if ends is None else _and_not(begins, ends)
        cut = this if cut is None else arith.ori(cut, this)
    branch = scf.IfOp(cut, [word.type for word in words], has_else=True)
    with ir.InsertionPoint(branch.then_block), elements.forgetting():
        singles = [
            _load(elements, range(register, register + 1), register)[0]
            for run in runs
            for register in run
        ]
        scf.YieldOp(to_words(singles))
    with ir.InsertionPoint(branch.else_block):
        scf.YieldOp(words)
    return list(branch.results)


def _and_not(first: Any, second: Any) -> Any:
    one = emit.constant(emit.i1_type(), 1)
    return arith.andi(first, arith.xori(second, one))


def _load(elements: Any, registers: range, checked: int) -> list[Any]:
    """Load neighbouring elements; return words, which are padding if `checked` is outside."""
    element, padding = elements.memref.element, elements.padding
    pointer, bounds = elements.pointer(registers[0]), _bounds(elements, checked)
    if not bounds:
        return to_words(emit.load_vector(pointer, element, len(registers)))
    words = to_words([padding[register] for register in registers])
    return element_ptx.load_where(pointer, words, bounds)


def _bounds(elements: Any, register: int) -> list[element_ptx.Bound]:
    """Return the comparisons that hold for an element that is accessed.

    Axes along which all registers of a thread have one index are compared once: where one of them
    is outside, the others are compared with 0. The mask makes an index the largest number.
    """
    axes = [] if elements.op.opview.unchecked else elements.varying()
    if not axes or any(elements.indices[axis][register].type != emit.i32_type() for axis in axes):
        inside = elements.inside(register)
        return [] if inside is None else [(emit.value(0), emit.flag(inside), "s")]
    common = [axis for axis in range(len(elements.indices)) if axis not in axes]
    bounds = [
        (elements.indices[axis][register], emit.value(elements.memref.sizes[axis]), "u")
        for axis in axes
    ]
    index, limit, sign = bounds[0]
    if common:
        inside = elements.inside_along(0, common)
        limit = elements.once("limit", lambda: arith.select(inside, limit, emit.value(0)))
    if elements.mask:
        index = arith.select(elements.mask[register], index, emit.value(-1))
    return [(index, limit, sign), *bounds[1:]]
