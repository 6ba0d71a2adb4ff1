"""Wrong inputs end with a diagnostic; and an ending that is none is found, told and kept."""

import os
import time
from pathlib import Path
from random import Random

import pytest

from tools.fuzz_inputs import command, texts, words
from tools.fuzz_inputs.shrinking import shrink
from tools.fuzz_inputs.trial import Ending, Trial, run_trials

SOURCE = "@kernel\ndef f[M](A: f32[M]):\n    m = grid(cdiv(M, 16))\n    store(A, m, zeros(16))\n"


def test_some_inputs_of_every_kind(capsys):
    code = command.main(["--count", "3", "--first", "90000", "--jobs", "2", "--shrink", "0"])
    shown = capsys.readouterr().out
    assert code == 0, shown
    for kind in command.KINDS:
        assert f"{kind}: " in shown


def test_equal_numbers_make_equal_inputs(tmp_path):
    made = command.Inputs("0", tmp_path, ("text",))
    assert made.trial("text", 7) == made.trial("text", 7)
    assert made.trial("text", 7).files != made.trial("text", 8).files


@pytest.mark.parametrize("change", dict.fromkeys(texts.EDITS), ids=lambda item: item.__name__)
def test_every_edit_changes_sources_and_takes_an_empty_one(change):
    found = {change(Random(number), SOURCE, [SOURCE]) for number in range(40)}
    assert len(found) > 10
    for number in range(20):
        change(Random(number), "", [""])


def test_command_lines_differ():
    drawn = {tuple(words.drawn(Random(number))) for number in range(300)}
    assert len(drawn) > 250


def ending_of(work):
    (result,) = run_trials([Trial("words", 0)], 1, work)
    return result.ending


def _crash(trial):
    raise KeyError("a defect")


@pytest.mark.parametrize(
    ("work", "ending"),
    [
        (lambda trial: 0, Ending.FINE),
        (lambda trial: print("error: no") or 1, Ending.DIAGNOSTIC),
        (lambda trial: 1, Ending.SILENT),
        (lambda trial: 70, Ending.INTERNAL),
        (lambda trial: 3, Ending.CODE),
        (_crash, Ending.TRACEBACK),
        (lambda trial: os.kill(os.getpid(), 11), Ending.DIED),
    ],
)
def test_endings(work, ending):
    assert ending_of(work) is ending


def _count(trial):
    while True:
        pass


@pytest.mark.parametrize("limit", ["SECONDS", "PATIENCE"])
def test_what_takes_too_long_is_ended(monkeypatch, limit):
    monkeypatch.setattr(f"tools.fuzz_inputs.trial.{limit}", 1)
    work = _count if limit == "SECONDS" else lambda trial: time.sleep(30) or 0
    assert ending_of(work) is Ending.HUNG


def test_a_failure_is_made_smaller_told_and_kept(tmp_path, capsys, monkeypatch):
    def work(trial):
        text = Path("input.tile").read_text()
        if "store" in text:
            raise KeyError("a defect")
        print("error: none")
        return 1

    monkeypatch.setattr(command, "work", work)
    monkeypatch.setattr(texts, "edited", lambda chance, sources: SOURCE)
    line = ["--kinds", "text", "--count", "1", "--keep", str(tmp_path / "kept")]
    assert command.main(line) == 1
    shown = capsys.readouterr().out
    assert "python -m tools.fuzz_inputs --kinds text --first 0 --count 1 --seed 0" in shown
    assert "KeyError" in shown
    assert (tmp_path / "kept" / "text0-input.tile").read_text() == "store"


def test_shrinking_drops_lines_and_tokens():
    found = shrink(SOURCE, lambda text: "store" in text, 10.0)
    assert found == "store"
