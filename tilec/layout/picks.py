"""Changes of layout in which every thread has what it needs: it picks among its own registers.

A tile that all threads hold whole, such as a mask made of `arange`, is an example. Where the new
layout gives each lane a part of it, a lane takes one of its registers, by a select for each binary
digit of the lane that counts:

    every lane: a b      lane 0: a
                     ->  lane 1: b

Pure Python.
"""

from collections.abc import Iterator
from functools import lru_cache

from tilec.layout.modes import Owner
from tilec.layout.register import RegisterLayout
from tilec.layout.swaps import Stride, register_bits, scaled
from tilec.support.fast_dataclasses import dataclass

MAX_DIGITS = 3
"""Digits of the thread that decide, at most: a register takes 2^n - 1 selects for n digits. In the
time of the two barriers that the scratch area needs, each of four warps does 60 (choice)."""
_THREADS = (Owner.LANE, Owner.WARP, Owner.WARPGROUP, Owner.CTA)


@dataclass(frozen=True, slots=True)
class Digit:
    """A binary digit of the thread that decides between registers.

    Attributes:
        owner: Number that has the digit.
        bit: Its weight in that number.
        registers: How far the register that a thread takes where the digit is 1 is from the one
            that it takes where it is 0.
    """

    owner: Owner
    bit: int
    registers: int


@dataclass(frozen=True, slots=True)
class Picks:
    """A change of layout by selects.

    Attributes:
        digits: Those that decide.
        taken: For each register of the result the one of the source that it is where all digits
            are 0.
    """

    digits: tuple[Digit, ...]
    taken: tuple[int, ...]

    @property
    def selects(self) -> int:
        """Selects of a thread."""
        return len(self.taken) * ((1 << len(self.digits)) - 1)

    def repacked(self, per_word: int) -> int:
        """Return the words of the result that the source does not have as words.

        Args:
            per_word: Registers of a word.
        """
        words = [
            self.taken[first : first + per_word] for first in range(0, len(self.taken), per_word)
        ]
        whole = [range(word[0], word[0] + per_word) for word in words]
        return sum(
            word[0] % per_word != 0 or word != tuple(numbers)
            for word, numbers in zip(words, whole, strict=True)
        )


@lru_cache(maxsize=256)  # several passes ask
def find_picks(source: RegisterLayout, target: RegisterLayout) -> Picks | None:
    """Return how each thread makes `target` of what it holds in `source`; None where it cannot.

    Args:
        source: Layout of a tile.
        target: Another layout of it.
    """
    if source.shape != target.shape:
        return None
    weights = {stride: weight for weight, stride in register_bits(source)}
    digits = []
    for owner in _THREADS:
        before, after = ([*_bits(layout, owner)] for layout in (source, target))
        if len(before) != len(after):
            return None
        for (bit, old), (other_bit, new) in zip(before, after, strict=True):
            if old == new and bit == other_bit:
                continue
            if any(old) or bit != other_bit or new not in weights:
                return None
            digits.append(Digit(owner, bit, weights[new]))
    held = {offset: number for number, offset in enumerate(source.register_offsets())}
    taken = [held.get(offset) for offset in target.register_offsets()]
    found = tuple(number for number in taken if number is not None)
    if len(found) < len(taken) or len(digits) > MAX_DIGITS:
        return None
    return Picks(tuple(digits), found)


def _bits(layout: RegisterLayout, owner: Owner) -> Iterator[tuple[int, Stride]]:
    """Give the digits of a number: weight, and what the digit adds to the coordinate.

    They are binary, but where an extent is no power of two.
    """
    weight = 1
    for mode in layout.modes:
        if mode.owner is not owner:
            continue
        if mode.extent & (mode.extent - 1):
            yield -weight * mode.extent, mode.stride
        else:
            for bit in range(mode.extent.bit_length() - 1):
                yield weight << bit, scaled(mode.stride, 1 << bit)
        weight *= mode.extent
