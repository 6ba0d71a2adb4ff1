"""Changes of layout in which every element stays in its warp: lanes exchange words of registers.

An accumulator in f32 that becomes the A operand of a product of 8-bit floats is one: a quad of
lanes holds the same elements in both layouts, but neighbouring columns belong to one lane in fours
instead of twos. Each lane fetches the words that hold its elements, and picks bytes of two of them.
Pure Python.
"""

from functools import lru_cache
from operator import add

from tilec.layout.modes import WARP_LANES, Owner
from tilec.layout.register import RegisterLayout
from tilec.support.fast_dataclasses import dataclass

WORD_BYTES = 4
MAX_FETCHES = 2
"""Words that `prmt` picks bytes of (PTX ISA, prmt)."""
Lanes = tuple[int, ...]
"""A number for each lane of a warp."""


@dataclass(frozen=True, slots=True)
class Fetch:
    """A word that every lane gets from another one, or has.

    Attributes:
        registers: Registers of the source whose elements are the word, low bytes first.
        lanes: The lane that each lane gets it from.
    """

    registers: tuple[int, ...]
    lanes: Lanes


@dataclass(frozen=True, slots=True)
class PickedWord:
    """A word of the result: registers that follow one another, low bytes first.

    Attributes:
        fetches: The words that it is picked from: one, or two.
        selectors: For each lane which bytes of them, four bits for each byte (PTX ISA, prmt).
    """

    fetches: tuple[Fetch, ...]
    selectors: Lanes


@lru_cache(maxsize=64)  # several passes ask
def warp_exchange(
    source: RegisterLayout, target: RegisterLayout, element_bytes: int
) -> tuple[PickedWord, ...] | None:
    """Return how lanes make the words of `target` from those of `source`; None where they cannot.

    Args:
        source: Layout of a tile.
        target: Another layout of it.
        element_bytes: 1 or 2.
    """
    owners = (Owner.WARP, Owner.WARPGROUP, Owner.CTA)
    same = all(_modes(source, owner) == _modes(target, owner) for owner in owners)
    per_word = WORD_BYTES // element_bytes
    if source.shape != target.shape or not same or element_bytes not in (1, 2):
        return None
    if source.replication > 1 or target.replication > 1 or target.num_registers % per_word:
        return None
    places = {
        place: (lane, register)
        for register in range(source.num_registers)
        for lane, place in enumerate(_held(source, register))
    }
    words = []
    for first in range(0, target.num_registers, per_word):
        found = _word(target, range(first, first + per_word), places, element_bytes)
        if found is None:
            return None
        words.append(found)
    return tuple(words)


def _held(layout: RegisterLayout, register: int) -> list[tuple[int, ...]]:
    """Return the coordinates that a register holds in each lane of the first warp."""
    start = layout.register_offsets()[register]
    return [tuple(map(add, start, lane)) for lane in layout.lane_offsets()]


def _modes(layout: RegisterLayout, owner: Owner) -> list[tuple[int, tuple[int, ...]]]:
    return [(mode.extent, mode.stride) for mode in layout.modes if mode.owner is owner]


def _word(
    target: RegisterLayout,
    registers: range,
    places: dict[tuple[int, ...], tuple[int, int]],
    element_bytes: int,
) -> PickedWord | None:
    """Return how lanes make one word of the result; None where they cannot."""
    wanted = [[places.get(place) for place in _held(target, register)] for register in registers]
    if any(place is None for row in wanted for place in row):
        return None
    held = [[place for place in row if place is not None] for row in wanted]
    needed: dict[Lanes, set[int]] = {}
    for row in held:
        lanes = tuple(lane for lane, _ in row)
        needed.setdefault(lanes, set()).update(register for _, register in row)
    fetches = [Fetch(tuple(sorted(found)), lanes) for lanes, found in needed.items()]
    per_word = WORD_BYTES // element_bytes
    if len(fetches) > MAX_FETCHES or any(len(item.registers) > per_word for item in fetches):
        return None
    numbers = {fetch.lanes: number for number, fetch in enumerate(fetches)}
    selectors = [0] * WARP_LANES
    for position, row in enumerate(held):
        number = numbers[tuple(lane for lane, _ in row)]
        for lane, (_, register) in enumerate(row):
            start = fetches[number].registers.index(register) * element_bytes
            for byte in range(element_bytes):
                nibble = number * WORD_BYTES + start + byte
                selectors[lane] |= nibble << 4 * (position * element_bytes + byte)
    return PickedWord(tuple(fetches), tuple(selectors))
