"""The command: what it prints, keeps and returns."""

import pytest

from tools.emulator.fuzz import command, workers
from tools.emulator.fuzz.draw import draw
from tools.emulator.fuzz.printing import describe
from tools.emulator.fuzz.program import Program
from tools.emulator.fuzz.refusals import WITH_FIELDS, is_allowed
from tools.emulator.fuzz.running import Verdict, check
from tools.emulator.fuzz.workers import Report, Task


def run_with(verdicts, words, monkeypatch):
    def run(tasks, jobs, cache):
        for task, verdict in zip(tasks, verdicts, strict=True):
            yield Report(task.seed, verdict, "the source\n" if verdict.bad else "", 0.1)

    monkeypatch.setattr(command, "run", run)
    return command.main(words)


def test_counts_are_printed(monkeypatch, capsys):
    verdicts = [Verdict("right"), Verdict("refused", "T0421"), Verdict("right")]
    assert run_with(verdicts, ["--first", "5", "--count", "3"], monkeypatch) == 0
    shown = capsys.readouterr().out
    assert "3 programs from seed 5: 2 right, 1 refused, 0 wrong" in shown
    assert "refusals: T0421 1" in shown


def test_what_fails_is_printed_and_kept(monkeypatch, capsys, tmp_path):
    verdict = Verdict("wrong", "emulator", "A: 3 elements differ", 9)
    words = ["--first", "9", "--count", "1", "--keep", str(tmp_path)]
    assert run_with([verdict], words, monkeypatch) == 1
    assert "python -m tools.emulator.fuzz --first 9 --count 1" in capsys.readouterr().out
    assert "the source" in (tmp_path / "seed9.tile").read_text()


def test_a_process_runs_tasks():
    reports = list(workers.run(iter([Task(0, 1), Task(1, 1)]), 1))
    assert [report.seed for report in reports] == [0, 1]
    assert all(report.verdict is not None for report in reports)


def test_kernels_compiled_ahead_are_kept(tmp_path):
    """A second run finds those of the first."""
    task = Task(0, schedules=0, ahead=True)
    found = []
    for _ in range(2):
        (report,) = workers.run(iter([task]), 1, tmp_path)
        assert report.verdict.kind == "right", report.verdict.text
        found.append({item: item.stat().st_ino for item in (tmp_path / "kernels").rglob("*")})
    assert found[0]
    assert found[0] == found[1]  # a kernel that is stored again is a new file
    sources = tmp_path / "sources" / "0" / "program.tile"
    assert "def program" in sources.read_text()


def test_a_wrong_result_is_found(tmp_path, monkeypatch):
    """An emulator that drops what is stored differs from the evaluation."""
    from tools.emulator.memory import GlobalMemory
    from tools.emulator.transfers import BoxStore

    monkeypatch.setenv("TILEC_CACHE_DIR", str(tmp_path))
    program = next(
        item for item in map(draw, range(50)) if check(item, tmp_path, [0]).kind == "right"
    )
    monkeypatch.setattr(GlobalMemory, "write", lambda *_: None)
    monkeypatch.setattr(BoxStore, "__call__", lambda _: None)
    verdict = check(program, tmp_path, [0])
    assert (verdict.kind, verdict.where) == ("wrong", "emulator"), describe(program)


def test_what_is_refused_needs_a_reason():
    assert not is_allowed("T0424", Program(0, (), (), (), ()))
    assert is_allowed("T0424", Program(0, (), (), (), (), plan={"stages": 9}))
    assert all(WITH_FIELDS.values())


@pytest.mark.parametrize("kind", ["wrong", "internal", "false refusal", "unsupported"])
def test_these_are_failures(kind):
    assert Verdict(kind).bad
