"""Cases of the GEMM benchmark: their spelling, their sets, their work."""

import pytest

from tools.bench.cases import FULL, SETS, Case, parse_case

EVERY = dict.fromkeys(case for cases in SETS.values() for case in cases)


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_every_case_is_read_back_from_its_spelling(case):
    assert parse_case(str(case)) == case


def test_short_spellings():
    assert parse_case("8x16x32") == Case(8, 16, 32)
    assert parse_case("8x16x32:TN") == Case(8, 16, 32, layout="TN")
    assert parse_case("4x8x16x32:fp16") == Case(8, 16, 32, "fp16", kind="batched", batch=4)
    assert parse_case("8x16x32:column").column_major


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("8x16", "expected"),
        ("8x16x32:fp8", "expected"),
        ("8x0x32", "extent of 0"),
        ("2x8x16x32:NT", "batched"),
        ("2x8x16x32:f32", "batched"),
        ("8x16x32:fp16:f32", "matmul_f32out"),
    ],
)
def test_other_spellings_are_refused(text, reason):
    with pytest.raises(ValueError, match=reason):
        parse_case(text)


def test_work_and_bytes():
    assert Case(2, 3, 5).operations == 60
    assert Case(2, 3, 5).operand_bytes == 2 * (10 + 15 + 6)
    assert Case(2, 3, 5, kind="f32_output").operand_bytes == 2 * (10 + 15) + 4 * 6
    assert Case(2, 3, 5, kind="fused").operand_bytes == 2 * (10 + 15 + 6 + 6)
    batched = Case(2, 3, 5, kind="batched", batch=7)
    assert batched.operations == 7 * 60
    assert batched.operand_bytes == 7 * 62


def test_full_protocol_has_every_kind_and_layout():
    cases = [case for name in FULL for case in SETS[name]]
    assert len(set(cases)) == len(cases)
    assert {case.kind for case in cases} == {"plain", "batched", "fused", "f32_output"}
    assert {case.layout for case in cases} == {"NN", "NT", "TN", "TT"}
    assert any(case.column_major for case in cases)
