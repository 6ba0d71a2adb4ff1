"""Annotations of variables and parameters: what they say holds, or is refused."""

import pytest


@pytest.mark.parametrize(
    ("body", "line", "part"),
    [
        ("y: i32 = 2.5", 1, "'y' is annotated i32 but is the constant 2.5"),
        ("z = i32(2)\nw: f16 = z", 2, "'w' is annotated f16 but is a scalar of i32"),
        ("y: bf16 = zeros((4, 8))", 1, "'y' is annotated bf16 but is a 4x8 tile of f32"),
        ("y: f32[4, 4] = zeros((4, 8))", 1, "annotated f32[4, 4] but is a 4x8 tile of f32"),
        ("y: f32[n] = zeros((4, 8))", 1, "the extents of a tile are compile-time integers"),
        ("y: const = alpha", 1, "'y' is annotated 'const' but is a scalar of f32"),
        ("y: int = 2.0", 1, "'y' is annotated 'int' but is the constant 2.0"),
        ("y: float = alpha", 1, "'y' is annotated 'float' but is a scalar of f32"),
        ("y: dtype = 3", 1, "'y' is annotated 'dtype' but is the constant 3"),
        ("y: f32 = (1, 2)", 1, "'y' is annotated f32 but is a tuple of 2"),
        ("y: f32 = f32", 1, "'y' is annotated f32 but is the type f32"),
        ("y: n = 3", 1, "an annotation names an element type, not a scalar of i32"),
    ],
)
def test_an_annotation_that_does_not_hold(frontend, body, line, part):
    code, found, message = frontend.error(body)
    assert (code, found) == ("T0321", line)
    assert part in message


@pytest.mark.parametrize(("number", "dtype"), [("300", "u8"), ("70000", "f16"), ("-1", "u32")])
def test_a_number_that_the_type_cannot_hold(frontend, number, dtype):
    assert frontend.error(f"y: {dtype} = {number}")[0] == "T0306"


def test_an_unknown_type(frontend):
    assert frontend.error("y: foo = 3")[0] == "T0201"


def test_a_number_becomes_a_scalar_of_the_type(frontend):
    program = frontend.kernel(
        "y: f16 = 2\nz = y * load(H, (0, 0), (4, 4))\nw: f64 = 1\nv = w + 1.5"
    )
    types = [str(op.results[0].type) for op in program.body.operations if op.results]
    assert "f16" in types
    assert types[-1] == "f64"


def test_what_holds_says_nothing(frontend):
    body = (
        "T = f32\na: T = alpha\nb: f32 = zeros((4, 8))\nc: tl.f32[4, BM] = zeros((4, 64))\n"
        "d: const = 4\ne: int = 4\nf: float = 4.0\ng: dtype = f32\nx = zeros((d, e))"
    )
    assert frontend.kernel(body).name == "f"


@pytest.mark.parametrize(
    ("parameter", "argument", "code"),
    [
        ("x: i32", "2.5", "T0321"),
        ("x: f32", "n", "T0321"),
        ("x: const", "n", "T0321"),
        ("x: u8", "300", "T0306"),
        ("x: f32", "2", None),
        ("x: f32", "alpha", None),
        ("x: const", "2", None),
        ("x: Tile", "n", None),
    ],
)
def test_parameters_of_helpers(frontend, parameter, argument, code):
    header = f"def g({parameter}):\n    return x\n" + frontend.header
    if code is None:
        frontend.kernel(f"y = g({argument})", header)
    else:
        assert frontend.error(f"y = g({argument})", header)[0] == code


def test_module_constants_have_no_type(frontend):
    (item,) = frontend.failure("SIZE: i32 = 2.5\n" + frontend.header + "    pass\n").diagnostics
    assert (item.code, item.hint) == ("T0321", "remove the annotation")
