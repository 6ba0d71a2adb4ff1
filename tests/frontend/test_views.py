"""Strided views and slices: what they mean, and which mistakes are found."""

import numpy as np
import pytest

from tilec.frontend.semantics.analysis import analyze_kernel
from tilec.frontend.syntax.parser import parse_source
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, SourceFile

HEAD = "@kernel\ndef f[M, N](A: f32[M, N], C: f32[M, N], s: i32, x: f32):\n    i = grid(1)\n    "


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("v = make_strided_view(A, (4, 4), (1, 0))", "steps count from 1 to 2^31 - 1, found 0"),
        ("v = make_strided_view(A, (4, 4), 1)", "'A' has 2 axes, but the list of steps has 1"),
        ("v = make_strided_view(A, (4, 4), (s, 1))", "the steps must be a compile-time integer"),
        ("v = A.slice(2, 0, s)", "axis 2 is outside an array of rank 2"),
        ("v = A.slice(0, -1)", "the bound of a slice counts from 0, found -1"),
        ("v = A.slice(0, x)", "the bound of a slice is an integer scalar, found"),
        ("v = A.slice(0, 0, 1, 2)", "takes 4 arguments, found 5"),
        ("v = slice(s, 0)", "expected an array, found"),
        ("v = load(A, (0, 0), (4, 4), latency=11)", "latency is a number from 1 to 10, found 11"),
        ("v = load(A, (0, 0), (), latency=2)", "a scalar takes no such argument"),
        ("v = load(A, (0, 0), (4, 4), pad='arrays')", "unknown padding 'arrays'"),
    ],
)
def test_mistakes(line, message):
    with pytest.raises(CompileError) as found:
        analyze_kernel(parse_source(SourceFile("t.tile", HEAD + line + "\n")), None,
                       Specialization())  # fmt: skip
    assert message in str(found.value)


def run(run_kernel, body, rows=20, columns=24, **scalars):
    """Run a kernel with `body` on numbers that count up, and return its input and its result."""
    data = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    result = np.full_like(data, -1)
    text = HEAD + body.replace("\n", "\n    ") + "\n"
    run_kernel(text, {"A": data, "C": result, "s": 0, "x": 0.0, **scalars})
    return data, result


def test_tiles_of_a_strided_view_overlap(run_kernel):
    body = "v = make_strided_view(A, (4, 8), (1, 3))\nstore(C, (0, 0), load(v, (2, 5)))"
    data, result = run(run_kernel, body)
    np.testing.assert_array_equal(result[:4, :8], data[2:6, 15:23])


@pytest.mark.parametrize(
    ("bounds", "part"),
    [
        ("0, 3, 9", np.s_[3:9]),
        ("0, 3", np.s_[3:]),
        ("0, None, s + 5", np.s_[:5]),
        ("0, s - 4, 100", np.s_[:]),
        ("0, 9, 3", np.s_[9:9]),
        ("-1, cast(s, i64) + 2, cast(7, u8)", np.s_[:, 2:7]),
    ],
)
def test_a_slice_is_a_part_of_the_array(run_kernel, bounds, part):
    body = f"a, c = A.slice({bounds}), C.slice({bounds})\n"
    body += (
        "store(c, (0, 0), load(a, (0, 0), (32, 32)) + 1.0)\nstore(c, (3, 3), zeros((8, 8), f32))"
    )
    data, result = run(run_kernel, body)
    expected = np.full_like(data, -1)
    expected[part] = data[part] + 1
    np.testing.assert_array_equal(result, expected)


def test_a_slice_has_a_shape(run_kernel):
    body = "a = A.slice(0, s + 3, 11).slice(0, 2)\nstore(C, (0, 0), a.shape[0] + a.shape[1] * 1.0)"
    _, result = run(run_kernel, body)
    assert result[0, 0] == 6 + 24


@pytest.mark.parametrize(
    ("pad", "outside"), [("", 0.0), (", pad=2.0", 2.0), (", pad='nan'", np.nan)]
)
def test_padding_begins_where_a_slice_ends(run_kernel, pad, outside):
    body = f"a = A.slice(0, 3, 9)\nstore(C, (0, 0), load(a, (1, 0), (4, 8){pad}))"
    data, result = run(run_kernel, body)
    np.testing.assert_array_equal(result[:2, :8], data[7:9, :8])
    np.testing.assert_array_equal(result[2:4, :8], outside)


def test_padding_by_the_array_goes_on_in_the_array(run_kernel):
    body = "a = A.slice(0, 3, 9).slice(1, 20, 22)\n"
    body += "store(C, (0, 0), load(a, offset=(-2, 0), shape=(16, 8), pad='array'))"
    data, result = run(run_kernel, body)
    np.testing.assert_array_equal(result[:16, :4], data[1:17, 20:24])
    np.testing.assert_array_equal(result[:16, 4:8], 0)
