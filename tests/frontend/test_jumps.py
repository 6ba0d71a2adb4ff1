"""`break`, `continue` and `return`: the CPU reference goes where Python goes."""

import random

import numpy as np
import pytest

from tests.frontend.test_control_flow import structured

PROGRAMS = 12
INPUTS = ((0, 3), (1, 0), (5, 2), (9, 7))
KERNEL = """
@kernel
def f(A: i32[N], n: i32, k: i32):
    i = grid(cdiv(N, 8))
    x, y = g(n, k)
    store(A, 0, full(8, x))
    store(A, 1, full(8, y))
"""


class Writer:
    """Writes a random function of two integers that always ends."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.loops = 0

    def expression(self) -> str:
        pick = self.random
        left, right = pick.choice("abcnk"), pick.choice(["a", "b", "c", "n", "2", "7"])
        return f"({left} {pick.choice('+-*')} {right}) % {pick.choice((5, 31, 97))}"

    def condition(self) -> str:
        pick = self.random
        text = f"{pick.choice('abcnk')} {pick.choice(('<', '>', '==', '!='))} {pick.randrange(8)}"
        if pick.random() < 0.2:
            text += f" {pick.choice(('and', 'or'))} {self.expression()} > 3"
        return text

    def jump(self, depth: int) -> str:
        words = ["return a, b", "return c, 3"]
        if depth:
            words += ["break", "continue"] * 3
        return self.random.choice(words)

    def block(self, size: int, depth: int, budget: int) -> list[str]:
        lines = []
        for _ in range(size):
            lines += self.statement(depth, budget)
        if self.random.random() < 0.25 and budget < 3:
            lines.append(self.jump(depth))
        return lines

    def statement(self, depth: int, budget: int) -> list[str]:
        pick = self.random
        kind = pick.randrange(8) if budget else 0
        if kind < 3:
            return [f"{pick.choice('abc')} = {self.expression()}"]
        if kind < 5:
            lines = [f"if {self.condition()}:", *self.inside(1, depth, budget)]
            if pick.random() < 0.5:
                lines += ["else:", *self.inside(1, depth, budget)]
            return lines
        self.loops += 1
        count = f"i{self.loops}"
        if kind == 5:
            header = f"for {count} in range({pick.choice(('n', 'k', '4', '1, 9, 3', 'n, 9, k'))}):"
            return [header, f"    a = (a + {count}) % 97", *self.inside(2, depth + 1, budget)]
        if kind == 6:
            items = pick.choice(("static_range(3)", "static_range(4, 0, -2)", "(n, 5, k, a)"))
            return [f"for {count} in {items}:", *self.inside(2, depth + 1, budget)]
        header = f"while {count} < {pick.randrange(1, 6)}:"
        if pick.random() < 0.4:
            header = "while True:"
        step = [f"    {count} += 1", f"    if {count} > 6:", "        break"]
        return [f"{count} = 0", header, *step, *self.inside(2, depth + 1, budget)]

    def inside(self, size: int, depth: int, budget: int) -> list[str]:
        return ["    " + line for line in self.block(size, depth, budget - 1)]

    def function(self) -> str:
        lines = ["a = n", "b = k", "c = 1", *self.block(3, 0, 3), "return a, c"]
        return "\n".join(["def g(n, k):", *("    " + line for line in lines)]) + "\n"


def in_python(text, n, k):
    """Return what Python computes; a `range` that the language would not take has no rounds."""

    def counted(*bounds):
        return range(*bounds) if len(bounds) < 3 or bounds[2] > 0 else range(0)

    names = {"range": counted, "static_range": range}
    exec(text, names)
    return names["g"](n, k)


@pytest.mark.parametrize("batch", range(4))
def test_random_function_gives_what_python_gives(run_kernel, batch):
    for seed in range(batch * PROGRAMS, (batch + 1) * PROGRAMS):
        text = Writer(seed).function()
        for n, k in INPUTS:
            found = np.zeros(16, np.int32)
            run_kernel(text + KERNEL, {"A": found}, {"n": n, "k": k})
            assert (found[0], found[8]) == in_python(text, n, k), f"{seed}: n={n}, k={k}\n{text}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for i in range(n):\n    if i > 3:\n        continue\n    x = i", ["for"]),
        ("for i in range(n):\n    x = alpha", ["for"]),
        ("for i in range(n):\n    if i > 3:\n        break", ["while"]),
        ("for i in range(n):\n    if i > 3:\n        return", ["while"]),
        ("for i in range(n):\n    if BM > 100:\n        break", ["while"]),
    ],
)
def test_only_a_loop_that_may_end_early_becomes_a_while(frontend, body, expected):
    assert structured(frontend.kernel(body).body) == expected


def test_a_value_is_there_after_a_branch_that_jumps(frontend):
    frontend.kernel(
        "for i in range(n):\n    if i > 3:\n        if i > 5:\n            continue\n"
        "        t = zeros((4, 4))\n    else:\n        t = ones((4, 4))\n    u = t + 1"
    )


def test_a_value_of_one_branch_is_not_there_after_both(frontend):
    body = "for i in range(n):\n    if i > 3:\n        t = alpha\n    elif i > 5:\n        pass\n"
    code, line, _ = frontend.error(body + "    else:\n        continue\n    u = t")
    assert (code, line) == ("T0202", 8)


def test_a_variable_that_changes_its_type_before_a_break(frontend):
    body = "x = alpha\nfor i in range(n):\n    if i > 3:\n        x = f64(1)\n        break\ny = x"
    code, line, message = frontend.error(body)
    assert (code, line) == ("T0308", 6)
    assert "a scalar of f64 and a scalar of f32" in message


def test_a_return_in_a_branch_that_is_left_out(run_kernel):
    text = (
        "def g(n, k):\n    for i in range(n):\n        if k > 0:\n            if False:\n"
        "                return n, k\n    return 3, 4\n"
    )
    found = np.zeros(16, np.int32)
    run_kernel(text + KERNEL, {"A": found}, {"n": 5, "k": 2})
    assert (found[0], found[8]) == (3, 4)


def test_a_loop_that_only_returns_ends_the_function(frontend):
    header = "def g(n):\n    while True:\n        n += 1\n        if n > 7:\n            return n\n"
    frontend.kernel("y = g(n)\nz = y + 1", header + frontend.header)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            "for i in range(x):\n    if i > 3:\n        return i",
            "'g' returns different kinds of values: a scalar of i32 and no value",
        ),
        (
            "for i in range(x):\n    if i > 3:\n        return i\nreturn zeros((4, 4))",
            "'g' returns different kinds of values: a scalar of i32 and a 4x4 tile of f32",
        ),
        (
            "for i in range(x):\n    if i > 3:\n        return make_partition_view(B, (4, 4))\n"
            "return x",
            "a 'return' that depends on a run-time condition gives numbers, tiles and tuples of"
            " them, found a view of the array 'A'",
        ),
    ],
)
def test_mistakes_of_returns(frontend, lines, message):
    text = "".join(f"    {line}\n" for line in lines.split("\n"))
    found = frontend.errors("y = g(n, A)\nz = y", f"def g(x, B):\n{text}" + frontend.header)
    assert [(item[0], item[2]) for item in found] == [("T0317", message)]
