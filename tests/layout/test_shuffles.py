"""Exchanges of words in warps: every lane ends with the elements that the other layout gives it."""

import pytest

from tilec.layout import RegisterLayout, wgmma_a_fragment, wgmma_accumulator
from tilec.layout.shuffles import WORD_BYTES, warp_exchange

LANES = 32
WARPS = 4
LOWEST = 15


def exchanged(source, target, element_bytes, warp):
    """Return the coordinates that the lanes of a warp hold afterwards: `prmt` picks bytes."""
    start = warp * LANES
    held = [
        [source.coordinates(register, start + lane) for register in range(source.num_registers)]
        for lane in range(LANES)
    ]
    result = [[] for _ in range(LANES)]
    for word in warp_exchange(source, target, element_bytes) or ():
        for lane in range(LANES):
            found = []
            for fetch in word.fetches:
                other = held[fetch.lanes[lane]]
                parts = [(other[r], byte) for r in fetch.registers for byte in range(element_bytes)]
                found += parts + [None] * (WORD_BYTES - len(parts))
            selector = word.selectors[lane]
            result[lane] += [found[selector >> 4 * byte & LOWEST] for byte in range(WORD_BYTES)]
    return result


def bytes_of(layout, element_bytes, warp):
    return [
        [
            (layout.coordinates(register, warp * LANES + lane), byte)
            for register in range(layout.num_registers)
            for byte in range(element_bytes)
        ]
        for lane in range(LANES)
    ]


def layout(text):
    return RegisterLayout.from_text(text)


SPREAD = layout("8x32|reg:8*(0,4)|lane:4*(0,1),8*(1,0)")
PAIRS = layout("8x32|reg:2*(0,1),4*(0,8)|lane:4*(0,2),8*(1,0)")
FOURS = layout("8x32|reg:4*(0,1),2*(0,16)|lane:4*(0,4),8*(1,0)")
COPIES = layout("8x4|reg:2*(0,0)|lane:4*(0,1),8*(1,0)")
CASES = [
    *(
        (wgmma_accumulator(64 * n, 32 * k, n), wgmma_a_fragment((64 * n, 64, 32 * k), 8, n), 1)
        for n in (1, 2)
        for k in (1, 4)
    ),
    (wgmma_accumulator(64, 32, 1), wgmma_accumulator(64, 32, 1), 2),
    (PAIRS, FOURS, 1),
    (FOURS, PAIRS, 1),
    (SPREAD, layout("8x32|reg:2*(0,4),4*(0,8)|lane:4*(0,1),8*(1,0)"), 2),
]


@pytest.mark.parametrize(("source", "target", "element_bytes"), CASES, ids=str)
def test_every_lane_gets_its_elements(source, target, element_bytes):
    for warp in range(WARPS if source.num_warps > 1 else 1):
        found = exchanged(source, target, element_bytes, warp)
        assert found == bytes_of(target, element_bytes, warp)


def test_the_operand_of_8_bits_takes_two_words_of_each_quad():
    words = warp_exchange(wgmma_accumulator(64, 32, 1), wgmma_a_fragment((64, 64, 32), 8, 1), 1)
    assert words is not None
    assert len(words) == 4
    for word in words:
        assert len(word.fetches) == 2
        assert word.fetches[0].registers == word.fetches[1].registers
        assert all(lane // 4 == other // 4 for lane, other in enumerate(word.fetches[0].lanes))


@pytest.mark.parametrize(
    ("source", "target", "element_bytes"),
    [
        (wgmma_accumulator(64, 32, 1), wgmma_accumulator(64, 32, 1), 4),
        (SPREAD, FOURS, 1),  # four lanes hold the elements of a word
        (wgmma_accumulator(64, 32, 1), wgmma_accumulator(64, 64, 1), 1),
        (wgmma_accumulator(128, 32, 1), wgmma_accumulator(128, 32, 2), 2),
        (COPIES, COPIES, 2),
    ],
)
def test_what_takes_more_goes_another_way(source, target, element_bytes):
    assert warp_exchange(source, target, element_bytes) is None
