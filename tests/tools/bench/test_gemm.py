"""The command line of the GEMM benchmark; nothing here needs a GPU."""

import dataclasses
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.support.bench_reports import CASE, FIRST, SECOND, report
from tools.bench import contenders, gemm, host, session
from tools.bench.cases import FULL, SETS, Case
from tools.bench.contenders import ContenderError
from tools.bench.report import load_report, write_report
from tools.bench.variants import parse_variant


def test_default_is_the_full_protocol():
    options = gemm.parse_arguments([])
    assert options.cases == [case for name in FULL for case in SETS[name]]
    assert (options.rounds, options.seconds, options.processes) == (20, 0.2, 3)


def test_sets_and_cases_add_up_without_repeating():
    options = gemm.parse_arguments(
        ["--set", "huge", "--case", "8x8x8", "--case", "16384x16384x16384"]
    )
    assert options.cases == [Case(16384, 16384, 16384), Case(8, 8, 8)]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--case", "8x8"], "is no case"),
        (["--rounds", "0"], "not positive"),
        (["--seconds", "-1"], "not positive"),
        (["--variant", "stages"], "expected NAME=NUMBER"),
        (["--variant", "BM=128x64"], "BM is one number"),
        (["--variant", "stage=3"], "no field 'stage'"),
        (["--variant", "stages=0"], "expected 1 to"),
        (["--peers", "cutlass"], "expected names of cublas, triton"),
    ],
)
def test_wrong_options_are_refused(words, reason, capsys):
    with pytest.raises(SystemExit, match="2"):
        gemm.parse_arguments(words)
    assert reason in capsys.readouterr().err


def test_a_child_measures_the_same_alone(tmp_path):
    words = ["--set", "odd", "--rounds", "7", "--seconds", "0.5", "--peers", "triton"]
    words += ["--variant", "BM=128,stages=3", "--variant", "cluster=2x1"]
    parent = gemm.parse_arguments([*words, "--seed", "5", "--budget", "60"])
    command = gemm.child_command(parent, 2, tmp_path / "part.json")
    assert command[:3] == [sys.executable, "-m", "tools.bench.gemm"]
    child = gemm.parse_arguments(command[3:])
    assert child.cases == parent.cases
    assert child.variants == parent.variants
    assert (child.rounds, child.seconds, child.peers) == (7, 0.5, ("triton",))
    assert (child.processes, child.seed, child.budget) == (1, 7, 20)
    assert child.quiet
    assert child.json == tmp_path / "part.json"


def test_processes_are_merged_and_one_that_died_keeps_what_it_had(tmp_path, monkeypatch, capsys):
    codes = iter([0, -9, 1])
    parts = iter([report(FIRST), report(SECOND)])

    def run(command, **_):
        code = next(codes)
        if code != 1:
            write_report(next(parts), gemm.parse_arguments(command[3:]).json)
        return SimpleNamespace(returncode=code)

    monkeypatch.setattr(subprocess, "run", run)
    target = tmp_path / "out.json"
    assert gemm.main(["--case", "8x8x8", "--json", str(target)]) == 0
    assert len(load_report(target)["processes"]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]
    captured = capsys.readouterr()
    assert "1.500 (0.500..3.000) [1.000..2.000]" in captured.out
    assert "process 2 ended with code -9" in captured.err


def test_a_process_that_hangs_is_killed_when_there_is_a_budget(monkeypatch):
    limits = []

    def run(command, timeout, **_):
        limits.append(timeout)
        raise subprocess.TimeoutExpired(command, timeout or 0)

    monkeypatch.setattr(subprocess, "run", run)
    options = gemm.parse_arguments(["--budget", "300"])
    assert gemm.run_child([], options) == gemm.EXIT_HANG
    assert limits == [1.5 * 100 + 120]


class BrokenGpu:
    """A torch whose GPU faulted: operands can no longer be made."""

    cuda = SimpleNamespace(synchronize=lambda: None, empty_cache=lambda: None)

    def __getattr__(self, name):
        raise RuntimeError(f"CUDA error at {name}")


def test_a_fault_of_the_gpu_is_a_failure_of_the_case_and_ends_the_process():
    case, options = Case(8, 8, 8), gemm.parse_arguments([])
    entries, healthy = session.survive_case(gemm.BENCHMARK, BrokenGpu(), case, options, None)
    assert not healthy
    assert entries["tilec"]["failed"].startswith("the case broke off: RuntimeError")

    def fault_while_timing(*arguments):
        arguments[-1].update({"tilec": {"error": 0.0}, "triton": {"failed": "no"}})
        raise RuntimeError("CUDA error")

    faulty = dataclasses.replace(gemm.BENCHMARK, run_case=fault_while_timing)
    entries, healthy = session.survive_case(faulty, BrokenGpu(), case, options, None)
    assert not healthy
    assert "CUDA error" in entries["tilec"]["failed"]
    assert entries["triton"] == {"failed": "no"}


def test_nothing_measured_is_an_error(monkeypatch, capsys):
    for code, reason in ((gemm.EXIT_USAGE, "could not run"), (1, "measured anything")):
        monkeypatch.setattr(
            subprocess, "run", lambda *_, code=code, **__: SimpleNamespace(returncode=code)
        )
        assert gemm.main(["--case", "8x8x8"]) == gemm.EXIT_USAGE
        assert reason in capsys.readouterr().err


def test_merging_files_prints_the_table(tmp_path, capsys):
    for name, item in (("a", FIRST), ("b", SECOND)):
        write_report(report(item), tmp_path / f"{name}.json")
    paths = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    assert gemm.main(["--merge", *paths, "--json", str(tmp_path / "c.json")]) == 0
    assert "[1.000..2.000]" in capsys.readouterr().out
    assert len(load_report(tmp_path / "c.json")["processes"]) == 2
    assert gemm.main(["--merge", str(tmp_path / "missing.json")]) == gemm.EXIT_USAGE


def test_a_failure_of_ours_is_a_failure_and_one_of_a_peer_is_not(tmp_path, capsys):
    failed = {"failed": "ContenderError: wrong result"}
    write_report(report({**FIRST, "triton": failed}), tmp_path / "peer.json")
    write_report(report({**FIRST, "tilec": failed}), tmp_path / "ours.json")
    assert gemm.main(["--merge", str(tmp_path / "peer.json")]) == 0
    assert gemm.main(["--merge", str(tmp_path / "ours.json")]) == gemm.EXIT_FAILED
    assert capsys.readouterr().out.count("wrong result") == 2


def test_a_missing_plot_does_not_cost_the_numbers(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    write_report(report(FIRST), tmp_path / "a.json")
    words = ["--merge", str(tmp_path / "a.json"), "--plot", str(tmp_path / "a.svg")]
    assert gemm.main(words) == 0
    captured = capsys.readouterr()
    assert CASE in captured.out
    assert "matplotlib is not installed" in captured.err


def test_host_without_torch_or_gpu_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert gemm.main(["--case", "8x8x8", "--processes", "1"]) == gemm.EXIT_USAGE
    assert "needs PyTorch with CUDA" in capsys.readouterr().err
    cuda = SimpleNamespace(is_available=lambda: False)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    with pytest.raises(host.HostError, match="none found"):
        host.import_torch()
    cuda.is_available = lambda: True
    cuda.get_device_capability = lambda: (8, 0)
    cuda.get_device_name = lambda: "A100"
    with pytest.raises(host.HostError, match=r"A100 has 8\.0"):
        host.import_torch()


def test_a_missing_example_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(contenders, "EXAMPLES", tmp_path)
    make = contenders.makers(None, Case(8, 8, 8), contenders.Operands([], []), ())
    assert list(make) == ["tilec"]
    with pytest.raises(ContenderError, match=r"no example: examples/matmul\.tile"):
        make["tilec"]()


def test_contenders_of_a_case():
    nothing = contenders.Operands([], [])
    plain = contenders.makers(None, Case(8, 8, 8), nothing, gemm.PEERS)
    assert list(plain) == ["tilec", "cublas", "triton"]
    fused = contenders.makers(None, Case(8, 8, 8, kind="fused"), nothing, gemm.PEERS)
    assert list(fused) == ["tilec", "tilec-plain", "torch"]


def test_variants_are_contenders_and_fix_the_plan():
    nothing = contenders.Operands([], [])
    variants = [parse_variant(text) for text in ("stages=3", "BM=64,cluster=2x1")]
    made = contenders.makers(None, Case(8, 8, 8), nothing, (), variants)
    assert list(made) == ["tilec", "tilec stages=3", "tilec BM=64,cluster=2x1"]
    assert (variants[1].constants, variants[1].plan) == ({"BM": 64}, {"cluster": (2, 1)})


def test_long_messages_of_peers_are_cut():
    text = session.first_lines(RuntimeError("word " * 1000))
    assert text.startswith("RuntimeError: word")
    assert len(text) <= session.MAX_REASON


def test_release_of_ptxas():
    text = "Cuda compilation tools, release 13.5, V13.5.37\nBuild cuda_13.5.r13.5/compiler.1_0\n"
    assert host.ptxas_release(text) == "13.5.37"
    assert host.ptxas_release("") == ""
