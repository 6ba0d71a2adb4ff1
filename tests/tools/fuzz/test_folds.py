"""Reductions, scans, element accesses and casts of the direct evaluation, on known cases."""

import numpy as np
import pytest

from tests.support.fuzz_cases import lines, program
from tools.emulator.fuzz.conversions import convert
from tools.emulator.fuzz.elements import change, gather
from tools.emulator.fuzz.evaluation import evaluate
from tools.emulator.fuzz.folds import fold
from tools.emulator.fuzz.program import (
    I32,
    Access,
    Assign,
    Elements,
    Expression,
    Fold,
    For,
    If,
    Jump,
    Scatter,
    Store,
    name,
    number,
)
from tools.emulator.fuzz.values import NUMPY, Value

NAN, INF = float("nan"), float("inf")


def tile(dtype, *rows):
    return Value(np.array(rows, NUMPY[dtype]), dtype)


@pytest.mark.parametrize(
    ("call", "expected"),
    [("sum", [6, NAN]), ("prod", [6, NAN]), ("max", [3, 7]), ("min", [1, 7]), ("argmax", [2, 1])],
)
def test_reductions_along_an_axis(call, expected):
    found = fold(Fold(call, (1,)), [tile("f32", [1, 2, 3], [NAN, 7, NAN])])
    np.testing.assert_array_equal(found.data, expected)
    assert found.error is None


def test_a_sum_that_is_rounded_has_a_bound_and_a_whole_one_has_none():
    rough = fold(Fold("sum", (0,)), [tile("f32", 0.1, 0.2, 0.3)])
    assert rough.error is not None
    assert 0 < rough.error < 1e-6
    assert fold(Fold("sum", (0,)), [tile("f32", 1, 2, 3)]).error is None


def test_a_product_that_may_overflow_on_the_way_may_be_anything():
    found = fold(Fold("prod", (0,)), [tile("f32", 1e30, 1e30, 1e-30)])
    assert found.error == INF


def test_small_integers_are_added_in_32_bits():
    found = fold(Fold("sum", None), [tile("i8", [100, 100], [100, 100])])
    assert (found.dtype, int(found.data)) == ("i32", 400)


def test_a_scan_keeps_the_order():
    pair = [tile("i32", 2, 3, 5), tile("i32", 1, 1, 1)]
    item = Fold("scan", (0,), function="affine", part=1)
    assert fold(item, pair).data.tolist() == [1, 4, 21]
    back = Fold("scan", (0,), reverse=True, function="affine", part=1)
    assert fold(back, pair).data.tolist() == [9, 4, 1]
    assert fold(Fold("reduce", (0,), function="affine", part=1), pair).data.tolist() == 21


def test_elements_that_are_equal_are_added_one_after_the_other():
    memory = lines(A=("i32", [1, 2, 3]))
    item = Scatter(Elements("A", 1), (), "atomic_add", "", "i32", (4,))
    change(memory, item, [tile("i32", 2, 2, 7, -1), tile("i32", 10, 20, 40, 80)])
    assert memory.blocks["A"].data.tolist() == [1, 2, 33]


def test_a_gather_pads_what_is_masked_or_outside():
    memory = lines(A=("i32", [1, 2, 3]))
    values = [tile("i32", 0, 1, 5, -1), tile("bool", True, False, True, True), tile("i32", 9)]
    values[-1] = Value(np.asarray(np.int32(9)), "i32")
    found = gather(memory, Elements("A", 1, masked=True, padded=True), values, (4,))
    assert found.data.tolist() == [1, 9, 9, 9]


def test_an_index_that_is_not_exact_spoils_the_array():
    memory = lines(A=("i32", [1, 2, 3]))
    index = Value(np.array([0, 1], np.int32), "i32", np.array([0.0, INF]))
    change(memory, Scatter(Elements("A", 1), (), "", "", "i32", (2,)), [index, tile("i32", 5, 6)])
    assert memory.blocks["A"].error is not None
    assert np.isinf(memory.blocks["A"].error).all()


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("rn", [2048, -2048]), ("rz", [2048, -2048]), ("rm", [2048, -2050]), ("rp", [2050, -2048])],
)
def test_rounding_modes(mode, expected):
    found = convert(tile("f32", 2049, -2049), "f16", mode, saturate=False)
    assert found.data.tolist() == expected


def test_saturation():
    found = convert(tile("f32", 300, -INF, NAN, 1.9), "i8", "", saturate=True)
    assert found.data.tolist() == [127, -128, 0, 1]
    with np.errstate(all="ignore"):
        found = convert(tile("f32", 1e9, -INF), "f16", "", saturate=True)
    assert found.data.tolist() == [65504, -65504]


@pytest.mark.parametrize(("word", "total"), [("break", 3), ("continue", 6), ("return", 0)])
def test_jumps(word, total):
    counter, tiles = name("k", I32), name("x", "i32", (16,))
    leaves = Expression("compare", (counter, number(2, I32)), "bool", (), "==")
    filled = Expression("full", (name("k", I32),), "i32", (16,))
    body = [
        Assign("x", Expression("full", (number(2, I32),), "i32", (16,))),
        For(
            "k",
            (number(4, I32),),
            (
                If(leaves, (Jump(word),)),
                Assign("x", Expression("binary", (tiles, filled), "i32", (16,), "+")),
            ),
        ),
        Store(Access("A"), (name("m", I32),), tiles),
    ]
    case = program(body, "i32", {"M": 16}, arrays="A")
    memory = lines(A=("i32", [0] * 16))
    evaluate(case, memory)
    assert memory.blocks["A"].data.tolist() == [total] * 16
