"""Proven ranges of integers: `//`, `%`, `cdiv` and `range` are Python's after an overflow, too."""

import random
import re

import numpy as np
import pytest

from tilec.frontend.semantics import hir
from tilec.frontend.semantics.facts.intervals import bounds_of
from tilec.request.specialization import MAX_EXTENT
from tilec.support.dtypes import DTYPES

HIGHEST = 2**31 - 1
HEADER = "@kernel\ndef f[M, N](C: i32[M], x: i32, y: i32, z: i32, D: i32[N]):\n    i = grid(1)\n"


def wrapped(value):
    return (int(value) + 2**31) % 2**32 - 2**31


def scalar(run_kernel, expression, x=0, y=0, z=0, size=8):
    """Return an i32 expression of scalars, computed on the CPU reference."""
    out = np.zeros(size, np.int32)
    text = HEADER + f"    store(C, 0, full({size}, {expression}, i32))\n"
    run_kernel(text, {"C": out, "D": np.zeros(4, np.int32)}, {"x": x, "y": y, "z": z})
    return out


def test_products_of_counts_wrap_and_are_rounded_down(run_kernel):
    out = np.zeros(8, np.int32)
    text = HEADER + "    store(C, 0, (arange(8) + 1) * 1103515245 % 7)\n"
    run_kernel(text, {"C": out, "D": np.zeros(4, np.int32)}, {"x": 0, "y": 0, "z": 0})
    assert out.tolist() == [wrapped((n + 1) * 1103515245) % 7 for n in range(8)]


def test_cdiv_by_a_large_divisor(run_kernel):
    assert scalar(run_kernel, f"cdiv(M, {HIGHEST})")[0] == 1
    assert scalar(run_kernel, f"cdiv(M + N, {HIGHEST})")[0] == 1


@pytest.mark.parametrize("operator", ["//", "%"])
@pytest.mark.parametrize("value", [-(2**31), -7, 0, 2**31 - 1])
def test_division_by_minus_one_wraps(run_kernel, operator, value):
    want = wrapped(value // -1) if operator == "//" else 0
    assert scalar(run_kernel, f"x {operator} -1", x=value)[0] == want
    assert scalar(run_kernel, "cdiv(x, -1)", x=value)[0] == wrapped(-value)


def test_cheap_forms_are_kept_where_they_are_proven(frontend):
    body = (
        "m, k = grid(cdiv(M, 64), cdiv(K, 64))\na = m // 8\nb = m * 64 % 32\nc = cdiv(K, 64)\n"
        "d = arange(8) // 3\nfor i in range(cdiv(K, 64)):\n    e = i * 64 // 8\n"
    )
    names = []
    pending = [frontend.kernel(body).body]
    while pending:
        for op in pending.pop().operations:
            names.append(op.name)
            pending.extend(op.regions)
    assert "select" not in names
    assert names.count("divi") + names.count("remi") >= 5


@pytest.mark.parametrize(
    "body",
    ["a = (M + N) // 8", "a = M * N % 7", "a = abs(n) // 2", "a = (arange(8) * n) // 3"],
)
def test_other_forms_are_checked(frontend, body):
    assert "select" in [op.name for op in frontend.kernel(body).body.operations]


def test_an_extent_and_that_of_a_tile_fit_an_i32():
    assert MAX_EXTENT + 2**24 - 1 <= HIGHEST


# Random scalar programs against Python's integers

BINARY = ["+", "-", "*", "//", "%", "&", "|", "^", ">>", "min", "max", "cdiv"]
EDGES = [0, 1, 2, 3, 7, 64, 127, 46341, 65535, 65536, 2**30, HIGHEST - 1, HIGHEST]


class Expression:
    """A random expression of i32 scalars: its text, and its value as Python and i32 have it."""

    def __init__(self, pick, values, depth):
        if depth == 0 or pick.random() < 0.15:
            if pick.random() < 0.5:
                self.text = pick.choice(list(values))
                self.value = values[self.text]
            else:
                self.value = pick.choice(EDGES)
                self.text = str(self.value)
            return
        left, right = (Expression(pick, values, depth - 1) for _ in range(2))
        name = pick.choice(BINARY)
        if name in ("//", "%", "cdiv") and right.value == 0:
            name = "+"
        if name == ">>" and not 0 <= right.value < 32:
            name = "^"
        call = name in ("min", "max", "cdiv")
        pair = f"({left.text}), ({right.text})" if call else ""
        self.text = f"{name}({pair})" if call else f"({left.text}) {name} ({right.text})"
        self.value = wrapped(self.compute(name, left.value, right.value))

    @staticmethod
    def compute(name, left, right):
        if name == "cdiv":
            return -(-left // right)
        if name in ("min", "max"):
            return {"min": min, "max": max}[name](left, right)
        return eval(f"({left}) {name} ({right})")


@pytest.mark.parametrize("batch", range(4))
def test_random_scalars_mean_what_python_says(run_kernel, batch):
    """Leaves are run-time values or typed constants, so that every operation is one of i32."""
    for seed in range(batch * 10, batch * 10 + 10):
        pick = random.Random(seed)
        values = {"x": pick.choice(EDGES), "y": -pick.choice(EDGES), "z": pick.randrange(1, 99)}
        expressions = [Expression(pick, {**values, "M": 64, "N": 5}, 4) for _ in range(8)]
        lines = "".join(
            f"    store(C, {n}, full(8, {typed(item.text)}, i32))\n"
            for n, item in enumerate(expressions)
        )
        out = np.zeros(64, np.int32)
        arrays = {"C": out, "D": np.zeros(5, np.int32)}
        run_kernel(HEADER + lines, arrays, values)
        for n, item in enumerate(expressions):
            assert out[8 * n] == item.value, (seed, item.text, values)


def typed(text):
    """Return an expression whose numbers are i32 scalars, not numbers of the source."""
    return re.sub(r"\b(\d+)\b", r"i32(\1)", text)


def test_bounds_hold_for_random_programs(frontend):
    """No value of a random program lies outside of its proven bounds."""
    for seed in range(40):
        pick = random.Random(seed)
        values = {"n": -pick.choice(EDGES), "M": pick.choice(EDGES[:8]), "N": 64}
        item = Expression(pick, values, 4)
        program = frontend.kernel(
            f"x = i32({item.text})" if item.text.isdigit() else f"x = {typed(item.text)}"
        )
        produced = [op.results[0] for op in program.body.operations if op.results]
        last = produced[-1]
        if isinstance(last.type, hir.ScalarType) and last.type.dtype == DTYPES["i32"]:
            bounds = bounds_of(last)
            assert bounds is not None
            assert bounds[0] <= item.value <= bounds[1], (seed, item.text)


# Loops

LOOP = (
    "@kernel\ndef f[M](C: i32[M], a: i32, b: i32, s: i32):\n    i = grid(1)\n    total = 0\n"
    "    last = -1\n    for j in range({bounds}):\n        total += 1\n        last = j\n"
    "    store(C, 0, full(4, total, i32))\n    store(C, 1, full(4, last, i32))\n"
)


@pytest.mark.parametrize(
    ("bounds", "values"),
    [
        ("a, b, s", (0, 10, 3)),
        ("a, b, s", (0, 10, 0)),
        ("a, b, s", (0, 10, -3)),
        ("a, b, s", (10, 0, -1)),
        ("a, b, s", (-5, 6, 4)),
        ("a, b, s", (5, 5, 1)),
        ("a, b, s", (6, 5, 2)),
        ("a, b, s", (0, HIGHEST, 2**30)),
        ("a, b, s", (-(2**31), HIGHEST, 2**30)),
        ("a, b, 1073741824", (0, HIGHEST, 0)),
        ("a, b, 7", (HIGHEST - 20, HIGHEST, 0)),
        ("a, b", (HIGHEST - 3, HIGHEST, 0)),
        ("b", (0, -4, 0)),
    ],
)
def test_loops_count_what_python_counts(run_kernel, bounds, values):
    a, b, s = values
    step = {"a, b, s": s, "a, b, 1073741824": 2**30, "a, b, 7": 7}.get(bounds, 1)
    rounds = list(range(0 if bounds == "b" else a, b, step)) if step > 0 else []
    out = np.zeros(8, np.int32)
    run_kernel(LOOP.format(bounds=bounds), {"C": out}, {"a": a, "b": b, "s": s})
    assert out[0] == len(rounds)
    assert out[4] == (rounds[-1] if rounds else -1)


def test_a_constant_step_must_be_positive(frontend):
    for step in (0, -1):
        code, _, message = frontend.error(f"for i in range(0, 10, {step}):\n    pass")
        assert code == "T0318"
        assert f"found {step}" in message


def test_a_loop_with_a_safe_step_counts_its_variable(frontend):
    program = frontend.kernel("x = 0\nfor i in range(0, K, 64):\n    x = x + i // 64")
    (loop,) = [op for op in program.body.operations if op.name == "for"]
    assert [op.name for op in loop.regions[0].operations] == ["constant", "divi", "addi"]
