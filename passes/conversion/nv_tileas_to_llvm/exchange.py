"""Conversions of layouts without shared memory: threads pick registers, or lanes exchange words."""

from collections.abc import Sequence
from typing import Any

from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir
from tilec.layout.modes import WARP_LANES, Owner
from tilec.layout.picks import Picks
from tilec.layout.shuffles import Fetch, Lanes, PickedWord
from tilec.layout.swaps import Swaps
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import Lowering, PackedTile


def exchange_in_warps(
    lowering: Lowering, words: Sequence[PickedWord], registers: Sequence[Any]
) -> PackedTile:
    """Return the result.

    Args:
        lowering: Emits in the current role.
        words: How each word of the result is made.
        registers: Those of the source, of 8 or 16 bits.
    """
    lane = lowering.current_role.ids[Owner.LANE]
    kind = registers[0].type
    fetched: dict[Fetch, Any] = {}
    found = []
    for word in words:
        for fetch in word.fetches:
            if fetch not in fetched:
                fetched[fetch] = _fetch(lowering, fetch, registers, len(registers) // len(words))
        parts = [fetched[fetch] for fetch in word.fetches]
        found.append(_picked(parts[0], parts[-1], _table(lane, word.selectors)))
    return PackedTile(found, kind)


def pick_registers(lowering: Lowering, picks: Picks, registers: Sequence[Any]) -> list[Any]:
    """Return the result: registers of this thread.

    Args:
        lowering: Emits in the current role.
        picks: Which registers.
        registers: Those of the source, of any type.
    """
    ids, held = lowering.current_role.ids, dict(enumerate(registers))
    for digit in picks.digits:
        is_one = emit.compare("ne", arith.andi(ids[digit.owner], emit.value(digit.bit)), 0)
        pairs = [(number, number + digit.registers) for number in held]
        held = {
            low: arith.select(is_one, held[high], held[low]) for low, high in pairs if high in held
        }
    return [held[number] for number in picks.taken]


def swap_in_warps(
    lowering: Lowering, swaps: Swaps, registers: Sequence[Any]
) -> PackedTile | list[Any]:
    """Return the result, as words where it has those that lanes swap.

    Args:
        lowering: Emits in the current role.
        swaps: What lanes swap.
        registers: Those of the source, of 8, 16 or 32 bits.
    """
    kind, numbers = registers[0].type, emit.lane_numbers(swaps.per_word)
    packed = [registers[number] for number in swaps.packed]
    if swaps.per_word == 1:
        words = [llvm_ops.bitcast(emit.i32_type(), register) for register in packed]
        _swap(lowering, swaps, words)
        return [llvm_ops.bitcast(kind, words[number]) for number in swaps.taken]
    words = [
        lowering.word(packed[first : first + swaps.per_word], numbers)
        for first in range(0, len(packed), swaps.per_word)
    ]
    _swap(lowering, swaps, words)
    if swaps.order is not None:
        return PackedTile([words[number] for number in swaps.order], kind)
    vector = ir.VectorType.get([swaps.per_word], kind)
    parts = [lowering.unpack(llvm_ops.bitcast(vector, word), numbers) for word in words]
    held = [register for part in parts for register in part]
    return [held[number] for number in swaps.taken]


def _swap(lowering: Lowering, swaps: Swaps, words: list[Any]) -> None:
    """Swap words, each with one of another lane."""
    lane = lowering.current_role.ids[Owner.LANE]
    for step in swaps.steps:
        is_high = emit.compare("ne", arith.andi(lane, emit.value(step.lanes)), 0)
        last = emit.value(WARP_LANES - 1)
        for low, high in step.pairs(len(words)):
            sent = arith.select(is_high, words[low], words[high])
            got = llvm_ops.shuffle("bfly", emit.value(-1), sent, emit.value(step.lanes), last)
            words[low] = arith.select(is_high, got, words[low])
            words[high] = arith.select(is_high, words[high], got)


def _fetch(lowering: Lowering, fetch: Fetch, registers: Sequence[Any], count: int) -> Any:
    """Return a word of another lane: `count` registers of the source, the last ones repeated."""
    numbers = [*fetch.registers, *fetch.registers[-1:] * (count - len(fetch.registers))]
    word = lowering.word([registers[number] for number in numbers], emit.lane_numbers(count))
    lane = lowering.current_role.ids[Owner.LANE]
    if fetch.lanes == tuple(range(WARP_LANES)):
        return word
    distances = tuple(own ^ other for own, other in enumerate(fetch.lanes))
    other = arith.xori(lane, _table(lane, distances))
    return llvm_ops.shuffle("idx", emit.value(-1), word, other, emit.value(WARP_LANES - 1))


def _table(lane: Any, numbers: Lanes, bit: int = WARP_LANES // 2) -> Any:
    """Return the number of this lane, by a select for each bit of the lane that matters."""
    if len(set(numbers)) == 1:
        return emit.value(_signed(numbers[0]))
    low, high = numbers[:bit], numbers[bit:]
    if low == high:
        return _table(lane, low, bit // 2)
    is_high = emit.compare("ne", arith.andi(lane, emit.value(bit)), 0)
    return arith.select(is_high, _table(lane, high, bit // 2), _table(lane, low, bit // 2))


def _signed(number: int) -> int:
    return number - (1 << 32) if number >> 31 else number


def _picked(first: Any, second: Any, selector: Any) -> Any:
    """Return four bytes of two words (PTX ISA, prmt)."""
    text = "prmt.b32 $0, $1, $2, $3;"
    operands = [first, second, selector]
    return llvm_ops.inline_asm(text, "=r,r,r,r", operands, emit.i32_type(), has_side_effects=False)
