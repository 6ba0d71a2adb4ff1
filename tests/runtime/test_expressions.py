"""The evaluator of host expressions."""

import pytest

from tilec.runtime.launch.expressions import ExpressionError, evaluate, names_in


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("cdiv(M, BM)", 8),
        ("cdiv(M, BM) * cdiv(K, 64)", 16),
        ("M // BM + M % BM", 7 + 104),
        ("min(M, K, 7) - max(M, K)", 7 - 1000),
        ("-M", -1000),
        ("A.shape[1] * 2", 128),
        ("K % 64 == 0", True),
        ("K % 64 == 0 and M % 64 == 0", False),
        ("not (K == 1) or 1 < K < 5", True),
        ("A.strides[0] == 1", False),
    ],
)
def test_values(text, value):
    environment = {"M": 1000, "BM": 128, "K": 128, "A.shape[1]": 64, "A.strides[0]": 64}
    assert evaluate(text, environment) == value


@pytest.mark.parametrize("text", ["M * M * M", "M * M * M // M // M", "-M * M - M * M * 2", "U"])
def test_more_than_64_bits(text):
    with pytest.raises(ExpressionError, match="which needs more than 64 bits"):
        evaluate(text, {"M": 2**31 - 1, "U": 2**64 - 1})


def test_64_bits_are_enough_for_two_extents():
    assert evaluate("cdiv(M * M, 2147483647)", {"M": 2**31 - 1}) == 2**31 - 1


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "M.bit_length()",
        "M ** M",
        "[M]",
        "lambda: 1",
        "M if M else 1",
        "(M := 3)",
        "unknown",
        "'text'",
        "M / 2",
        "M % 0",
        "cdiv(M)",
        "cdiv(M, 2, 3)",
        "min(M)",
        "cdiv(M, y=2)",
        "M is M",
        "A.shape[M]",
        "A.shape.x[0]",
        "A is 16-byte aligned (base and pitch)",
        "M +",
        "",
        "-" * 100_000 + "1",
        "1" + "+1" * 50_000,
    ],
)
def test_everything_else_is_rejected(text):
    with pytest.raises(ExpressionError):
        evaluate(text, {"M": 4})


@pytest.mark.parametrize("text", ["M", "M * 2", "cdiv(M, 16)", "M >= 3", "min(1, M)"])
@pytest.mark.parametrize("value", ["text", "", None])
def test_names_of_what_is_no_number(text, value):
    with pytest.raises(ExpressionError, match=r"'M' is .*, which is no number"):
        evaluate(text, {"M": value})


def test_names():
    assert names_in("cdiv(M, BM) + A.shape[1] * 3") == {"M", "BM", "A.shape[1]"}
    assert names_in("K % 64 == 0") == {"K"}
