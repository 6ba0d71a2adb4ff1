"""The drawings say what the compiler does, and are legible."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from tilec.request.stages import STAGES
from tools.pictures import PICTURES, accumulator, ring, stages, swizzle

NAMESPACE = "{http://www.w3.org/2000/svg}"
GLYPH = 0.56
"""Mean width of a character, in units of the font size, of the widest font that is named."""


def texts(picture):
    """Return (left, top, right, bottom, words) of every text; widths are estimates."""
    found = []
    for item in ET.fromstring(picture).iter(f"{NAMESPACE}text"):
        size, words = float(item.attrib["font-size"]), item.text or ""
        width = len(words) * size * GLYPH
        shift = {"start": 0, "middle": width / 2, "end": width}[item.attrib["text-anchor"]]
        left, base = float(item.attrib["x"]) - shift, float(item.attrib["y"])
        found.append((left, base - 0.75 * size, left + width, base + 0.2 * size, words))
    return found


@pytest.mark.parametrize("name", PICTURES)
def test_texts_stay_inside_and_apart(name):
    picture = PICTURES[name]()
    root = ET.fromstring(picture)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    placed = texts(picture)
    for left, top, right, bottom, words in placed:
        assert left >= 0, words
        assert top >= 0, words
        assert right <= width, words
        assert bottom <= height, words
    for index, one in enumerate(placed):
        for two in placed[index + 1 :]:
            apart = one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1] or two[3] <= one[1]
            assert apart, (one, two)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_has_a_title_and_an_opaque_card(name):
    root = ET.fromstring(PICTURES[name]())
    card = root.find(f"{NAMESPACE}rect")
    assert root.findtext(f"{NAMESPACE}title")
    assert card is not None
    assert card.attrib["fill"] == "#ffffff"
    assert float(card.attrib["width"]) == float(root.attrib["width"]) - 1


def test_stages_are_those_of_the_pipeline():
    names = [level.name for level in stages.levels()]
    assert names == ["source", *(stage.name for stage in STAGES), "llvmir", "ptx", "cubin"]
    (level,) = (stage for stage in STAGES if stage.name == "nv_tileaa")
    upstream = sum(not step.module for step in level.steps)
    text = f"{len(level.steps)} passes, {upstream} of them from MLIR"
    assert text in stages.draw()


def test_accumulator_is_the_fragment_of_the_ptx_isa():
    held = accumulator.holders()
    for (row, column), holder in held.items():
        lane = row % 8 * 4 + column % 8 // 2
        register = column // 8 * 4 + row % 16 // 8 * 2 + column % 2
        assert holder == (row // 16, lane, register)
    assert len(held) == 64 * accumulator.COLUMNS


def test_swizzle_is_the_xor_that_the_picture_names():
    for (row, chunk), place in swizzle.places(swizzle.Swizzle.B128).items():
        assert place == (row, chunk ^ row)
    assert swizzle.passes(swizzle.Swizzle.NONE) == 8
    assert swizzle.passes(swizzle.Swizzle.B128) == 1
    assert "reading chunk 2 of all rows: 8 passes<" in swizzle.draw()
    assert "reading chunk 2 of all rows: 1 pass<" in swizzle.draw()


@pytest.mark.parametrize(("slots", "tiles"), [(1, 4), (2, 7), (3, 6), (4, 13)])
def test_ring_fills_no_slot_in_use_and_uses_no_empty_slot(slots, tiles):
    line = ring.Timeline(slots, tiles)
    loads = [span for span in line.producer if span.words != "waits"]
    uses = [span for span in line.consumer if span.words != "waits"]
    assert [span.words for span in loads] == [f"load {tile}" for tile in range(tiles)]
    assert [span.words for span in uses] == [f"use {tile}" for tile in range(tiles)]
    for tile in range(tiles):
        slot, lap = tile % slots, tile // slots
        assert uses[tile].start >= line.full[slot][lap] == loads[tile].start + 4
        assert line.empty[slot][lap] == uses[tile].end
        if tile >= slots:
            assert loads[tile].start >= uses[tile - slots].end
    for row in (line.producer, line.consumer, *line.slots):
        for before, after in pairwise(row):
            assert before.end <= after.start


def test_phases_of_a_barrier_alternate():
    line = ring.Timeline()
    phases = line.phases(line.full[0])
    assert [span.words for span in phases] == ["phase 0", "phase 1", "phase 0"]
    assert [span.end for span in phases[:2]] == line.full[0]
    assert phases[-1].end == line.end
