"""Branches and loops: what variables are after them, and what cannot be."""

import pytest

from tilec.frontend.semantics import hir


def structured(block: hir.Block) -> list[str]:
    return [op.name for op in block.operations if op.name in ("if", "for", "while")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "if n > 3:\n    y = 1.0\nx = y",
            ("T0202", 3, "'y' may have no value here: only one branch of the 'if' assigns it"),
        ),
        (
            "if n > 3:\n    y = alpha\nelse:\n    y = A\nx = y",
            (
                "T0309",
                5,
                "'y' differs between the branches of the 'if': a scalar of f32 and the array 'A'",
            ),
        ),
        (
            "for i in range(3):\n    y = alpha\nx = y",
            ("T0202", 3, "'y' has no value after the loop: only the loop's body assigns it"),
        ),
        (
            "for i in range(3):\n    pass\nx = i",
            ("T0202", 3, "'i' has no value after the loop: only the loop's body assigns it"),
        ),
        (
            "x = alpha\nfor i in range(3):\n    x = f64(x) + 1",
            (
                "T0308",
                3,
                "'x' changes its type in the loop: it is a scalar of f32 "
                "before the loop but a scalar of f64 at its end",
            ),
        ),
        (
            "x = 0\nfor i in range(3):\n    x = x + zeros((4, 4))",
            (
                "T0308",
                3,
                "'x' changes its type in the loop: it is the constant 0 "
                "before the loop but a 4x4 tile of f32 at its end",
            ),
        ),
        (
            "v = make_partition_view(A, (4, 4))\n"
            "for i in range(3):\n"
            "    x = load(v, (i, 0))\n"
            "    v = make_partition_view(A, (8, 8))",
            ("T0308", 4, "'v' is a view of the array 'A' and cannot change in a loop"),
        ),
        (
            "if alpha:\n    pass",
            ("T0312", 1, "a condition must be a bool or an integer, found a scalar of f32"),
        ),
        (
            "while True:\n    pass",
            ("T0317", 1, "this loop never ends: its condition is always true"),
        ),
        ("return 3", ("T0317", 1, "a kernel returns no value")),
        ("break", ("T0317", 1, "'break' outside a loop")),
        ("continue", ("T0317", 1, "'continue' outside a loop")),
        ("for i in range(3):\n    return 4", ("T0317", 2, "a kernel returns no value")),
        (
            "while True:\n    if n > 2:\n        continue",
            ("T0317", 1, "this loop never ends: its condition is always true"),
        ),
        (
            "while True:\n    for i in range(n):\n        break",
            ("T0317", 1, "this loop never ends: its condition is always true"),
        ),
        (
            "for i in range(9, 0, -1):\n    pass",
            ("T0318", 1, "range: the step must be positive, found -1"),
        ),
        (
            "for i in range(1.5):\n    pass",
            ("T0319", 1, "range: bounds are integer scalars, found the constant 1.5"),
        ),
        ("for i in range(i64(n)):\n    pass", ("T0319", 1, "range: bounds are i32, found i64")),
        (
            "for i in range():\n    pass",
            ("T0310", 1, "range: takes one to three arguments, found 0"),
        ),
        ("for i, j in range(3):\n    pass", ("T0314", 1, "a loop over 'range' has one variable")),
        ("x = range(3)", ("T0318", 1, "range: only allowed in 'for ... in range(...)'")),
        (
            "@kernel\ndef g():\n    pass",
            ("T0318", 2, "a kernel cannot be defined inside a function"),
        ),
        (
            "x = alpha if n > 3 else zeros((4, 4))",
            ("T0309", 1, "the two results differ: a scalar of f32 and a 4x4 tile of f32"),
        ),
    ],
)
def test_mistake(frontend, body, expected):
    assert frontend.error(body) == expected


def test_a_variable_that_changes_its_type_is_reported_once(frontend):
    """Whatever follows the loop may expect either type."""
    body = "x = alpha\nfor i in range(3):\n    x = f64(x) + 1\ny = zeros((4, 4), f16) + x"
    assert [item.code for item in frontend.diagnostics(body)] == ["T0308"]


def test_a_variable_that_is_not_read_afterwards_may_differ(frontend):
    frontend.kernel("if n > 3:\n    y = alpha\nelse:\n    y = zeros((4, 4))\ny = 3")
    frontend.kernel(
        "v = make_partition_view(A, (4, 4))\nfor i in range(3):\n    v = 1.0\n    x = v"
    )


def test_constant_condition_takes_one_branch_only(frontend):
    program = frontend.kernel("if BM > 32:\n    x = alpha\nelse:\n    x = unknown_name\ny = x + 1")
    assert structured(program.body) == []


def test_equal_constants_stay_constants(frontend):
    frontend.kernel(
        "if n > 3:\n    s = 8\n    y = 1\nelse:\n    s = 8\n    y = 2\nx = zeros((s, 4))"
    )


def test_branches_meet_in_the_wider_number(frontend):
    program = frontend.kernel("if n > 3:\n    y = 1\nelse:\n    y = 2.5\nx = y * alpha")
    (branch,) = [op for op in program.body.operations if op.name == "if"]
    assert [str(item.type) for item in branch.results] == ["f32"]


def test_tuples_pass_through_branches(frontend):
    program = frontend.kernel("if n > 3:\n    y = (1, alpha)\nelse:\n    y = (n, 2)\na, b = y")
    (branch,) = [op for op in program.body.operations if op.name == "if"]
    assert [str(item.type) for item in branch.results] == ["i32", "f32"]


def test_loop_carries_only_what_it_changes(frontend):
    program = frontend.kernel(
        "x = alpha\ny = (0, 1.0)\nz = 3\nfor i in range(n):\n    x = x + z\n"
        "    y = (y[0] + i, y[1] * 2)\nw = x + y[1]"
    )
    (loop,) = [op for op in program.body.operations if op.name == "for"]
    assert [str(item.type) for item in loop.results] == ["f32", "i32", "f32"]
    assert len(loop.regions[0].arguments) == 4


def test_number_takes_the_type_that_the_loop_gives_it(frontend):
    program = frontend.kernel("x = 0\nfor i in range(n):\n    x = x + alpha\ny = x")
    (loop,) = [op for op in program.body.operations if op.name == "for"]
    assert [str(item.type) for item in loop.results] == ["f32"]


def test_hint_shows_how_to_start_a_tile(frontend):
    (item,) = frontend.diagnostics("x = 0.0\nfor i in range(n):\n    x = x + zeros((4, 8))")
    assert item.hint == "start with 'full((4, 8), 0.0, f32)'"


def test_loop_variable_of_a_count_is_non_negative(frontend):
    program = frontend.kernel("x = 0\nfor i in range(n):\n    x = x + i // 2")
    (loop,) = [op for op in program.body.operations if op.name == "for"]
    assert [op.name for op in loop.regions[0].operations] == ["constant", "divi", "addi"]


def test_while_carries_the_condition_variables(frontend):
    program = frontend.kernel("i = 0\nx = alpha\nwhile i < n:\n    x = x * 2\n    i += 1\ny = x")
    (loop,) = [op for op in program.body.operations if op.name == "while"]
    assert sorted(str(item.type) for item in loop.results) == ["f32", "i32"]
    assert str(loop.regions[0].yields[0].type) == "bool"


def test_early_return_moves_the_rest_into_the_other_branch(frontend):
    program = frontend.kernel("if n > 3:\n    return\nx = alpha + 1\ny = x * 2")
    (branch,) = [op for op in program.body.operations if op.name == "if"]
    assert branch.regions[0].operations == []
    assert branch.results == ()
    assert [op.name for op in branch.regions[1].operations] == [
        "constant",
        "addf",
        "constant",
        "mulf",
    ]


def test_statements_after_a_return_are_not_run(frontend):
    frontend.kernel("return\nx = unknown_name")


def test_helper_with_early_returns(frontend):
    header = (
        "@function\ndef g(x, k):\n    if k > 2:\n        return x * k, 1\n"
        "    elif k < 0:\n        return x, 2\n    y = x + 1\n    return y, k\n" + frontend.header
    )
    program = frontend.kernel("a, b = g(alpha, n)\nc = a + b", header)
    assert structured(program.body) == ["if"]


def test_helper_whose_returns_differ(frontend):
    header = "@function\ndef g(x):\n    if n0 > 2:\n        return x\n" + frontend.header
    header = header.replace("n0", "x")
    found = frontend.errors("a = g(n)\nb = a", header)
    assert [item[0] for item in found] == ["T0317"]


def test_and_or_do_not_run_what_python_would_skip(frontend):
    program = frontend.kernel("c = n != 0 and M // n > 3")
    assert structured(program.body) == ["if"]
    program = frontend.kernel("c = n > 0 and n < 10 or alpha > 2.0")
    assert structured(program.body) == []


GRID = "m, k = grid(cdiv(M, 64), cdiv(K, 64))\n"


@pytest.mark.parametrize(
    ("body", "line", "part"),
    [
        ("x = load(A, (0, 0), (4, 4))\n" + GRID, 2, "must come first"),
        ("if n > 3:\n    " + GRID, 2, "must be a statement of the kernel itself"),
        (GRID + "p = grid(3)", 2, "a kernel has one grid"),
        ("m = grid(alpha)", 1, "cannot be computed before the launch"),
        ("m = grid(cdiv(n))", 1, "cannot be computed before the launch"),
        ("m = grid(next_power_of_2(n))", 1, "cannot be computed before the launch"),
        ("m = grid(sum(load(A, (0, 0), (4, 4))))", 1, "cannot be computed before the launch"),
        ("m = grid(block_id(0))", 1, "cannot be computed before the launch"),
        ("m = grid(cdiv(n, 2.5))", 1, "from integers, found the constant 2.5"),
        ("m = grid(1, 2, 3, 4)", 1, "one to three extents, found 4"),
        ("m = grid(BM - 64)", 1, "an extent must be positive, found 0"),
        ("x = grid(3) + 1", 1, "not allowed here"),
    ],
)
def test_grid_mistakes(frontend, body, line, part):
    code, found, message = frontend.errors(body)[0]
    assert (code, found) == ("T0316", line)
    assert part in message


def test_grid_in_a_helper(frontend):
    header = "@function\ndef g():\n    m = grid(3)\n    return m\n" + frontend.header
    assert frontend.error("x = g()", header)[0] == "T0316"


def test_grid_unpacks(frontend):
    assert frontend.error("m, k = grid(3)")[0] == "T0314"
    frontend.kernel("m, = grid(3)\nx = m + 1")
    frontend.kernel("m = grid(3)\nx = m + 1")
