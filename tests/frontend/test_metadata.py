"""The metadata that the launcher and the later stages read."""

from types import MappingProxyType
from typing import Any

import pytest

from tilec.request.specialization import ArraySpec, Specialization


def meta(frontend, text, **specialization):
    frozen: dict[str, Any] = {
        name: MappingProxyType(value) for name, value in specialization.items()
    }
    return frontend.analyze(text, None, Specialization(**frozen)).metadata


def test_arguments_in_call_order(frontend):
    found = meta(
        frontend,
        "@kernel\ndef f(A: bf16[M, K], s: f32, B: f32[K, _, 8], n: i64):\n    m = grid(M)\n",
    )
    shown = [tuple(item.values()) for item in found["params"]]
    assert shown == [
        ("pointer", "A", 16),
        ("stride", "A", 0, 8),
        ("scalar", "s", "f32"),
        ("pointer", "B", 16),
        ("stride", "B", 0, 4),
        ("stride", "B", 1, 4),
        ("scalar", "n", "i64"),
        ("dim", "M", "A", 0),
        ("dim", "K", "A", 1),
        ("dim", "B.shape[1]", "B", 1),
    ]
    assert found["dims"] == {"M": [["A", 0]], "K": [["A", 1], ["B", 0]]}
    assert found["static_shape"] == {"A": [-1, -1], "B": [-1, -1, 8]}
    assert "B.shape[2] == 8" in found["preconditions"]


def test_facts_about_arrays_and_dims(frontend):
    found = meta(
        frontend,
        "@kernel\ndef f(A: f32[M, N], n: i32):\n    m = grid(M)\n",
        arrays={"A": ArraySpec("f32", (1, None), alignment=1, alias_group=2)},
        divisors={"M": 64, "n": 8},
    )
    assert found["arrays"] == [
        {
            "name": "A",
            "dtype": "f32",
            "rank": 2,
            "strides": [1, -1],
            "alignment": 1,
            "alias_group": 2,
            "access": "read",
        }
    ]
    assert [tuple(item.values()) for item in found["params"]] == [
        ("pointer", "A"),
        ("stride", "A", 1),
        ("scalar", "n", "i32", 8),
        ("dim", "M", "A", 0, 64),
        ("dim", "N", "A", 1),
    ]
    assert found["preconditions"] == ["A.strides[0] == 1", "M % 64 == 0", "n % 8 == 0"]


def test_access(frontend):
    found = meta(
        frontend,
        "@kernel\ndef f(A: f32[M], B: f32[M], C: f32[M], D: f32[M]):\n"
        "    a = load(A, 0, 4) + load(C, 0, 4)\n    store(B, 0, a)\n    store(C, 0, a)\n",
    )
    assert [item["access"] for item in found["arrays"]] == ["read", "write", "readwrite", "read"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["m = grid(cdiv(M, BM))"], ["cdiv(M, 64)"]),
        (["m, k = grid(M // 4 + 1, n % 3 * (M - 2))"], ["(M // 4) + 1", "(n % 3) * (M - 2)"]),
        (["m = grid(cdiv(100, BM))"], ["2"]),
        (["m = grid(max(M, n, 3))"], ["max(M, n, 3)"]),
        (["t = cdiv(M, BM)", "u = t * 2", "m = grid(u + t)"], ["(cdiv(M, 64) * 2) + cdiv(M, 64)"]),
        (["t, u = M, 3", "m = grid(t * u)"], ["M * 3"]),
        (["M = M + 1", "m = grid(M)"], ["M + 1"]),
        (["m = grid(A.shape[0], A.shape[1])"], ["M", "A.shape[1]"]),
        (["t = 7 if BM > 3 else n", "m = grid(t)"], ["7"]),
    ],
)
def test_grid_expressions(frontend, lines, expected):
    body = "".join(f"    {line}\n" for line in lines)
    text = f"@kernel\ndef f(A: f32[M, _], n: i32, BM: const = 64):\n{body}"
    assert meta(frontend, text)["grid"] == expected


def test_kernel_without_grid_takes_it_as_arguments(frontend):
    found = meta(frontend, "@kernel\ndef f(n: i32):\n    x = block_id(0) + num_blocks(2)\n")
    assert "grid" not in found
    assert [tuple(item.values()) for item in found["params"][1:]] == [
        ("grid", 0),
        ("grid", 1),
        ("grid", 2),
    ]


def test_constants_types_and_hints(frontend):
    found = meta(
        frontend,
        "@kernel(stages=4)\n"
        "def f(A: T[M], BM: const = 64, BN: const = 2, e: const = 0.5, *, T: dtype):\n"
        "    m = grid(M)\n",
        arrays={"A": ArraySpec("f16", (1,))},
        constants={"BN": 32},
        plan={"cluster": (2, 1)},
    )
    assert found["constants"] == {"BM": 64, "BN": 32, "e": 0.5}
    assert found["dtypes"] == {"T": "f16"}
    assert found["hints"] == {"stages": 4, "cluster": [2, 1]}


@pytest.mark.parametrize(
    ("given", "code", "part"),
    [
        ({"constants": {"BN": 3}}, "T0007", "has no constant 'BN'"),
        ({"dtypes": {"U": "f32"}}, "T0007", "has no element type 'U'"),
        ({"dtypes": {"T": "f31"}}, "T0404", "'f31' is not an element type"),
        ({"arrays": {"B": ArraySpec("f32", (1,))}}, "T0007", "has no array 'B'"),
        ({"arrays": {"A": ArraySpec("f32", (1, 1))}}, "T0301", "has 1 axis, but is used with 2"),
        ({"arrays": {"C": ArraySpec("f32", (1,))}}, "T0306", "holds bf16, but is used with f32"),
        ({"divisors": {"Z": 3}}, "T0007", "has no dim or scalar 'Z'"),
        ({"constants": {}}, "T0401", "constant 'BM' has no value"),
    ],
)
def test_specialization_must_fit(frontend, given, code, part):
    given = {"constants": {"BM": 4}, "dtypes": {"T": "f32"}} | given
    text = "@kernel\ndef f(A: T[M], C: bf16[M], BM: const, *, T: dtype):\n    m = grid(M)\n"
    failure = frontend.failure(text, None, Specialization(**given))
    assert code in [item.code for item in failure.diagnostics]
    assert part in str(failure)


def test_an_extent_must_be_an_integer(frontend):
    text = "@kernel\ndef f(A: f32[N], N: const):\n    m = grid(N)\n"
    for value in (0, 1.0, True, 2**31):
        failure = frontend.failure(text, None, Specialization(constants={"N": value}))
        assert [item.code for item in failure.diagnostics] == ["T0008"]


def test_element_type_must_be_known(frontend):
    text = "@kernel\ndef f(A: T[M], *, T: dtype):\n    m = grid(M)\n"
    assert frontend.failure(text).diagnostics[0].code == "T0013"
