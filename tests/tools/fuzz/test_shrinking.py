"""A program that fails becomes smaller, and stays a program."""

import pytest

from tests.support.fuzz_cases import binary, load, program
from tools.emulator.fuzz.draw import draw
from tools.emulator.fuzz.printing import source
from tools.emulator.fuzz.program import (
    I32,
    Access,
    Assign,
    For,
    If,
    Store,
    accesses,
    name,
    number,
)
from tools.emulator.fuzz.shrinking import default, repair, shrink

HERE = (name("m", I32),)


def stores(case):
    return [access.array for access, is_store in accesses(case) if is_store]


def test_what_does_not_matter_goes():
    tile = name("x", "f32", (16,))
    body = [
        Assign("x", load("A", "f32")),
        For("k", (number(3, I32),), (Store(Access("B"), HERE, binary("+", tile, tile, "f32")),)),
        If(default(name("q", "bool")), (Store(Access("C"), HERE, tile),)),
    ]
    found = shrink(program(body), lambda case: "B" in stores(case))
    assert stores(found) == ["B"]
    assert len(found.body) == 1
    assert [array.name for array in found.arrays] == ["B"]
    assert "for" not in source(found)
    assert found.sizes == {"M": 1}


def test_blocks_stay_in_their_parts_of_what_they_share():
    body = [Store(Access("A"), HERE, load("B", "f32"))]
    found = shrink(program(body), lambda case: "A" in stores(case) and case.grid[0].op == "call")
    assert "store(A, (m,)," in source(found)


def test_names_that_are_gone_are_replaced():
    gone = Store(Access("A"), HERE, name("x", "f32", (16,)))
    assert "full((16,), 0.0, f32)" in source(repair(program([gone])))


@pytest.mark.parametrize("seed", range(8))
def test_drawn_programs_shrink_to_one_store(seed):
    found = shrink(draw(seed), lambda case: bool(stores(case)), 20)
    assert len(stores(found)) == 1
    assert len(found.body) == 1
