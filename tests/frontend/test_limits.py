"""Limits of a source: each one ends with a message that names it, in little time and memory."""

import pytest

from tilec.frontend.semantics import context as context_module
from tilec.frontend.syntax import limits
from tilec.request.specialization import Specialization


def chain(first, step, count=40):
    """Return module constants that mention each other: C0, C1, ..., `count`."""
    lines = [f"C0 = {first}"]
    lines.extend(f"C{n + 1} = {step.format(n=n)}" for n in range(count))
    return "\n".join(lines) + "\n"


HELPERS = (
    "".join(f"def h{n}(x):\n    y = h{n + 1}(x)\n    return h{n + 1}(y)\n" for n in range(24))
    + "def h24(x):\n    return x\n"
)
LONG_INTEGER = "0x" + "f" * 100


@pytest.mark.parametrize(
    ("body", "header", "code", "part"),
    [
        ("t = (1, 2)\n" + "t = t + t\n" * 40, "", "T0212", "the limit is 4096"),
        ("t = (1, 2)\n" + "t = (t, t)\n" * 40, "", "T0212", "the limit is 4096"),
        ("t = C40", chain("(1,)", "C{n} + C{n}"), "T0212", "the limit is 4096"),
        ("t = C40", chain("(1,)", "(C{n}, C{n})"), "T0212", "the limit is 4096"),
        ("y = h0(alpha)", HELPERS, "T0211", "more than 10000 inlined calls"),
        ("x = zeros((16777216,))", "", "T0304", "the limit is 1048576"),
        (
            "x = full((1048576,), alpha)\n" + "x = x * alpha\n" * 30,
            "",
            "T0211",
            "in straight-line code; the limit is 16777216",
        ),
        ("x = 1 << 1000000000", "", "T0403", "the limit is 256 bits"),
        ("x = 10 ** 10 ** 8", "", "T0403", "the limit is 256 bits"),
        ("x = 3\n" + "x = x * x\n" * 60, "", "T0403", "the limit is 256 bits"),
        ("x = -(2 ** 255) - 2 ** 255 - 2 ** 255", "", "T0403", "the limit is 256 bits"),
        (f"x = {LONG_INTEGER}", "", "T0111", "400 bits; the limit is 256"),
        ("x = 1e400", "", "T0111", "beyond the largest f64"),
        ("x = " + "(" * 5000 + "1" + ")" * 5000, "", "T0207", "more than 100 deep"),
        ("x = " + "-" * 5000 + "1", "", "T0207", "more than 100 deep"),
        (
            "x = 0\nif n == 0:\n    x = 1\n"
            + "".join(f"elif n == {n}:\n    x = {n}\n" for n in range(1, 300)),
            "",
            "T0207",
            "more than 100 deep",
        ),
    ],
)
def test_limit(frontend, body, header, code, part):
    found = frontend.diagnostics(body, header + frontend.header)
    assert [item.code for item in found] == [code]
    assert part in found[0].message
    assert found[0].span is not None


@pytest.mark.parametrize("word", ["if n > {n}:", "for i{n} in range(n):", "while n > {n}:"])
def test_blocks_are_nested_only_so_deep(frontend, word):
    lines = ["    " * n + word.format(n=n) for n in range(limits.MAX_NESTING + 10)]
    body = "\n".join([*lines, "    " * len(lines) + "pass"])
    (item,) = frontend.diagnostics(body)
    assert (item.code, item.hint is not None) == ("T0207", True)


def test_early_returns_do_not_double_what_follows(frontend):
    ways = "".join(
        f"    if n > {n}:\n        if n < {n}:\n            return {n}\n" for n in range(40)
    )
    header = f"def g(n):\n{ways}    return -1\n"
    frontend.kernel("y = g(n)", header + frontend.header)


def test_loops_that_are_analysed_again_and_again_are_bounded(frontend, monkeypatch):
    """Each loop around a variable that gets another type is analysed twice: 2^30 times in all."""
    lines = ["    " * n + f"for i{n} in range(n):" for n in range(30)]
    body = "\n".join(["x = 0", *lines, "    " * 30 + "x = x + alpha"])
    monkeypatch.setitem(context_module._LIMITS, "statements", 1000)
    assert [item.code for item in frontend.diagnostics(body)] in (["T0211"], ["T0308"])


def test_constants_that_mention_each_other_are_evaluated_once(frontend):
    header = chain("1", "C{n} + C{n}") + frontend.header.replace("64", "C40")
    program = frontend.kernel("x = C40", header)
    assert program.metadata["constants"]["BM"] == 2**40


def test_errors_end_at_their_limit(frontend):
    body = "\n".join(f"x{n} = foo{n}" for n in range(1000))
    found = frontend.diagnostics(body)
    assert len(found) == limits.MAX_ERRORS + 2
    assert "more than 100 errors" in found[-1].message


def test_source_size(frontend):
    text = frontend.header + "    x = " + "+".join(["1"] * limits.MAX_SOURCE_CHARACTERS) + "\n"
    (item,) = frontend.failure(text).diagnostics
    assert item.code == "T0210"
    assert f"the limit is {limits.MAX_SOURCE_CHARACTERS}" in item.message


def test_grid_extents_that_mention_each_other(frontend):
    lines = ["a0 = M", *[f"a{n + 1} = a{n} + a{n}" for n in range(40)], "i = grid(a40)"]
    (item,) = frontend.diagnostics("\n".join(lines))
    assert (item.code, "limit" in item.message) == ("T0316", True)
    lines = ["a0 = 1", *[f"a{n + 1} = a{n} + a{n}" for n in range(40)], "i = grid(a40 // a30)"]
    assert frontend.kernel("\n".join(lines)).metadata["grid"] == ["1024"]


def test_straight_line_code_is_linear(frontend, context):
    """Assignments and the terms of a sum may be many, although each is an operand of the next."""
    from tilec.frontend.emit.module import emit_module

    text = frontend.header + "    x = alpha\n" + "    x = x + 1.5\n" * 3000
    text += "    y = " + " + ".join(["x"] * 3000) + "\n"
    module = emit_module(frontend.parse(text), None, Specialization(), context)
    assert len(list(module.body.operations)) == 1


def test_long_lines_are_shown_around_their_place(frontend):
    failure = frontend.failure(frontend.header + "    x = " + "1 + " * 5000 + "foo + 1\n")
    shown = str(failure).split("\n")
    assert max(map(len, shown)) < 300
    assert shown[1].strip()[shown[2].strip(" ").count(" ") :].count("foo") == 1
    assert shown[1][shown[2].index("^") :].startswith("foo")
