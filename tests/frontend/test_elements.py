"""Builtins that access single elements: what they record, and mistakes."""

import pytest

TILE = "at = arange(4)\n"


def _last(frontend, body):
    return frontend.kernel(body).body.operations[-1]


@pytest.mark.parametrize(
    ("body", "dtype"),
    [
        ("x = I[n, 0]", "i32"),
        ("x = load(B, (n, 0), ())", "bf16"),
        ("x = gather(A, (n, 2))", "f32"),
    ],
)
def test_one_element_is_a_scalar(frontend, body, dtype):
    load = _last(frontend, body)
    assert load.name == "load_elements_tko"
    assert str(load.results[0].type) == dtype
    assert load.attributes == {"ordering": "weak", "masked": False, "padded": True}


def test_an_element_decides_a_branch_and_a_loop(frontend):
    body = "x = 0\nif I[0, 0] > 3:\n    x = 1\nfor k in range(I[0, 1]):\n    x = x + I[k, 0]"
    names = [op.name for op in frontend.kernel(body).body.operations]
    assert [name for name in names if name in ("if", "for")] == ["if", "for"]


def test_indices_and_mask_broadcast(frontend):
    load = _last(frontend, TILE + "x = gather(A, (at[:, None], at[None, :]), mask=at < 2)")
    assert str(load.results[0].type) == "f32[4, 4]"
    assert {str(item.type) for item in load.operands[1:]} == {
        "i32[4, 4]",
        "bool[4, 4]",
        "f32[4, 4]",
    }


def test_one_wide_index_makes_all_wide(frontend):
    load = _last(frontend, TILE + "x = gather(A, (cast(at, i64), n))")
    assert [str(item.type) for item in load.operands[1:3]] == ["i64[4]", "i64[4]"]


def test_the_value_of_a_scatter_broadcasts(frontend):
    store = _last(frontend, TILE + "scatter(A, (at, 0), 1.0, check_bounds=False)")
    assert [str(item.type) for item in store.operands[1:]] == ["f32[4]", "i32[4]", "i32[4]"]
    assert store.attributes == {"ordering": "weak", "unchecked": True, "masked": False}


@pytest.mark.parametrize(
    ("body", "mode"),
    [
        ("atomic_add(A, (at, 0), 1.0)", "addf"),
        ("atomic_add(I, (at, 0), 1)", "add"),
        ("atomic_max(I, (at, 0), 1)", "max"),
        ("atomic_min(U, (at, 0), 1)", "umin"),
        ("atomic_max(A, (at, 0), 1.0)", "maxf"),
        ("x = atomic_min(A, (at, 0), 1.0)", "minf"),
        ("atomic_xchg(A, (at, 0), 2)", "xchg"),
        ("x = atomic_cas(I, (at, 0), 0, 1)", "cas"),
    ],
)
def test_the_mode_of_an_atomic_operation_follows_the_type(frontend, body, mode):
    header = "@kernel\ndef f[M, N](A: f32[M, N], I: i32[M, N], U: u32[M, N]):\n"
    atomic = frontend.kernel(TILE + body, header=header).body.operations[-1]
    expected = {"ordering": "acq_rel", "scope": "device", "mode": mode, "masked": False}
    assert atomic.attributes == expected


def test_order_and_scope_are_kept(frontend):
    order = "memory_order='release', memory_scope='sys'"
    assert _last(frontend, f"store(I, (0, 0), 1, {order})").attributes == {
        "ordering": "release",
        "scope": "sys",
        "masked": False,
    }


def test_offsets_count_elements(frontend):
    load = _last(frontend, "x = load(A, offset=(n, -3), shape=(4, 8))")
    assert load.attributes == {"element_offsets": True}
    store = _last(frontend, "store(C, zeros((4, 8)), offset=(n, 5))")
    assert store.attributes == {"element_offsets": True}


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ("x = A[at, 0]", "T0319", "the index of a scalar holds a tile"),
        ("x = A[n]", "T0301", "'A' has 2 axes, but the index has 1"),
        ("x = A[-1, 0]", "T0319", "an index counts from 0, found -1"),
        ("x = A[alpha, 0]", "T0319", "an index is an integer"),
        ("x = gather(A, at)", "T0301", "'A' has 2 axes, but the index has 1"),
        ("x = gather(alpha, at)", "T0311", "expected an array"),
        ("x = gather(A, (at, arange(8)))", "T0305", "do not broadcast"),
        ("x = gather(A, (at, 0), mask=at)", "T0311", "a mask is a bool"),
        ("x = gather(A, (at, 0), pad='one')", "T0310", "unknown padding 'one'"),
        ("x = gather(A, (at, 0), pad=1.0, padding_value=1.0)", "T0310", "mean the same"),
        ("x = gather(I, (at, 0), padding_value=0.5)", "T0306", "0.5 is not a value of i32"),
        ("x = gather(A, (at, 0), memory_order='release')", "T0310", "memory_order must be one of"),
        (
            "x = gather(A, (at, 0), memory_scope='device')",
            "T0310",
            "weak access has no memory scope",
        ),
        ("x = gather(A, (at, 0), check_bounds=n)", "T0403", "check_bounds must be True or False"),
        ("scatter(A, (at, 0), at)", "T0315", "'A' holds f32 but the value is i32"),
        ("scatter(A, (at, 0))", "T0310", "argument 'value' is missing"),
        ("store(A, (0, 0), n)", "T0315", "'A' holds f32 but the value is i32"),
        ("store(A, (0, 0), 1.0, allow_tma=False)", "T0310", "a scalar takes no such argument"),
        ("store(A, (at, 0), 1.0)", "T0319", "the index of a scalar holds a tile"),
        (
            "atomic_add(H, (at, 0), 1.0, memory_order='weak')",
            "T0310",
            "memory_order must be one of",
        ),
        (
            "atomic_max(H, (at, 0), 1.0)",
            "T0306",
            "'H' holds f16, which this operation does not support",
        ),
        (
            "atomic_xchg(H, (at, 0), 1.0)",
            "T0306",
            "'H' holds f16, which this operation does not support",
        ),
        ("atomic_add(A, (at, 0), at)", "T0315", "'A' holds f32 but the value is i32"),
        ("atomic_cas(I, (at, 0), 1)", "T0310", "argument 'desired' is missing"),
        ("x = load(A, (0, 0), (4, 4), offset=(0, 0))", "T0310", "not both"),
        ("x = load(A, shape=(4, 4))", "T0310", "argument 'index' is missing"),
        ("x = load(A, offset=(0,), shape=(4, 4))", "T0301", "but the offset has 1"),
        ("x = load(A, offset=(at, 0), shape=(4, 4))", "T0319", "an offset is an integer scalar"),
        ("x = load(A, (0, 0), (4, 4), memory_order='acquire')", "T0310", "is loaded weakly"),
        ("store(A, (0, 0), zeros((4, 4)), memory_order='release')", "T0310", "is stored weakly"),
        ("store(A, (0, 0))", "T0310", "argument 'tile' is missing"),
    ],
)
def test_mistakes(frontend, body, code, part):
    found = frontend.error(TILE + body)
    assert found[:2] == (code, 2)
    assert part in found[2]


def test_only_tiles_hold_restricted_floats(frontend):
    header = "@kernel\ndef f[M](A: f8e4m3[M]):\n"
    assert frontend.error("x = A[0]", header=header)[0] == "T0307"
    assert frontend.kernel("x = gather(A, arange(4))", header=header).body.operations
