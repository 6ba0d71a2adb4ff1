"""The front door `tools/dev.py`; nothing is installed here."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def dev():
    spec = importlib.util.spec_from_file_location("dev", ROOT / "tools" / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def commands(dev, monkeypatch):
    """Record the commands that would run; the probe for torch fails."""
    found = []

    def run(command, env, **_):
        found.append(([str(word) for word in command], env))
        return SimpleNamespace(returncode=1 if command[1] == "-c" else 0)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(dev, "prepare", lambda extra: found.append(extra))
    return found


def test_arguments_reach_pytest_in_order(dev, monkeypatch):
    seen = []
    monkeypatch.setattr(dev, "test_suite", lambda words: seen.append(words) or 0)
    assert dev.main(["test", "-k", "ring", "tests/plan", "-x"]) == 0
    assert seen == [["-k", "ring", "tests/plan", "-x"]]


@pytest.mark.parametrize("words", [["demo", "x"], ["lint", "--fix"], ["nonsense"], []])
def test_other_commands_take_no_arguments(dev, words):
    with pytest.raises(SystemExit, match="2"):
        dev.main(words)


def test_help_of_bench_says_what_it_needs(dev, capsys):
    with pytest.raises(SystemExit, match="0"):
        dev.main(["bench", "--help"])
    assert "PyTorch with CUDA" in capsys.readouterr().out


def test_bench_runs_here_when_torch_is_here(dev, commands, monkeypatch):
    monkeypatch.setattr(dev, "_can_bench", lambda *_: True)
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    assert dev.main(["bench", "--set", "small", "--rounds", "5"]) == 0
    assert dev.main(["bench", "planner", "--budget", "60"]) == 0
    assert dev.main(["bench", "attention", "--set", "d64"]) == 0
    (gemm, environment), (planner, _), (attention, _) = commands
    assert attention == [sys.executable, "-m", "tools.bench.attention", "--set", "d64"]
    assert gemm == [sys.executable, "-m", "tools.bench.gemm", "--set", "small", "--rounds", "5"]
    assert planner == [sys.executable, "-m", "tools.bench.planner", "--budget", "60"]
    assert environment["PYTHONPATH"] == f"{ROOT}:/elsewhere"


def test_bench_makes_an_environment_only_where_there_is_a_driver(
    dev, commands, monkeypatch, capsys
):
    monkeypatch.setattr(dev, "_has_driver", lambda: False)
    assert dev.main(["bench"]) == 2
    assert "needs an NVIDIA GPU" in capsys.readouterr().out
    assert len(commands) == 1  # the probe
    monkeypatch.setattr(dev, "_has_driver", lambda: True)
    assert dev.main(["bench"]) == 0
    assert commands[2] == "bench"
    assert commands[3][0] == [str(dev.PYTHON), "-m", "tools.bench.gemm"]


@pytest.mark.parametrize(
    "words",
    [
        ["plot", "report.json"],
        ["gemm", "--help"],
        ["--merge", "a.json"],
        ["planner", "--compile-only"],
    ],
)
def test_what_needs_no_gpu_runs_at_once(dev, commands, words):
    assert dev.main(["bench", *words]) == 0
    ((command, _),) = commands
    assert command[0] == sys.executable
