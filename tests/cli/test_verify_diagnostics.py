"""How `--verify-diagnostics` compares expectations with what was reported."""

import pytest

from tilec.cli.verify_diagnostics import compare, find_expectations
from tilec.support.diagnostics import Diagnostic, Severity, SourceSpan, error, note, remark


def _at(line: int) -> SourceSpan:
    return SourceSpan("a.mlir", line, 1, line, 2)


@pytest.mark.parametrize(
    ("place", "line"),
    [("", 3), ("@+1", 4), ("@-2", 1), ("@above", 2), ("@below", 4), ("@unknown", 0)],
)
def test_place_of_an_expectation(place: str, line: int):
    text = f"one\ntwo\n// expected-error{place} {{{{text}}}}\nfour\n"
    assert [item.line for item in find_expectations(text)] == [line]


def test_above_and_below_skip_other_expectations():
    text = "op\n// expected-error@above {{a}}\n// expected-note@above {{b}}\n"
    assert [item.line for item in find_expectations(text)] == [1, 1]


def test_every_expectation_needs_a_diagnostic_of_its_own():
    text = "// expected-error@+1 {{twice}}\n// expected-error@+0 {{twice}}\n"
    assert compare(text, [error("T0500", "said twice", _at(2))]) == [
        "line 2: expected error was not reported: twice"
    ]
    assert compare(text, [error("T0500", "said twice", _at(2))] * 2) == []


def test_text_is_literal_unless_it_is_a_regular_expression():
    literal = "// expected-error {{a.c}}"
    pattern = "// expected-error-re {{a{{.}}c (1)}}"
    assert compare(literal, [error("T0500", "abc", _at(1))]) != []
    assert compare(pattern, [error("T0500", "abc (1)", _at(1))]) == []


def test_remarks_and_notes_may_go_unexpected_but_warnings_may_not():
    reported = [remark("T0450", "chosen", _at(1)), note("there", _at(1))]
    assert compare("", reported) == []
    warning = Diagnostic(Severity.WARNING, "", "careful", _at(7))
    assert compare("", [warning]) == ["line 7: unexpected warning: careful"]


def test_notes_of_an_error_are_compared_too():
    text = "// expected-error {{bad}}\n// expected-note {{because}}\n"
    found = error("T0500", "bad", _at(1), notes=[note("because", _at(2))])
    assert compare(text, [found]) == []


def test_expected_remark_must_be_reported():
    assert compare("// expected-remark {{x}}", []) == [
        "line 1: expected remark was not reported: x"
    ]
