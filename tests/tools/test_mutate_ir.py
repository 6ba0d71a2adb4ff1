"""Random edits of dumps end with a diagnostic or with PTX, at every stage."""

import os
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tilec.request.options import RESUME_CHOICES
from tools.mutate_ir.__main__ import main
from tools.mutate_ir.dumps import Seed, make_dumps
from tools.mutate_ir.edits import EDITS, edit
from tools.mutate_ir.trial import BAD, Ending, Trial, run_trials
from tools.mutate_ir.typed_edits import operations, split_top

SECONDS = 60.0
KERNELS = (Seed("vector_add"), Seed("matmul", {"BM": 64, "BN": 64, "BK": 64}))
DUMP = """\
module {
  %0 = "t.one"(%a, %b) {n = 4 : i64, s = array<i64: 8, 16>} : (i32, memref<4x8xf32>) -> i32
  "t.two"(%0) {name = "x"} : (i32) -> ()
}
"""


@pytest.fixture(scope="module")
def dumps(tmp_path_factory):
    return make_dumps(tmp_path_factory.mktemp("dumps"), KERNELS)


def test_every_stage_has_dumps(dumps):
    assert {stage: bool(found) for stage, found in dumps.items()} == dict.fromkeys(
        RESUME_CHOICES, True
    )


@pytest.mark.parametrize("stage", RESUME_CHOICES)
def test_edits_end_with_a_diagnostic_or_with_ptx(dumps, stage, tmp_path, monkeypatch):
    monkeypatch.setenv("TILEC_REPRODUCER_DIR", str(tmp_path))
    texts = [dump.text for found in dumps.values() for dump in found]
    trials = []
    for number in range(10):
        chance = Random(f"ci:{stage}:{number}")
        dump = chance.choice(dumps[stage])
        text, names = edit(chance, dump.text, texts)
        trials.append(Trial(stage, number, names, dump.name, text))
    results = list(run_trials(trials, os.cpu_count() or 1, SECONDS))
    assert sorted(result.trial.number for result in results) == list(range(10))
    assert [item for item in results if item.ending in BAD] == []


def test_equal_chances_make_equal_edits():
    made = [edit(Random(f"x{number}"), DUMP, [DUMP]) for number in range(200)]
    assert made == [edit(Random(f"x{number}"), DUMP, [DUMP]) for number in range(200)]
    changed = Counter(text != DUMP for text, _ in made)
    assert changed[True] > changed[False]


@pytest.mark.parametrize("change", dict.fromkeys(EDITS), ids=lambda change: change.__name__)
def test_edits_take_any_text(change):
    for text in ("", "\n", "x", DUMP):
        for number in range(20):
            lines = change(Random(number), text.split("\n"), [text])
            assert isinstance(lines, list)


def test_operations_are_taken_apart():
    one, two = operations(list(DUMP.split("\n")))
    assert (one.operands, one.types) == (["%a", "%b"], ["i32", "memref<4x8xf32>"])
    assert [one.text(), two.text()] == DUMP.split("\n")[1:3]
    assert split_top("a, b<c, d>, (e) -> f, {g, h}") == ["a", "b<c, d>", "(e) -> f", "{g, h}"]


@pytest.mark.parametrize(
    ("text", "ending"),
    [("module {", Ending.DIAGNOSTIC), ("module {\n" * 300, Ending.DIAGNOSTIC)],
)
def test_how_a_trial_ended(text, ending):
    (result,) = run_trials([Trial("cuda_tile", 0, "", "", text)], 1, SECONDS)
    assert result.ending is ending
    assert result.located


def test_a_process_that_dies_or_hangs_is_noticed(monkeypatch):
    def die(*_):
        os.abort()

    def hang(*_):
        import time

        time.sleep(SECONDS)

    def fill(*_):
        return bytes(1 << 40)

    def explode(*_):
        raise ZeroDivisionError("x")

    found = []
    for work in (die, hang, fill, explode):
        monkeypatch.setattr("tools.mutate_ir.trial.resume_here", work)
        (result,) = run_trials([Trial("cuda_tile", 0, "", "", "")], 1, 8.0)
        found.append(result.ending)
    assert found == [Ending.DIED, Ending.HUNG, Ending.MEMORY, Ending.INTERNAL]


def test_the_command_counts(capsys, tmp_path: Path):
    words = ["--edits", "2", "--kernels", "1", "--stages", "cuda_tile", "--keep", str(tmp_path)]
    assert main(words) == 0
    header, row, codes, _ = capsys.readouterr().out.splitlines()
    assert all(ending.value in header for ending in Ending)
    assert row.startswith("cuda_tile")
    assert codes.startswith("diagnostics:")
    assert sum(int(word) for word in row.split()[1:]) == 2
