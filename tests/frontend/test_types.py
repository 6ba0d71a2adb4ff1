"""Element types and shapes: promotion, conversion, broadcasting, limits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilec.frontend.semantics import hir
from tilec.frontend.semantics.numeric import promote
from tilec.support.dtypes import DTYPES, Kind

ORDINARY = [item for item in DTYPES.values() if item.kind is not Kind.RESTRICTED_FLOAT]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("bool", "i8", "i8"),
        ("i64", "f16", "f16"),
        ("i8", "i32", "i32"),
        ("u8", "u64", "u64"),
        ("u8", "i16", "i16"),
        ("u32", "i32", None),
        ("u64", "i8", None),
        ("f16", "bf16", "f32"),
        ("bf16", "f32", "f32"),
        ("f32", "f64", "f64"),
        ("tf32", "f32", None),
        ("f8e4m3", "f8e4m3", "f8e4m3"),
        ("f8e4m3", "i32", None),
    ],
)
def test_promotion(left, right, expected):
    found = promote(DTYPES[left], DTYPES[right])
    assert (found.name if found else None) == expected


@settings(deadline=None)
@given(st.sampled_from(ORDINARY), st.sampled_from(ORDINARY))
def test_promotion_is_symmetric_and_never_narrows(left, right):
    common = promote(left, right)
    assert common == promote(right, left)
    if common is not None:
        assert common.kind.value == max(left.kind.value, right.kind.value)
        for side in (left, right):
            assert side.kind != common.kind or side.bits <= common.bits


def _type_of(frontend, expression):
    program = frontend.kernel(f"x = {expression}")
    return str(program.body.operations[-1].results[0].type)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("load(H, (0, 0), (4, 4)) * 2.5", "f16[4, 4]"),
        ("load(I, (0, 0), (4, 4)) * 2", "i32[4, 4]"),
        ("load(I, (0, 0), (4, 4)) * 2.5", "f32[4, 4]"),
        ("load(H, (0, 0), (4, 4)) * alpha", "f32[4, 4]"),
        ("load(H, (0, 0), (4, 4)) + load(B, (0, 0), (4, 4))", "f32[4, 4]"),
        ("load(I, (0, 0), (4, 4)) / 2", "f32[4, 4]"),
        ("load(I, (0, 0), (4, 4)) == n", "bool[4, 4]"),
        ("zeros((4, 4), bool) + zeros((4, 4), bool)", "i32[4, 4]"),
        ("zeros((4, 4), bool) & (zeros((4, 4)) > 0)", "bool[4, 4]"),
        ("arange(8)[:, None] + arange(4)[None, :]", "i32[8, 4]"),
        ("arange(4) + zeros((8, 1, 4))", "f32[8, 1, 4]"),
        ("full((4,), n)", "i32[4]"),
        ("full((4,), 1)", "i32[4]"),
        ("full((4,), 1, bf16)", "bf16[4]"),
        ("exp(load(I, (0, 0), (4, 4)))", "f32[4, 4]"),
        ("load(A, (0, 0), (8, 4)).T.astype(bf16)", "bf16[4, 8]"),
        ("i64(n) + 1", "i64"),
        ("n * alpha", "f32"),
        ("where(n > 0, load(H, (0, 0), (4, 4)), 0)", "f16[4, 4]"),
        ("n ** 2", "i32"),
    ],
)
def test_type_of(frontend, expression, expected):
    assert _type_of(frontend, expression) == expected


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ("x = zeros((100, 64))", "T0303", "powers of two, found 100"),
        ("x = zeros((0, 64))", "T0303", "must be positive"),
        ("x = zeros(())", "T0303", "at least one axis"),
        ("x = zeros((8192, 4096))", "T0304", "33554432 elements; the limit is 1048576"),
        ("x = zeros((n, 4))", "T0403", "must be a compile-time integer"),
        ("x = arange(0, 64)", "T0310", "arange: takes the number of elements, not a start and"),
        ("x = zeros((4, 4)) + zeros((8, 4))", "T0305", "4x4 and 8x4 do not broadcast"),
        ("x = broadcast_to(zeros((4, 4)), (4, 8))", "T0305", "4x4 does not broadcast to 4x8"),
        ("x = n + u32(3)", "T0306", "i32 and u32 have no common type"),
        ("x = full((4,), 300, i8)", "T0306", "300 does not fit i8 (-128 to 127)"),
        ("x = i8(1) + 200", "T0306", "200 does not fit i8"),
        ("x = full((4,), 1.5, i32)", "T0306", "1.5 is not a value of i32"),
        ("x = zeros((4, 4)) & 1", "T0306", "needs integers or bools, found f32"),
        ("x = ~alpha", "T0306", "needs an integer or a bool"),
        ("x = cdiv(alpha, 2)", "T0306", "must be integers"),
        ("x = cast(inf, i32)", "T0306", "inf is not a value of i32"),
        ("x = zeros((4, 4), f8e4m3) + 1", "T0307", "f8e4m3 has no arithmetic"),
        ("x = zeros((4, 4), tf32) * zeros((4, 4))", "T0307", "never converted implicitly"),
        ("x = n // 0", "T0403", "division by zero"),
        ("x = 1 / 0", "T0403", "cannot compute"),
        ("x = zeros((4, 8)) @ zeros((4, 8))", "T0302", "inner sizes 8 and 4 differ"),
        ("x = zeros((4, 8)) @ 2.0", "T0311", "'@': B must be a tile, found the constant 2.0"),
        ("x = 3 in 4", "T0311", "'in': expected a tuple to look in"),
        ("x = zeros((4, 4)) is n", "T0318", "operator 'is'"),
        ("x = zeros((4, 1)).item()", "T0313", "a tile with 4 elements is no scalar"),
        ("x = arange(8, i8, start=127)", "T0306", "134 does not fit i8"),
        ("x = n ** n", "T0318", "constant exponent"),
        ("x = reshape(zeros((4, 4)), (4, 8))", "T0313", "4x4 has 16 elements but 4x8 has 32"),
        ("x = reshape(zeros((4, 4)), (32, -1))", "T0313", "cannot be divided"),
        ("x = permute(zeros((4, 4)), (0, 0))", "T0301", "every axis from 0 to 1 once"),
        ("x = transpose(arange(8))", "T0301", "has only one axis"),
        ("x = cat((zeros((4, 4)), zeros((8, 8))), 0)", "T0313", "on every axis but 0"),
        ("x = cat((zeros((4, 4)), zeros((8, 4))), 0)", "T0303", "found 12"),
        ("x = extract(zeros((4, 4)), (2, 0), (2, 2))", "T0319", "index 2 is outside 0 to 1"),
        ("x = extract(zeros((4, 4)), (0, 0), (8, 4))", "T0313", "8x4 does not divide 4x4"),
        ("x = zeros((4, 4))[0]", "T0318", "elements or slices"),
        ("x = zeros((4, 4))[:, :, :]", "T0301", "names 3 axes"),
        ("x = expand_dims(zeros((4, 4)), 3)", "T0301", "axis 3 is outside"),
        ("x = min(zeros((4, 4)), 1, axis=0)", "T0310", "one tile is reduced, found 2"),
        ("x = max(zeros((4, 4)), 1)", "T0310", "max: 1 may be an axis of the tile, or a number"),
        ("x = min(zeros((4, 4)), -2, keepdims=True)", "T0310", "min: -2 may be an axis"),
        ("x = min(alpha)", "T0311", "expected a tile to combine"),
        ("x = argmax(zeros((4, 4, 4)), (0, 1))", "T0301", "expected one axis"),
        ("x = sum(zeros((4, 4)), 2)", "T0301", "axis 2 is outside"),
        ("x = sum(zeros((4, 4)), (0, -2))", "T0301", "every axis once"),
        ("x = sum(cast(zeros((4, 4)), tf32))", "T0307", "tf32"),
        (f"x = reduce(({'zeros(4), ' * 5}), 0, maximum, 0)", "T0310", "at most 4 tiles, found 5"),
        ("x = reduce(zeros((4, 4)), 0, 3, 0)", "T0311", "expected a function of two numbers"),
        ("x = reduce(zeros((4, 4)), 0, maximum, alpha)", "T0403", "identity must be a number"),
        ("x = where(alpha, 1, 2)", "T0312", "must be bool, found f32"),
        ("x = not zeros((4, 4))", "T0312", "a condition must be a scalar"),
        ("x = 0 < zeros((4, 4)) < 1", "T0312", "chain"),
        ("x = arange(512, i8)", "T0306", "511 does not fit i8"),
        ("x = block_id(3)", "T0301", "outside a grid of 3"),
        ("x = maximum(1, 2, propagate_nan=n)", "T0403", "True or False"),
    ],
)
def test_mistake(frontend, body, code, part):
    found = frontend.error(body)
    assert found[:2] == (code, 1)
    assert part in found[2]


@pytest.mark.parametrize("second", ["1.0", "7", "-5", "ONE", "n", "True"])
def test_a_second_value_that_is_no_axis(frontend, second):
    program = frontend.kernel(f"x = max(zeros((4, 4)), {second})", "ONE = 1\n" + frontend.header)
    assert program.body.operations[-1].name == "maxf"


def test_an_axis_without_its_name_has_both_fixes_in_its_hint(frontend):
    (item,) = frontend.diagnostics("x = max(zeros((4, 4)), 1)")
    assert item.hint == (
        "write 'max(x, axis=1)' to reduce axis 1, 'maximum(x, 1)' to compare each element with 1"
    )


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("x = zeros((n, 4))", "add 'n: const' to the parameters; a dim still gets its value"),
        ("x = zeros((n * 4, 4))", "make it a 'const' parameter"),
        (
            "for j in range(3):\n    x = zeros((1 << j, 4))",
            "loops over 'static_range' are unrolled",
        ),
        ("x = arange(0, 64)", "write 'arange(size)', or 'arange(size, start=n)'"),
        ("x = load(A, (n / 2, 0), (4, 4))", "divide integers with '//'"),
        ("x = n * 3000000000", "convert the other operand to a wider type first"),
        ("x = A + 1", "an array is no pointer: use 'load(A, i, shape)' or 'gather(A, indices)'"),
        ("assert n > 3, f'{n}'", "print the value before the assertion"),
        ("x = x + 1", "'f' assigns 'x', so a variable of that name around it is another one"),
        ("if n > 0:\n    x = 1.0\ny = x", "give 'x' a value before the 'if'"),
    ],
)
def test_the_hint_says_what_to_write(frontend, body, hint):
    (item,) = frontend.diagnostics(body)
    assert hint in item.hint


def test_mma_shapes_name_the_operands(frontend):
    body = (
        "a = load(B, (0, 0), (128, 64))\nb = load(B, (0, 0), (32, 256))\n"
        "c = mma(a, b, zeros((128, 256)))"
    )
    (item,) = frontend.diagnostics(body)
    assert item.code == "T0302"
    assert item.message == "mma: A is 128x64 but B is 32x256: inner sizes 64 and 32 differ"
    assert [(note.message, note.span.line) for note in item.notes] == [
        ("A comes from here", 3),
        ("B comes from here", 4),
    ]


_SINGLES = "zeros((8, 4)), zeros((4, 8)), zeros((8, 8))"
_HALVES = "zeros((8, 4), f16), zeros((4, 8), f16), zeros((8, 8))"
_SHORT_SUMS = "zeros((8, 4), f16), zeros((4, 8), f16), zeros((8, 8), f16)"


@pytest.mark.parametrize(
    ("operands", "code", "part"),
    [
        ("zeros((8, 4)), zeros((4, 8)), zeros((4, 4))", "T0302", "8x8 but acc is 4x4"),
        ("arange(8), arange(8), zeros((8, 8))", "T0302", "both must have 2 axes"),
        ("zeros((2, 8, 4)), zeros((4, 4, 8)), zeros((2, 8, 8))", "T0302", "batch sizes 2 and 4"),
        ("zeros((8, 4), bf16), zeros((4, 8), f16), zeros((8, 8))", "T0306", "A is bf16 but B is"),
        ("zeros((8, 4), bf16), zeros((4, 8), bf16), zeros((8, 8), f16)", "T0306", "must be f32"),
        ("zeros((8, 4), i32), zeros((4, 8), i32), zeros((8, 8), i32)", "T0306", "operands of i32"),
        ("3, zeros((4, 8)), zeros((8, 8))", "T0311", "A must be a tile"),
        ("zeros((8, 4), f8e4m3), zeros((4, 8), f16), zeros((8, 8))", "T0306", "A is f8e4m3 but"),
        (f"{_SINGLES}, precision='f16'", "T0310", "'tf32', 'tf32x3', 'bf16x3', found 'f16'"),
        (f"{_SINGLES}, precision=acc", "T0310", "precision must be one of 'ieee', 'tf32'"),
        (f"{_HALVES}, precision='tf32'", "T0306", "precision is for operands of f32, found f16"),
        (f"{_HALVES}, promote=24", "T0310", "promote must be a positive multiple of 16, found 24"),
        (f"{_HALVES}, promote=0", "T0310", "promote must be a positive multiple of 16, found 0"),
        (f"{_SHORT_SUMS}, promote=16", "T0306", "promote adds sums in f32, but acc is f16"),
        (f"{_SINGLES}, promote=1.5", "T0403", "promote must be a compile-time integer"),
    ],
)
def test_mma_mistakes(frontend, operands, code, part):
    found = frontend.error(f"acc = zeros((8, 8))\nx = mma({operands})")
    assert found[0] == code
    assert part in found[2]


def test_mma_accepts_every_operand_type(frontend):
    pairs = [("f16", "f16"), ("bf16", "f32"), ("f8e4m3", "f32"), ("f64", "f64"), ("tf32", "f32")]
    for operand, acc in pairs:
        x = f"zeros((8, 4), {operand}), zeros((4, 8), {operand}), zeros((8, 8), {acc})"
        assert frontend.kernel(f"x = mma({x})").body.operations[-1].name == "mmaf"
    formats = "zeros((8, 4), f8e4m3), zeros((4, 8), f8e5m2), zeros((8, 8))"
    assert frontend.kernel(f"x = mma({formats})").body.operations[-1].name == "mmaf"
    mixed = frontend.kernel("x = mma(zeros((8, 4), i8), zeros((4, 8), u8), zeros((8, 8), i32))")
    assert mixed.body.operations[-1].attributes == {"signed_lhs": True, "signed_rhs": False}


@pytest.mark.parametrize(
    ("options", "attributes"),
    [
        ("", {}),
        (", precision='ieee'", {}),
        (", precision='tf32'", {"precision": "tf32"}),
        (", precision='bf16x3', promote=32", {"precision": "bf16x3", "promote": 32}),
        (", promote=1", {"promote": 1}),
    ],
)
def test_mma_options(frontend, options, attributes):
    found = frontend.kernel(f"x = mma({_SINGLES}{options})").body.operations[-1]
    assert found.attributes == attributes


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ("x = load(A, (0,), (4, 4))", "T0301", "'A' has 2 axes, but the index has 1"),
        ("x = load(A, (0, 0), 4)", "T0301", "'A' has 2 axes, but the tile has 1"),
        ("x = load(A, (0, 0))", "T0310", "argument 'shape' is missing"),
        ("x = load(alpha, (0, 0), (4, 4))", "T0311", "expected an array"),
        ("x = load(A, (0.5, 0), (4, 4))", "T0319", "an integer scalar"),
        ("x = load(A, (-1, 0), (4, 4))", "T0319", "counts from 0"),
        ("x = load(A, (i64(n), 0), (4, 4))", "T0319", "is an i32, found i64"),
        ("x = load(A, (0, 0), (4, 4), pad=alpha)", "T0403", "pad must be"),
        ("x = load(A, (0, 0), (4, 4), pad='one')", "T0310", "unknown padding 'one'"),
        ("x = load(I, (0, 0), (4, 4), pad=nan)", "T0306", "nan is not a value of i32"),
        ("store(B, (0, 0), zeros((4, 4)))", "T0315", "'B' holds bf16 but the tile is f32"),
        ("store(C, (0, 0), A)", "T0311", "expected the tile to store"),
        ("store(C, (0, 0), arange(4))", "T0301", "the tile has 1"),
        ("v = make_partition_view(A, (4, 4), dim_map=[0, 0])", "T0301", "dim_map"),
        ("v = make_partition_view(A, (4,))", "T0301", "the tile has 1"),
    ],
)
def test_memory_mistakes(frontend, body, code, part):
    found = frontend.error(body)
    assert found[:2] == (code, 1)
    assert part in found[2]


def test_view_mistakes(frontend):
    make = "v = make_partition_view(C, tile=(4, 8))\n"
    assert frontend.error(make + "x = load(v, (0, 0), (4, 8))")[0] == "T0310"
    assert frontend.error(make + "store(v, (0, 0), zeros((8, 4)))")[0] == "T0315"


@pytest.mark.parametrize(
    ("pad", "padding", "masked"),
    [
        ("0", "zero", False),
        ("-0.0", "neg_zero", False),
        ("-inf", "neg_inf", False),
        ("inf", "pos_inf", False),
        ("nan", "nan", False),
        ("'neg_inf'", "neg_inf", False),
        ("1.5", "zero", True),
    ],
)
def test_padding(frontend, pad, padding, masked):
    program = frontend.kernel(f"x = load(A, (n, 0), (4, 4), pad={pad})")
    operations = {op.name: op for op in program.body.operations}
    kind = operations["make_partition_view"].results[0].type
    assert isinstance(kind, hir.PartitionViewType)
    assert kind.padding == padding
    assert ("select" in operations) == masked


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("x = histogram(zeros(16), 8)", "T0306", "histogram: it counts integers, found f32"),
        ("x = histogram(n, 8)", "T0311", "expected a tile"),
        ("x = histogram(arange(16), n)", "T0403", "the number of bins must be a compile-time"),
        ("x = histogram(arange(16), 12)", "T0303", "extents must be powers of two, found 12"),
        ("x = histogram(arange(16), 8, mask=arange(16))", "T0311", "a mask is a bool or a tile"),
        ("x = histogram(arange(16), 8, mask=arange(8) < 3)", "T0305", "do not broadcast"),
    ],
)
def test_what_a_histogram_cannot_count(frontend, body, code, message):
    ((found, line, text),) = frontend.errors(body)
    assert (found, line) == (code, 1)
    assert message in text


@pytest.mark.parametrize(
    ("numbers", "dtype"), [("i8", "i32"), ("u16", "i32"), ("u32", "u32"), ("i64", "i64")]
)
def test_a_histogram_counts_in_at_least_32_bits(frontend, numbers, dtype):
    body = f"x = histogram(cast(arange(16), {numbers}), 8, mask=arange(16) < n)"
    last = frontend.kernel(body).body.operations[-1]
    assert (last.name, str(last.results[0].type)) == ("histogram", "i32[8]")
    assert str(last.operands[0].type) == f"{dtype}[16]"
