"""Shapes and candidates of the planner benchmark."""

from collections import Counter
from dataclasses import replace

from tilec.runtime.args.specialize import DIM_DIVISOR
from tools.bench.search.candidates import (
    BLOCK_K,
    BLOCK_M,
    BLOCK_N,
    CLUSTERS,
    DIVISOR,
    ELEMENT_BYTES,
    SCHEDULES,
    SHAPES,
    Candidate,
    Shape,
    candidates,
    divisibility_classes,
    survivors,
)


def test_there_are_thirty_shapes_of_every_group():
    assert len({(shape.m, shape.n, shape.k) for shape in SHAPES}) == 30
    groups = Counter(shape.group for shape in SHAPES)
    assert set(groups) == {"square", "tall", "wide", "small K", "ragged"}
    assert all(shape.m == shape.n == shape.k for shape in SHAPES if shape.group == "square")
    assert all(shape.m >= 8 * shape.n for shape in SHAPES if shape.group == "tall")
    assert all(shape.n >= 8 * shape.m for shape in SHAPES if shape.group == "wide")
    assert all(shape.divisible != "MNK" for shape in SHAPES if shape.group == "ragged")


def test_tma_takes_every_shape():
    for shape in SHAPES:
        assert shape.n * ELEMENT_BYTES % 16 == 0
        assert shape.k * ELEMENT_BYTES % 16 == 0


def test_candidates_are_the_whole_product_and_have_names_of_their_own():
    found = list(candidates("MNK"))
    assert len(found) == len(BLOCK_M) * len(BLOCK_N) * len(CLUSTERS) * len(SCHEDULES)
    assert (len(BLOCK_M), len(BLOCK_N), len(CLUSTERS)) == (4, 13, 4)
    assert len({item.key for item in (*found, *candidates(""))}) == 2 * len(found)


def test_candidate_is_what_the_compiler_gets():
    item = Candidate(128, 256, (2, 1), "cooperative", "NK")
    assert item.constants == {"BM": 128, "BN": 256, "BK": BLOCK_K}
    fields = {"cluster": (2, 1), "stages": 4, "any_tile_extents": 1}
    assert item.plan(4) == {**fields, "pingpong": 0}
    assert replace(item, schedule="pingpong").plan(4) == {**fields, "pingpong": 1}
    assert item.slot_bytes == (128 + 256) * 64 * 2
    assert item.key == "128x256x64-2x1-cooperative-NK"


def test_shapes_share_candidates_by_divisibility():
    assert DIVISOR == DIM_DIVISOR
    assert Shape(777, 2048, 2048, "ragged").divisible == "NK"
    assert Shape(4095, 4104, 4104, "ragged").divisible == ""
    classes = divisibility_classes(SHAPES)
    assert classes[0] == "MNK"
    assert set(classes) == {shape.divisible for shape in SHAPES}


def test_survivors_come_fastest_first():
    assert survivors({"a": 3.0, "b": 2.0, "c": 3.1, "d": 2.5}, 1.5) == ["b", "d", "a"]
    assert survivors({}, 1.5) == []
