"""The direct evaluation on cases whose results are known."""

import numpy as np
import pytest

from tests.support.fuzz_cases import binary, call, lines, load, program, value
from tools.emulator.fuzz import arithmetic
from tools.emulator.fuzz.evaluation import evaluate
from tools.emulator.fuzz.program import I32, Access, Expression, Store, name, number
from tools.emulator.fuzz.values import Value, cast, round_to, sticky


def line(dtype, *values):
    memory = lines(A=(dtype, list(values)))
    return load("A", dtype, (number(0, I32),), (len(values),)), memory


def errors_of(found):
    assert found.error is not None
    return found.error.reshape(-1).tolist()


def both(op, dtype, left, right):
    memory = lines(A=(dtype, left), B=(dtype, right))
    index, shape = (number(0, I32),), (len(left),)
    pair = load("A", dtype, index, shape), load("B", dtype, index, shape)
    expression = call("cdiv", *pair, dtype=dtype) if op == "cdiv" else binary(op, *pair, dtype)
    return value(expression, memory).data.tolist()


@pytest.mark.parametrize(
    ("op", "dtype", "left", "right", "expected"),
    [
        ("//", "i32", [7, -7, 7, -7, -(2**31)], [2, 2, -2, -2, -1], [3, -4, -4, 3, -(2**31)]),
        ("%", "i32", [7, -7, 7, -7, -(2**31)], [2, 2, -2, -2, -1], [1, 1, -1, -1, 0]),
        ("cdiv", "i32", [7, -7, 7, 2**31 - 1], [2, 2, -2, 2], [4, -3, -3, 2**30]),
        ("+", "i8", [127, -128], [1, -1], [-128, 127]),
        ("*", "u16", [65535], [65535], [1]),
        (">>", "i8", [-128, 64], [7, 3], [-1, 8]),
        (">>", "u8", [128], [7], [1]),
        ("<<", "i16", [1], [15], [-(2**15)]),
        ("%", "f32", [5.5, -5.5], [2.0, 2.0], [1.5, 0.5]),
        ("//", "f32", [5.5, -5.5], [2.0, 2.0], [2.0, -3.0]),
    ],
)
def test_operators(op, dtype, left, right, expected):
    assert both(op, dtype, left, right) == expected


@pytest.mark.parametrize(
    ("dtype", "number", "expected"),
    [
        ("f8e4m3", 1000.0, 448.0),
        ("f8e4m3", -np.inf, -448.0),
        ("f8e4m3", 1.0625, 1.0),
        ("f8e4m3", 1.0625 + 2.0**-40, 1.125),
        ("f8e5m2", 2.0**-17, 0.0),
        ("f8e5m2", 1.5 * 2.0**-17, 2.0**-16),
        ("bf16", 1.0 + 2.0**-8 + 2.0**-40, 1.0 + 2.0**-7),
        ("tf32", 1.0 + 2.0**-11, 1.0),
        ("f16", 65520.0, np.inf),
        ("f16", 65519.9, 65504.0),
    ],
)
def test_rounding(dtype, number, expected):
    with np.errstate(over="ignore"):
        assert float(round_to(np.array([number]), dtype)[0]) == expected


def test_integers_are_rounded_once():
    large = np.array([2**63 - 1, 2**54 + 2**30 + 1, -(2**54) - 2**30 - 1], np.int64)
    assert round_to(sticky(large), "f32").tolist() == large.astype(np.float32).tolist()
    value = cast(Value(np.array([2**24 + 2**15 + 1], np.int64), "i64"), "bf16")
    assert float(value.data[0]) == 2.0**24


@pytest.mark.parametrize(
    ("dtype", "source", "expected"),
    [("bool", [0.0, -0.0, 0.5, np.nan], [0, 0, 1, 1]), ("i8", [1.9, -1.9], [1, -1])],
)
def test_casts_of_floats(dtype, source, expected):
    found = cast(Value(np.array(source, np.float32), "f32"), dtype)
    assert found.data.astype(int).tolist() == expected
    assert found.error is None


def test_what_an_integer_type_cannot_hold_may_be_anything():
    found = cast(Value(np.array([300.0, 3.0], np.float32), "f32"), "u8")
    assert errors_of(found) == [np.inf, 0.0]


def test_a_product_that_is_added_may_be_rounded_once():
    third = np.float32(1 / 3)
    operand, memory = line("f32", third, 0.5)
    square = binary("*", operand, operand, "f32")
    found = value(binary("+", square, operand, "f32"), memory)
    exact = float(third) * float(third)
    fused = np.float32(exact + float(third))
    assert abs(float(found.data[0]) - float(fused)) <= errors_of(found)[0]
    assert 0 < errors_of(found)[0] < 2.0**-22
    assert errors_of(found)[1] == 0
    assert value(square, memory).error is None


@pytest.mark.parametrize("double", [False, True])
def test_a_quotient_that_is_rounded_to_16_bits_may_be_the_neighbour(double):
    """257 lies half-way between two numbers of bf16, 258 is one of them."""
    memory = lines(A=("f32", [257.0, 258.0]), B=("f32", [1.0, 1.0]))
    index = (number(0, I32),)
    pair = load("A", "f32", index, (2,)), load("B", "f32", index, (2,))
    quotient = binary("/", *pair, "f32")
    assert value(quotient, memory).error is None
    if double:
        quotient = binary("*", quotient, load("B", "f32", index, (2,)), "f32")
    rounded = Expression("cast", (quotient,), "bf16", (2,))
    assert errors_of(value(rounded, memory)) == [2.0, 0.0]
    product = Expression("cast", (binary("*", *pair, "f32"),), "bf16", (2,))
    assert value(product, memory).error is None


def test_fma_is_rounded_once():
    operand, memory = line("f32", 1.0 + 2.0**-12)
    found = value(call("fma", operand, operand, number(-1.0, "f32"), dtype="f32"), memory)
    assert float(found.data[0]) == 2.0**-11 + 2.0**-24
    assert found.error is None


def test_an_error_travels():
    operand, memory = line("f32", 1.0, 5.0)
    once = value(call("exp", operand), memory)
    assert min(errors_of(once)) > 0
    limit = number(2.75, "f32")
    close = Expression("compare", (call("exp", operand), limit), "bool", (2,), "<")
    assert value(close, memory).error is None
    same = Expression("compare", (call("exp", operand), call("exp", operand)), "bool", (2,), "==")
    assert errors_of(value(same, memory)) == [np.inf, np.inf]


@pytest.mark.parametrize("title", ["fma", "*", "/"])
def test_what_may_be_anything_stays_so(title):
    operand, memory = line("f32", 3.0, 300.0)
    unknown = Expression("cast", (Expression("cast", (operand,), "u8", (2,)),), "f32", (2,))
    if title == "fma":
        found = value(call(title, number(0.0, "f32"), unknown, operand), memory)
    else:
        found = value(binary(title, operand, unknown, "f32"), memory)
    assert errors_of(found) == [0.0, np.inf]


@pytest.mark.parametrize("op", ["+", "-", "*", "/"])
def test_nan_that_may_be_anything_stays_so(op):
    """An element at an index that is not known is NaN by chance."""
    unknown = Value(np.array([np.nan, np.nan], np.float32), "f32", np.array([np.inf, 0.0]))
    known = Value(np.array([1.0, 2.0], np.float32), "f32")
    with np.errstate(invalid="ignore"):
        found = arithmetic.binary(op, unknown, known, "f32")
    assert errors_of(found) == [np.inf, 0.0]


def test_a_cast_to_8_bits_does_not_bound_an_unknown_number():
    """Infinity times 0 is NaN, and which numbers meet first is not fixed."""
    found = cast(Value(np.array([0.0]), "f32", np.array([np.inf])), "f8e4m3")
    assert errors_of(found) == [np.inf]


def test_nan_loses_unless_it_is_told_to_spread():
    operand, memory = line("f32", np.nan, 1.0)
    assert value(call("maximum", operand, number(2.0, "f32")), memory).data.tolist() == [2.0, 2.0]
    spread = Expression(
        "call", (operand, number(2.0, "f32")), "f32", (2,), ("maximum", "propagate_nan=True")
    )
    assert np.isnan(value(spread, memory).data[0])


def test_loads_and_stores_reach_over_the_ends():
    memory = lines(A=("i32", list(range(40))), B=("i32", [0] * 40), C=("i32", [0] * 40))
    before = (binary("-", name("m", I32), number(1, I32), I32, ()),)
    body = [Store(Access("B"), (name("m", I32),), load("A", "i32", before, pad=5))]
    evaluate(program(body, "i32"), memory)
    assert memory.blocks["B"].data.tolist() == [5] * 16 + list(range(24))


def test_a_far_coordinate_is_outside():
    memory = lines(A=("i32", [1] * 40), B=("i32", [2] * 40), C=("i32", [0] * 40))
    far = (number(2**28, I32),)
    body = [
        Store(Access("B"), far, load("A", "i32")),
        Store(Access("C"), far, load("A", "i32", far)),
    ]
    evaluate(program(body, "i32"), memory)
    assert set(memory.blocks["B"].data.tolist()) == {2}
    assert set(memory.blocks["C"].data.tolist()) == {0}


def test_small_sums_of_products_are_exact_and_others_are_not():
    def product(values):
        memory = lines(A=("f16", values))
        tile = Expression("reshape", (load("A", "f16", (number(0, I32),)),), "f16", (4, 4))
        start = Expression("full", (number(0.0, "f32"),), "f32", (4, 4))
        return value(Expression("mma", (tile, tile, start), "f32", (4, 4)), memory)

    assert product([float(item) for item in range(16)]).error is None
    assert min(errors_of(product([0.1] * 16))) > 0


def test_a_store_may_add():
    memory = lines(A=("i32", [1] * 40), B=("i32", [2] * 40), C=("i32", [0] * 40))
    body = [Store(Access("B"), (name("m", I32),), load("A", "i32"), "atomic_add")]
    evaluate(program(body, "i32"), memory)
    assert memory.blocks["B"].data.tolist() == [3] * 40
