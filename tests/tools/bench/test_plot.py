"""The plot of a report."""

import sys

import pytest

from tests.support.bench_reports import CASE, DETAIL, FIRST, SECOND, report, timed
from tools.bench.plot import PlotError, main, save_plot
from tools.bench.report import write_report


def test_plot_is_made_from_a_report_alone(tmp_path, monkeypatch):
    import matplotlib as mpl

    monkeypatch.setitem(mpl.rcParams, "svg.fonttype", "none")  # text stays text
    data = report(FIRST, SECOND)
    only_ours = {"tilec": timed([1], DETAIL), "triton": {"failed": "no"}}
    data["processes"][0]["results"].append({"case": "8x8x8:bf16:NN", "contenders": only_ours})
    write_report(data, tmp_path / "gemm.json")
    assert main([str(tmp_path / "gemm.json")]) == 0
    text = (tmp_path / "gemm.svg").read_text()
    assert text.startswith("<?xml")
    for word in ("TFLOP/s", "tilec", "cuBLAS", "to cuBLAS", CASE, "8x8x8:bf16:NN", "H200"):
        assert word in text


def test_equal_reports_make_equal_plots(tmp_path):
    for name in ("one.svg", "two.svg"):
        save_plot(report(FIRST, SECOND), tmp_path / name)
    text = (tmp_path / "one.svg").read_text()
    assert text == (tmp_path / "two.svg").read_text()
    assert "dc:date" not in text


def test_other_formats_by_suffix(tmp_path):
    save_plot(report(FIRST), tmp_path / "gemm.png")
    assert (tmp_path / "gemm.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(PlotError, match="xyz"):
        save_plot(report(FIRST), tmp_path / "gemm.xyz")


def test_without_times_there_is_nothing_to_plot(tmp_path):
    with pytest.raises(PlotError, match="no case has times"):
        save_plot(report({"tilec": {"failed": "no"}}), tmp_path / "gemm.svg")


def test_without_matplotlib_one_line_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    write_report(report(FIRST), tmp_path / "gemm.json")
    assert main([str(tmp_path / "gemm.json"), "-o", str(tmp_path / "gemm.svg")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "matplotlib is not installed" in line
    assert main([str(tmp_path / "missing.json")]) == 2
