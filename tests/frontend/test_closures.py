"""Functions inside functions: nested `def`, `lambda`, and functions as values."""

import numpy as np
import pytest

HELPERS = """
def twice(f, x):
    return f(f(x))

def apply(f, x, y=3):
    return f(x, y)

def adder(n):
    def add(x, k=n * 10):
        return x + n + k
    return add

def both(x):
    return x, x + 1
"""
KERNEL = "@kernel\ndef f(A: i32[N], n: i32, k: i32):\n    i = grid(1)\n"
BODIES = [
    "def g(a):\n    return a * n + k\nx = g(3) + g(k)",
    "y = 2\ndef g(a):\n    return a * y\ny = n\nx = g(3)",
    "g = lambda a, b=k: a * 10 + b\nx = g(n) + g(n, 1) + g(b=2, a=1)",
    "x = twice(lambda v: v * 2 + n, k)",
    "x = apply(lambda a, b: a * b, n) + apply(lambda a, b: a - b, n, y=k)",
    "x = twice(lambda v: twice(lambda w: w + v, n), 1)",
    "x = twice(adder(n), 1)",
    "g = adder(k)\nx = g(1) + g(1, k=4)",
    "x = 0\nfor j in (lambda a: a + n, lambda a: a * k):\n    x = x * 10 + j(2)",
    "x = 1\ndef step(a):\n    b = a * x\n    return b + 1\nfor j in range(n):\n    x = step(j)",
    "x = 0\nfor j in range(n):\n    def g(a):\n        return a * j\n    x = x + g(k)",
    "def g(a):\n    def h(b):\n        return a * b + n\n    return h(k) + h(1)\nx = g(5)",
    "def g(a):\n    if a > 3:\n        return a\n    for j in range(9):\n        if j * a > n:\n"
    "            return j\n    return -1\nx = g(n) * 100 + g(k) * 10 + g(0)",
    "a, b = both(n)\nx = both(a)[1] * 10 + b",
    "x = apply(max, n, k) + apply(min, n, k)",
]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(("n", "k"), [(5, 2), (2, 0)])
def test_calls_give_what_python_gives(run_kernel, body, n, k):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    found = np.zeros(8, np.int32)
    text = f"{HELPERS}{KERNEL}{lines}    store(A, 0, full(8, x))\n"
    run_kernel(text, {"A": found}, {"n": n, "k": k})
    names = {}
    exec(f"{HELPERS}def f(n, k):\n{lines}    return x\n", names)
    assert found[0] == names["f"](n, k)


def test_a_nested_function_may_use_the_decorator_and_tiles(frontend):
    program = frontend.kernel(
        "@function\ndef scaled(t):\n    return t * alpha\nx = scaled(zeros((4, 4))) + 1"
    )
    assert [op.name for op in program.body.operations][-2:] == ["constant", "addf"]


@pytest.mark.parametrize(
    "function",
    ["lambda a, b: maximum(a, b)", "lambda a, b, c=1: maximum(a, b) * c", "choose(1)", "maximum"],
)
def test_a_reduction_takes_functions_with_compile_time_values(frontend, function):
    program = frontend.kernel(
        "def choose(n):\n    return lambda a, b: maximum(a, b) * n\n"
        f"x = reduce(zeros((4, 8)), 1, {function}, -inf)"
    )
    op = program.body.operations[-1]
    assert (op.name, op.results[0].type.shape) == ("reduce", (4,))
    assert "maxf" in [item.name for item in op.regions[0].operations]


@pytest.mark.parametrize(
    ("body", "code", "line", "part"),
    [
        ("def g(a):\n    return g(a)\nx = g(n)", "T0207", 2, "'g' calls itself"),
        ("g = lambda a: h(a)\nh = lambda a: g(a)\nx = g(n)", "T0207", 2, "calls are nested"),
        (
            "y = 1\ndef g(a):\n    b = y\n    y = 2\n    return b\nx = g(n)",
            "T0202",
            3,
            "'y' is read before 'g' assigns it",
        ),
        ("g = lambda a: a\nx = g()", "T0310", 2, "'lambda': argument 'a' is missing"),
        ("x = (lambda a: a + unknown)(3)", "T0201", 1, "unknown name 'unknown'"),
        (
            "v = make_partition_view(A, (4, 4))\ng = lambda i: load(v, (i, 0))\n"
            "for i in range(n):\n    x = g(i)\n    v = make_partition_view(A, (4, 4))",
            "T0308",
            5,
            "'v' is a view of the array 'A' and cannot change in a loop",
        ),
        (
            "if n > 3:\n    g = lambda a: a\nelse:\n    g = lambda a: a + 1\nx = g(1)",
            "T0309",
            5,
            "'g' differs between the branches of the 'if'",
        ),
        (
            "x = reduce(zeros((4, 4)), 1, lambda a, b: a + b * alpha, 0)",
            "T0318",
            1,
            "the function uses a run-time value from outside of it",
        ),
        (
            "def g(a, b):\n    return a + b if a > b else b\nx = scan(zeros((4, 4)), 1, g, 0)",
            "T0318",
            2,
            "may not hold a loop or a branch at run time",
        ),
        (
            "def g(a, b):\n    assert a > b\n    return a\nx = reduce(zeros((4, 4)), 1, g, 0)",
            "T0318",
            2,
            "the function may not assert at run time",
        ),
        (
            "def g(a, b):\n    print(a)\n    return a\nx = reduce(zeros((4, 4)), 1, g, 0)",
            "T0318",
            2,
            "the function may not print at run time",
        ),
        (
            "def g(a, b):\n    return reduce(zeros((4, 4)), 1, g, 0)\n"
            "x = reduce(zeros((4, 4)), 1, g, 0)",
            "T0207",
            2,
            "'g' calls itself",
        ),
        (
            "x = reduce(zeros((4, 4)), 1, lambda a, b, c: a, 0)",
            "T0310",
            1,
            "expected a helper with 2 parameters, found 'lambda' with 3",
        ),
        (
            "x = scan((zeros((4, 4)), zeros((4, 4))), 1, lambda a, b, c: (a, b), (0, 0))",
            "T0310",
            1,
            "expected a helper with 4 parameters, or 2 that take tuples, found 'lambda' with 3",
        ),
        ("x = lambda: 3\ny = x + 1", "T0311", 2, "the function 'lambda'"),
    ],
)
def test_mistake(frontend, body, code, line, part):
    found = frontend.error(body)
    assert found[:2] == (code, line)
    assert part in found[2]
