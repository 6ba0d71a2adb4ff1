"""Names, attributes, calls and helper functions."""

import pytest


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = lod(A, 0)", ("T0201", 1, "unknown name 'lod'")),
        ("x = alpha.foo", ("T0206", 1, "a scalar of f32 has no attribute 'foo'")),
        ("x = tl.foo", ("T0206", 1, "'tl' has no 'foo' that a kernel can use")),
        ("x = f(1)", ("T0209", 1, "'f' is a kernel and cannot be called from a kernel")),
        ("x = 3(4)", ("T0209", 1, "the constant 3 cannot be called")),
        ("x = A(3)", ("T0209", 1, "the array 'A' cannot be called")),
        ("x = A[0:2]", ("T0311", 1, "an array is indexed with one integer per axis")),
        ("x = A[0, :]", ("T0311", 1, "an array is indexed with one integer per axis")),
        ("x = A[0]", ("T0301", 1, "A[...]: 'A' has 2 axes, but the index has 1")),
        ("x = alpha[0]", ("T0311", 1, "a scalar of f32 cannot be indexed")),
        ("x = A.shape[2]", ("T0301", 1, "index 2 is outside a tuple of 2")),
        (
            "x = A.shape[n]",
            (
                "T0403",
                1,
                "the index of a tuple must be a compile-time integer, found a scalar of i32",
            ),
        ),
        ("x = zeros()", ("T0310", 1, "zeros: argument 'shape' is missing")),
        ("x = zeros(4, f32, 3)", ("T0310", 1, "zeros: takes 2 arguments, found 3")),
        ("x = zeros(4, shape=4)", ("T0310", 1, "zeros: argument 'shape' is given twice")),
        ("x = zeros(4, dtyp=f32)", ("T0310", 1, "zeros: there is no argument 'dtyp'")),
        ("x, y = (1, 2, 3)", ("T0314", 1, "cannot unpack a tuple of 3 into 2 names")),
        ("x, y = alpha", ("T0314", 1, "cannot unpack a scalar of f32 into 2 names")),
        ("x = store(C, (0, 0), zeros((4, 4)))", ("T0311", 1, "this call has no result to assign")),
        ("alpha + 1", ("T0320", 1, "this expression has no effect")),
        ("x = print(3)", ("T0311", 1, "this call has no result to assign")),
        ("assert BM > 64, 'too small'", ("T0402", 1, "assertion failed: too small")),
        ("x = f32(1, 2)", ("T0310", 1, "f32: a type is called with one value")),
    ],
)
def test_mistake(frontend, body, expected):
    assert frontend.error(body) == expected


def test_suggests_the_closest_name(frontend):
    (item,) = frontend.diagnostics("x = lod(A, 0)")
    assert item.hint == "did you mean 'load'?"
    (item,) = frontend.diagnostics("tile = 1\nx = tyle + 1")
    assert item.hint == "did you mean 'tile'?"


def test_one_mistake_does_not_hide_the_next_nor_repeat(frontend):
    body = "x = foo\ny = x + 1\nz = y * 2\nw = bar\nfor i in range(x):\n    w = w + 1\nv = w"
    assert [item[:2] for item in frontend.errors(body)] == [("T0201", 1), ("T0201", 4)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "assert alpha",
            ("T0312", 1, "a condition must be a bool or an integer, found a scalar of f32"),
        ),
        (
            "assert zeros((4, 4))",
            ("T0312", 1, "a condition on a tile must be a tile of bool, found a 4x4 tile of f32"),
        ),
        (
            "assert n > 3, n",
            (
                "T0403",
                1,
                "the message of an assertion is a compile-time value, found a scalar of i32",
            ),
        ),
        ("assert (n > 3, 'n')", ("T0312", 1, "an assertion on a tuple is always true")),
        ("assert_(BM > 64, 'BM')", ("T0402", 1, "assertion failed: BM")),
    ],
)
def test_mistakes_of_assertions(frontend, body, expected):
    assert frontend.error(body) == expected


def test_an_assertion_at_run_time_is_an_operation(frontend):
    program = frontend.kernel("assert n > 3, 'n'\nassert_(zeros((4, 4)) > alpha)")
    found = [op for op in program.body.operations if op.name == "assert"]
    assert [op.attributes["message"] for op in found] == ["n", ""]


def test_helper_is_inlined(frontend):
    header = (
        "SCALE = 2\n@function\ndef twice(x, by=SCALE, *, plus):\n"
        "    'Docs.'\n    if by > 1:\n        return x * by, plus\n    return x\n" + frontend.header
    )
    program = frontend.kernel("y, z = twice(alpha, plus=n)", header)
    assert [op.name for op in program.body.operations[5:]] == ["constant", "mulf"]


@pytest.mark.parametrize(
    ("call", "part"),
    [
        ("g(1)", "argument 'b' is missing"),
        ("g(1, 2, 3)", "takes 2 arguments, found 3"),
        ("g(1, c=2)", "has no parameter 'c'"),
        ("g(1, 2, a=3)", "'a' is given twice"),
    ],
)
def test_helper_arguments(frontend, call, part):
    header = "@function\ndef g(a, b):\n    return a\n" + frontend.header
    code, _, message = frontend.error(f"x = {call}", header)
    assert code == "T0310"
    assert part in message


def test_error_in_a_helper_names_the_callers(frontend):
    header = (
        "@function\ndef g(x):\n    return h(x)\n"
        "@function\ndef h(x):\n    return x + zeros((32, 32))\n" + frontend.header
    )
    failure = frontend.failure(
        header + "    a = load(A, (0, 0), (64, 64))\n    b = g(a)\n    c = b + 1\n"
    )
    (item,) = failure.diagnostics
    assert (item.code, item.span.line) == ("T0305", 6)
    assert [(note.message, note.span.line) for note in item.notes[2:]] == [
        ("'h' is called from here", 3),
        ("'g' is called from here", 10),
    ]


def test_recursion_is_found(frontend):
    header = (
        "@function\ndef g(x):\n    return h(x)\n@function\ndef h(x):\n    return g(x)\n"
        + frontend.header
    )
    code, _, message = frontend.error("x = g(1)", header)
    assert (code, message) == ("T0207", "'g' calls itself")


def test_names_outside_the_function(frontend):
    header = (
        "import tilec.language as tl\nimport math\nfrom tilec import load as ld, exp\n"
        "SIZE = 4 * 16\nACC = f32\nPAIR = (SIZE, 2)\n" + frontend.header
    )
    program = frontend.kernel(
        "x = tl.zeros((SIZE, PAIR[1]), ACC) * math.pi\ny = exp(ld(A, (0, 0), (4, 4)))", header
    )
    assert program.body.operations[-1].name == "exp"


def test_module_constant_that_is_no_constant(frontend):
    header = "BAD = zeros((4, 4))\n" + frontend.header
    assert frontend.error("x = BAD", header)[0] == "T0403"


def test_local_names_hide_builtins(frontend):
    assert frontend.error("load = 3\nx = load(A, (0, 0), (4, 4))")[0] == "T0209"


def test_unknown_kernel_and_choice(frontend):
    text = "@kernel\ndef one(n: i32):\n    pass\n@kernel\ndef two(n: i32):\n    pass\n"
    assert frontend.analyze(text, "two").name == "two"
    (item,) = frontend.failure(text, "tow").diagnostics
    assert (item.code, item.hint) == (
        "T0006",
        "did you mean 'two'? it defines: one, two",
    )
    assert frontend.failure(text).diagnostics[0].code == "T0006"
