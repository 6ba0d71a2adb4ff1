"""The benchmark of kernels of rows; nothing here needs a GPU."""

import pytest

from tools.bench import rows
from tools.bench.report import format_table
from tools.bench.row_cases import SETS, RowCase, parse_row_case
from tools.bench.row_contenders import EXAMPLES, Operands

EVERY = sorted({case for name in SETS for case in SETS[name]}, key=str)


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_a_case_reads_its_own_spelling(case):
    assert parse_row_case(str(case)) == case
    assert (EXAMPLES / f"{case.name}.tile").is_file()


@pytest.mark.parametrize(
    "text", ["softmax", "softmax:8x0", "softmax:8", "matmul:8x8", "array_cumsum:2x8"]
)
def test_what_is_no_case_is_refused(text):
    with pytest.raises(ValueError, match=text.split(":")[0]):
        parse_row_case(text)


def test_bytes_count_each_matrix_once():
    assert RowCase("softmax", 8, 1024).moved_bytes == 8 * 1024 * 2 * 2
    assert RowCase("row_cumsum", 8, 1024).moved_bytes == 8 * 1024 * 2 * 4
    assert RowCase("row_argmax", 8, 1024).moved_bytes == 8 * (1024 * 2 + 4)


def test_options():
    options = rows.parse_arguments(
        ["--case", "softmax:8x64", "--variant", "spread=2", "--peers", ""]
    )
    assert options.cases == [RowCase("softmax", 8, 64)]
    assert [str(variant) for variant in options.variants] == ["spread=2"]
    assert rows.parse_arguments([]).cases == [case for name in SETS for case in SETS[name]]
    with pytest.raises(SystemExit):
        rows.parse_arguments(["--peers", "cublas"])


def test_contenders_and_their_names():
    options = rows.parse_arguments(["--variant", "BN=64", "--file", "mine.tile"])
    found = rows.makers(None, RowCase("softmax", 8, 64), Operands([]), options)
    assert list(found) == ["tilec", "tilec BN=64", "tilec mine", "copy", "compile"]


def test_a_report_has_speeds_in_terabytes():
    case = RowCase("softmax", 8192, 8192)
    entry = {"times": [0.1, 0.1], "detail": {}}
    result = {
        "case": str(case),
        "operations": case.moved_bytes,
        "unit": "TB/s",
        "contenders": {"tilec": entry, "copy": {**entry, "times": [0.05, 0.05]}},
    }
    table = format_table({"processes": [{"results": [result]}]})
    assert "2.68 TB/s" in table
    assert "0.500 (0.500..0.500)" in table
