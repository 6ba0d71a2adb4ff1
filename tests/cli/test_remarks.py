"""`--remarks`: one quote of a place, and below it all that is said about the place."""

from tilec.cli.main import EXIT_OK, main
from tilec.cli.remarks import render_remarks
from tilec.support.diagnostics import (
    Diagnostic,
    Severity,
    SourceFile,
    SourceSpan,
    note,
    remark,
)

SOURCE = SourceFile("f.tile", "first line\nsecond line\n")
FIRST, SECOND = SourceSpan("f.tile", 1, 1, 1, 6), SourceSpan("f.tile", 2, 8, 2, 12)


def test_remarks_of_one_place_share_its_quote():
    items = [
        remark("T0430", "one", FIRST),
        remark("T0520", "alone", SECOND),
        remark("T0431", "two", FIRST),
        remark("T0014", "nowhere"),
        Diagnostic(Severity.WARNING, "T0431", "three", FIRST, "do this", (note("see", SECOND),)),
        remark("T0014", "nowhere else"),
    ]
    assert render_remarks(items, [SOURCE]).splitlines() == [
        "f.tile:1:1: 3 remarks and warnings:",
        "  first line",
        "  ^^^^^",
        "  remark[T0430]: one",
        "  remark[T0431]: two",
        "  warning[T0431]: three",
        "    f.tile:2:8: note: see",
        "      second line",
        "             ^^^^",
        "    hint: do this",
        "f.tile:2:8: remark[T0520]: alone",
        "  second line",
        "         ^^^^",
        "tilec: remark[T0014]: nowhere",
        "tilec: remark[T0014]: nowhere else",
    ]


def test_a_place_in_an_unknown_file_has_no_quote():
    items = [remark("T0430", "one", FIRST), remark("T0431", "two", FIRST)]
    assert render_remarks(items, []).splitlines() == [
        "f.tile:1:1: 2 remarks:",
        "  remark[T0430]: one",
        "  remark[T0431]: two",
    ]
    assert render_remarks([], [SOURCE]) == ""


def test_the_command_quotes_a_line_once(examples, tmp_path, capsys):
    path = examples / "matmul.tile"
    words = ["compile", str(path), "--remarks", "--emit", "nv_tileas"]
    assert main([*words, "-o", str(tmp_path / "out")]) == EXIT_OK
    message = capsys.readouterr().err
    assert message.count("  def matmul[M, N, K](\n") == 1
    assert message.count("\n  remark[T0431]: plan: ") > 5
