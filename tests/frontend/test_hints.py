"""What users of other libraries write, and the hint that they get."""

import pytest

from tests.frontend.conftest import HEADER


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        ("x = alpha.astype('float32')", "found the constant 'float32'", "write 'f32', without"),
        ("x = cast(alpha, 'bf16')", "found the constant 'bf16'", "write 'bf16', without quotes"),
        ("x = cast(alpha, 'torch.float16')", "'torch.float16'", "write 'f16', without quotes"),
        ("x = zeros(16, 64)", "found the constant 64", "as in 'zeros((16, 64))'"),
        ("x = reshape(zeros((4, 4)), 2, 8)", "takes 2 arguments", "write 'reshape(..., (2, 8))'"),
        ("x = zeros((4, 4)).permute(1, 0)", "takes 2 arguments", "write 'permute(..., (1, 0))'"),
        ("x = alpha.dtype == 'f32'", "cannot compare the type f32", "write 'f32', without quotes"),
        ("x = 'wide' != f32", "cannot compare the constant", "with an element type"),
        ("x = sum(zeros((4, 4)), dim=1)", "no argument 'dim'", "write 'sum(a, axis=1)'"),
        ("x = cat(zeros(4), zeros(4))", "a tuple of two or more", "write 'cat((a, b), axis)'"),
        ("x = np.sqrt(alpha)", "tilec has no module 'np'", "write 'sqrt', without 'np.'"),
        ("x = math.floor(alpha)", "tilec has no module 'math'", "write 'floor', without 'math.'"),
        ("x = zeros(4, torch.float32)", "tilec has no module 'torch'", "write 'f32'"),
        ("x = np.softmax(alpha)", "tilec has no module 'np'", "from tilec.lib import softmax"),
        ("x = np.random.rand(3)", "tilec has no module 'np'", "they need no prefix"),
        ("x = zeros(4).exp()", "has no attribute 'exp'", "it is a function: write 'exp(x)'"),
        ("x = -float('inf')", "tilec has no 'float'", "'inf' and 'nan' are names"),
        (
            "x = atomic_add(C, (0, 0), 1.0, sem='relaxed')",
            "argument 'sem'",
            "memory_order='relaxed'",
        ),
        ("x = load(A, (arange(1), 0), (4, 4))", "an integer scalar", "take 'x.item()'"),
        ("x = load(A, (arange(4), 0), (4, 4))", "an integer scalar", "use 'gather'"),
        ("for i in range(arange(1)):\n    pass", "are integer scalars", "take 'x.item()'"),
        ("a, b, c, d = grid(1, 2, 3, 4)", "one to three extents", "join axes"),
        ("x = sum(zeros((4, 4)), axis=2)", "axis 2 is outside", "it has axes 0 to 1"),
        ("x = zeros((4, 4))[0, 3]", "elements or slices", "'extract(x, 3, (1,)).item()'"),
        ("x = load(A, 0, 4)", "'A' has 2 axes, but the tile has 1", "'reshape' adds and drops"),
        ("x = gather(zeros(4), arange(4))", "expected an array", "'store' the tile to an array"),
        ("store(I, (0, 0), full((4, 4), 3, i32) / 2)", "holds i32", "'//' divides integers"),
        ("x = []\nx.append(1)", "no attribute 'append'", "join them, as in 'x = x + (y,)'"),
        ("x = zeros((BLOCK, 4))", "unknown name 'BLOCK'", "declare the parameter 'BLOCK: const'"),
        ("while zeros(4) > 1.0:\n    pass", "must be a scalar", "'any(condition)'"),
        ("x = helper(alpha, dim=1)", "'helper' has no parameter 'dim'", "sum(a, axis=1)"),
    ],
)
def test_hint(frontend, body, message, hint):
    (found,) = frontend.diagnostics(body, "def helper(x):\n    return x\n" + HEADER)
    assert message in found.message
    assert hint in (found.hint or "")


@pytest.mark.parametrize(
    ("call", "form"),
    [
        ("atomic_add(C, (n, 0), t)", "atomic_store_add(A, index, x)"),
        ("atomic_max(I, (n, 0), cast(t, i32))", "atomic_store_max(A, index, x)"),
        ("atomic_xchg(C, (n, 0), t)", "indices that are tiles"),
        ("scatter(C, (0, n), t)", "store(A, index, x)"),
    ],
)
def test_a_tile_for_one_element(frontend, call, form):
    """Such an index was meant to be that of a tile."""
    (found,) = frontend.diagnostics(f"t = zeros((4, 8))\n{call}")
    assert found.code == "T0305"
    assert "the index names one element, but there is a 4x8 tile of" in found.message
    assert form in (found.hint or "")


def test_one_element_takes_one_number(frontend):
    frontend.kernel("atomic_add(C, (n, 0), 1.0)\nscatter(C, (0, n), zeros((1, 1)))")


def test_a_false_assertion_of_a_helper_is_the_only_error(frontend):
    """What follows it in the helper, and what uses the result, relies on it."""
    helper = (
        "def half(x):\n    static_assert(x.shape[0] % 2 == 0, 'an odd extent')\n"
        "    return x.reshape((2, x.shape[0] // 2))\n"
    )
    body = "h = half(arange(1))\nstore(I, (0, 0), h + 1)\ny = unknown"
    found = frontend.diagnostics(body, helper + HEADER)
    assert [item.code for item in found] == ["T0402", "T0201"]


def test_the_error_of_topk_says_what_k_may_be(frontend):
    (found,) = frontend.diagnostics(
        "best, place = topk(zeros((4, 64)), 3)\nstore(C, (0, 0), best)",
        "from tilec.lib import topk\n" + HEADER,
    )
    assert "k is 3, and must be a power of two" in found.message


def test_padding_that_does_not_broadcast(frontend):
    """It says nothing about the IR."""
    body = "i = arange(16)\nx = gather(C, (i, 0), pad={})"
    for pad, message in (
        ("zeros((8,))", "gather: shapes 8 and 16 do not broadcast"),
        ("zeros((2, 16))", "gather: a 2x16 tile of f32 does not broadcast to the elements that"),
    ):
        (found,) = frontend.diagnostics(body.format(pad))
        assert found.code == "T0305"
        assert message in found.message
    for pad in ("zeros((16,))", "zeros((1,))", "alpha", "0.5", "'nan'"):
        frontend.kernel(body.format(pad))
