"""Loops that run while the kernel is compiled, and assertions about what is known then."""

import numpy as np
import pytest

from tests.frontend.test_control_flow import structured

KERNEL = "@kernel\ndef f(A: i32[N], n: i32, k: i32):\n    i = grid(1)\n"


def result(run_kernel, body, n=5, k=2):
    """Return what `x` is after `body`, on the CPU reference."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    found = np.zeros(8, np.int32)
    text = f"{KERNEL}{lines}    store(A, 0, full(8, x))\n"
    run_kernel(text, {"A": found}, {"n": n, "k": k})
    return found[0]


def in_python(body, n=5, k=2):
    names = {"n": n, "k": k, "static_range": range, "zeros": lambda shape: 0}
    exec(body, names)
    return names["x"]


BODIES = [
    "x = 0\nfor j in static_range(4):\n    x = x * 3 + j",
    "x = 1\nfor j in static_range(7, -2, -3):\n    x = x * 10 + j",
    "x = 0\nfor a, b in ((1, n), (2, k), (n, 7)):\n    x = x * 10 + a * b",
    "x = 0\nfor f in (n, 3, k + 1):\n    x = x * 10 + f",
    "x = 0\nfor j in static_range(6):\n    if j == n:\n        continue\n    x = x * 10 + j",
    "x = 0\nfor j in static_range(6):\n    x = x * 10 + j\n    if j == k:\n        break",
    "x = 0\nfor j in static_range(6):\n    if j == 3:\n        break\n    x = x * 10 + j",
    "x = 0\nfor j in static_range(6):\n    if j == 3:\n        continue\n    x = x * 10 + j",
    "x = 0\nfor r in range(n):\n    for j in static_range(3):\n        if r * j == k:\n"
    "            break\n        x = x * 2 + j\n    if x > 900:\n        break",
    "for j in static_range(3):\n    y = n + j\n    if y > 6:\n        break\nx = y",
    "for j in (k, n):\n    x = j\nx = x * 10 + j",
    "x = 0\nfor j in ():\n    x = 9",
    "x = 0\nwhile True:\n    x += 1\n    if x > k:\n        break\nfor j in (3, 4):\n    x = x * j",
]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(("n", "k"), [(5, 2), (2, 0)])
def test_rounds_are_those_of_python(run_kernel, body, n, k):
    assert result(run_kernel, body, n, k) == in_python(body, n, k)


def test_the_variable_is_a_constant(frontend):
    program = frontend.kernel(
        "for j in static_range(1, 4):\n    t = zeros((1 << j, 4))\n"
        "    if j == 3:\n        u = t + 1\nv = u + 2"
    )
    assert structured(program.body) == []
    shapes = [str(op.results[0].type) for op in program.body.operations if op.name == "addf"]
    assert shapes == ["f32[8, 4]", "f32[8, 4]"]


def test_a_function_may_return_from_an_unrolled_loop(run_kernel):
    text = (
        "def g(n):\n    for j in static_range(5):\n        if j * j > n:\n            return j\n"
        "    return 9\n" + KERNEL + "    store(A, 0, full(8, g(n) * 10 + g(k)))\n"
    )
    found = np.zeros(8, np.int32)
    run_kernel(text, {"A": found}, {"n": 5, "k": 99})
    assert found[0] == 39


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "for j in static_range(n):\n    pass",
            ("T0403", 1, "static_range: bounds are compile-time integers, found a scalar of i32"),
        ),
        (
            "for j in static_range(0, 3, 0):\n    pass",
            ("T0318", 1, "static_range: the step must not be 0"),
        ),
        (
            "for j in static_range():\n    pass",
            ("T0310", 1, "static_range: takes one to three arguments, found 0"),
        ),
        (
            "x = static_range(3)",
            ("T0318", 1, "static_range: only allowed in 'for ... in static_range(...)'"),
        ),
        (
            "for j in alpha:\n    pass",
            (
                "T0318",
                1,
                "a loop runs over 'range(...)', 'static_range(...)' or a tuple, found a scalar of"
                " f32",
            ),
        ),
        (
            "for a, b in (1, 2):\n    pass",
            ("T0314", 1, "cannot unpack the constant 1 into 2 names"),
        ),
        (
            "for j in static_range(3):\n    if n > j:\n        continue\n    y = alpha\nx = y",
            ("T0202", 5, "'y' may have no value here: a jump may skip its assignment"),
        ),
        ("static_assert(BM == 65)", ("T0402", 1, "assertion failed")),
        ("static_assert(BM == 65, 'BM')", ("T0402", 1, "assertion failed: BM")),
        (
            "static_assert(n > 2)",
            (
                "T0403",
                1,
                "static_assert: the condition is only known at run time, found a scalar of bool",
            ),
        ),
        (
            "static_assert(BM == 65, n)",
            (
                "T0403",
                1,
                "the message of an assertion is a compile-time value, found a scalar of i32",
            ),
        ),
    ],
)
def test_mistake(frontend, body, expected):
    assert frontend.error(body) == expected


def test_an_assertion_that_holds_costs_nothing(frontend):
    usual = frontend.kernel("x = alpha")
    checked = frontend.kernel("static_assert(BM == 64, 'BM is 64')\nx = alpha")
    assert len(checked.body.operations) == len(usual.body.operations)


def test_many_rounds_end_at_the_limit(frontend):
    (item,) = frontend.diagnostics("for j in static_range(10 ** 9):\n    x = j")
    assert (item.code, "more than 100000 statements" in item.message) == ("T0211", True)
