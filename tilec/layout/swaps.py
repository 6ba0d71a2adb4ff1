"""Changes of layout in which lanes of a warp swap words in pairs.

A swap trades a binary digit of the lane for one of the register. Of two words whose registers
differ in the digit, a lane keeps one, and gets the other one from the lane that differs in its
digit, for the word that it does not keep:

    lane 0: a b      lane 0: a c
    lane 1: c d  ->  lane 1: b d

Rows of an accumulator that threads store are an example: pairs of columns go round the four lanes
of a quad, and after one swap a lane has four neighbours. Where threads may store only single
elements, neighbours go to other lanes instead. A word then holds two elements that stay in the
registers of one lane, which are no neighbours. Lanes send different registers, which
`tilec/layout/shuffles.py` cannot express. Pure Python.
"""

from functools import lru_cache

from tilec.layout.modes import WARP_LANES, Mode, Owner
from tilec.layout.register import RegisterLayout
from tilec.layout.shuffles import WORD_BYTES
from tilec.support.fast_dataclasses import dataclass

Stride = tuple[int, ...]
SWAPPED_BITS = (8, 16, 32)
"""Sizes of elements that lanes swap: words, and what words are made of."""
_THREADS = (Owner.WARP, Owner.WARPGROUP, Owner.CTA)
_LANE_BITS = WARP_LANES.bit_length() - 1


@dataclass(frozen=True, slots=True)
class Swap:
    """A digit of the lane for one of the register.

    Attributes:
        lanes: How far the two lanes are apart, a power of two.
        words: How far their words are apart.
    """

    lanes: int
    words: int

    def pairs(self, count: int) -> list[tuple[int, int]]:
        """Return the words that are swapped, of `count` words."""
        low = (word for word in range(count) if word // self.words % 2 == 0)
        return [(word, word + self.words) for word in low]


@dataclass(frozen=True, slots=True)
class Swaps:
    """A change of layout by swaps.

    Attributes:
        packed: The registers of the source, in the order in which words hold them.
        steps: The swaps of words, one after the other.
        taken: Where in the words each register of the result is then.
        per_word: Registers of a word.
    """

    packed: tuple[int, ...]
    steps: tuple[Swap, ...]
    taken: tuple[int, ...]
    per_word: int

    @property
    def words(self) -> int:
        """Words of a lane."""
        return len(self.packed) // self.per_word

    @property
    def shuffles(self) -> int:
        """Words that a lane gets."""
        return len(self.steps) * self.words // 2

    @property
    def order(self) -> tuple[int, ...] | None:
        """Which word is each word of the result then; None where it is made of several."""
        starts = self.taken[:: self.per_word]
        whole = [start + place for start in starts for place in range(self.per_word)]
        in_words = whole == list(self.taken) and not any(start % self.per_word for start in starts)
        return tuple(start // self.per_word for start in starts) if in_words else None

    @property
    def is_packed(self) -> bool:
        """Whether words hold registers that follow each other."""
        return self.packed == tuple(range(len(self.packed)))


@lru_cache(maxsize=64)  # several passes ask
def find_swaps(source: RegisterLayout, target: RegisterLayout, element_bytes: int) -> Swaps | None:
    """Return the swaps that make `target` of `source`; None where swaps do not.

    Args:
        source: Layout of a tile.
        target: Another layout of it.
        element_bytes: 1, 2 or 4.
    """
    alike = source.shape == target.shape and source.num_registers == target.num_registers
    alike = alike and _moved(source, _THREADS) == _moved(target, _THREADS)
    if not alike or source.replication > 1 or target.replication > 1:
        return None
    before, after, per_word = lane_bits(source), lane_bits(target), WORD_BYTES // element_bytes
    digits = register_bits(source)
    staying = [weight for weight, stride in digits if stride not in after]
    inner = staying[: per_word.bit_length() - 1]
    if 1 << len(inner) != per_word:
        return None
    places = {
        stride: weight >> sum(less < weight for less in inner)
        for weight, stride in digits
        if weight not in inner
    }
    packed = sorted(range(source.num_registers), key=lambda number: _place(number, inner))
    offsets, steps = [source.register_offsets()[number] for number in packed], []
    for bit, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new and new not in places:
            return None
        if old != new:
            words = places[old] = places.pop(new)
            steps.append(Swap(1 << bit, words))
            offsets = _swapped(offsets, words * per_word, old, new)
    held = {offset: number for number, offset in enumerate(offsets)}
    taken = [held.get(offset) for offset in target.register_offsets()]
    found = tuple(number for number in taken if number is not None)
    is_found = steps and len(found) == len(taken)
    return Swaps(tuple(packed), tuple(steps), found, per_word) if is_found else None


def _swapped(offsets: list[Stride], distance: int, old: Stride, new: Stride) -> list[Stride]:
    """Return what registers of lane 0 add after a swap with registers so far apart."""
    return [
        tuple(place + less - more for place, less, more in zip(offset, old, new, strict=True))
        if number // distance % 2
        else offset
        for number, offset in enumerate(offsets)
    ]


def _place(number: int, inner: list[int]) -> tuple[int, int]:
    """Return the word that holds a register, and where: the digits of `inner` are those in it."""
    digits = [number // weight % 2 for weight in inner]
    rest = number - sum(digit * weight for digit, weight in zip(digits, inner, strict=True))
    return rest, sum(digit << place for place, digit in enumerate(digits))


def lane_bits(layout: RegisterLayout) -> list[Stride]:
    """Return what each binary digit of the lane adds to the coordinate, the lowest one first."""
    found = []
    for mode in layout.modes:
        if mode.owner is Owner.LANE:
            found += [scaled(mode.stride, 1 << bit) for bit in range(mode.extent.bit_length() - 1)]
    assert len(found) == _LANE_BITS, layout
    return found


def register_bits(layout: RegisterLayout) -> list[tuple[int, Stride]]:
    """Return the binary digits of the register: how far apart registers are, and what it adds."""
    found, weight = [], 1
    for mode in layout.modes:
        if mode.owner is Owner.REG:
            bits = range(even_part(mode.extent).bit_length() - 1)
            found += [(weight << bit, scaled(mode.stride, 1 << bit)) for bit in bits]
            weight *= mode.extent
    return found


def even_part(number: int) -> int:
    """Return the largest power of two that divides a number."""
    return number & -number


def scaled(stride: Stride, factor: int) -> Stride:
    """Return the stride of a digit that counts `factor` times."""
    return tuple(step * factor for step in stride)


def _moved(layout: RegisterLayout, owners: tuple[Owner, ...]) -> list[Mode]:
    return [mode for mode in layout.modes if mode.owner in owners]


def gathered(layout: RegisterLayout, axis: int, width: int, run: int) -> RegisterLayout | None:
    """Return a layout in which lanes hold vectors, and lanes that access a run hold all of it.

    Args:
        layout: Any layout.
        axis: Axis of the vectors.
        width: Elements of a vector, a power of two.
        run: Neighbouring elements that lanes should access together, a power of two.

    Returns:
        The layout, which `find_swaps` finds the way to; None where the warp does not hold what is
        wanted, or each lane has it already.
    """
    lanes, registers = lane_bits(layout), [stride for _, stride in register_bits(layout)]
    for step in (1 << bit for bit in range(max(width, run).bit_length() - 1)):
        stride = tuple(step * (number == axis) for number in range(layout.rank))
        have, other = (registers, lanes) if step < width else (lanes, registers)
        if stride not in have:
            rest = [item for item in have if sum(item) != item[axis] or item[axis] >= run]
            far = [item for item in have if sum(item) == item[axis] and item[axis] >= width]
            spare = sorted(far) if step < width else rest[::-1]
            if stride not in other or not spare:
                return None
            have[have.index(spare[0])], other[other.index(stride)] = stride, spare[0]
    if lanes == lane_bits(layout):
        return None

    def order(item: tuple[Stride, int]) -> tuple[bool, int, Stride]:
        return sum(item[0]) != item[0][axis], item[0][axis], item[0]

    digits = [(stride, 2) for stride in registers] + _odd_parts(layout)
    modes = [Mode(Owner.REG, extent, stride) for stride, extent in sorted(digits, key=order)]
    modes += [Mode(Owner.LANE, 2, stride) for stride in lanes]
    return RegisterLayout(layout.shape, [*modes, *_moved(layout, _THREADS)])


def _odd_parts(layout: RegisterLayout) -> list[tuple[Stride, int]]:
    """Return stride and extent of what binary digits leave of modes of registers."""
    return [
        (scaled(mode.stride, even_part(mode.extent)), mode.extent // even_part(mode.extent))
        for mode in layout.modes
        if mode.owner is Owner.REG and mode.extent > even_part(mode.extent)
    ]
