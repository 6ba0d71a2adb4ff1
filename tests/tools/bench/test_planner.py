"""The search itself, on a GPU process that reads times from a table."""

import json
import time

import pytest

from tools.bench import planner
from tools.bench.planner import (
    ShapeResult,
    format_results,
    parse_arguments,
    refusals,
    score,
    search,
    search_shape,
)
from tools.bench.search.candidates import SHAPES, Candidate, Shape
from tools.bench.search.compiling import Built, Variant
from tools.bench.search.messages import FinalRequest, LookRequest, ShapeRequest
from tools.bench.search.rivals import EVERYONE, Rivals, read_rivals
from tools.bench.search.worker import VariantError

SHAPE = Shape(1000, 1000, 500, "square")  # 1e9 operations: 1 ms is 1 TFLOP/s


def variant(name):
    return Variant(name, f"{name}.tilepkg", {"BM": 64, "BN": 64, "BK": 64}, {"stages": 4})


class TableProcess:
    """Answers from a table of milliseconds; an exception in it is a failure."""

    def __init__(self, times):
        self.times = {f"{name}.tilepkg": value for name, value in times.items()}
        self.looks = []
        self.finals = []
        self.closed = False

    def ask(self, request, seconds=0.0):
        if isinstance(request, ShapeRequest):
            return None
        if isinstance(request, LookRequest):
            self.looks.append((request.path.removesuffix(".tilepkg"), request.long))
            value = self.times[request.path]
            if isinstance(value, Exception):
                raise value
            return value
        assert isinstance(request, FinalRequest)
        self.finals.append([path.removesuffix(".tilepkg") for path in request.paths])
        return {path: [self.times[path]] * request.rounds for path in request.paths}

    def close(self):
        self.closed = True


def run(times, deadline=float("inf")):
    process = TableProcess(times)
    names = [name for name in times if name != "planner"]
    result = search_shape(
        process, SHAPE, Built((variant("planner"),)), [variant(name) for name in names], deadline
    )
    return process, result


def test_slow_plans_are_dropped_and_the_best_meets_the_planner():
    process, result = run({"planner": 1.4, "a": 1.0, "b": 1.2, "slow": 1.6})
    assert [name for name, long in process.looks if not long] == ["planner", "a", "b", "slow"]
    assert [name for name, long in process.looks if long] == ["a", "b", "planner"]
    assert process.finals == [["a", "b", "planner"]]
    assert result.ratio == pytest.approx(1 / 1.4)
    assert result.best is not None
    assert result.best["milliseconds"] == 1.0
    assert (result.searched, result.complete, result.failures) == (4, True, {})


def test_the_planner_is_in_the_final_even_when_it_is_slow():
    times = {"planner": 9.0, **{f"v{i}": 1.0 + i / 100 for i in range(10)}}
    process, result = run(times)
    (final,) = process.finals
    assert final == [f"v{i}" for i in range(planner.FINALISTS)] + ["planner"]
    assert result.ratio == pytest.approx(1 / 9)


def test_failures_are_noted_and_the_rest_counts():
    process, result = run({"planner": 2.0, "bad": VariantError("wrong result"), "a": 1.0})
    assert result.failures == {"bad": "wrong result"}
    assert result.ratio == 0.5
    assert result.complete
    assert process.finals == [["a", "planner"]]


def test_a_planner_that_fails_has_no_ratio():
    _, result = run({"planner": VariantError("hang"), "a": 1.0})
    assert result.ratio is None
    assert result.failures == {"planner": "hang"}
    refused = search_shape(
        TableProcess({}), SHAPE, Built(refusal="T0424", message="no room"), [], float("inf")
    )
    assert refused.failures == {"planner": "T0424: no room"}


def test_nothing_that_works_is_no_crash():
    process, result = run({"planner": VariantError("hang")})
    assert process.finals == []
    assert result.ratio is None


def test_deadline_stops_the_looks():
    process, result = run({"planner": 1.0, "a": 1.0, "b": 1.0}, time.monotonic() - 1)
    assert result.searched == 1
    assert not result.complete
    assert process.finals == [["planner"]]
    assert "(of 1 plans)" in format_results([result])


def test_search_gives_each_shape_its_candidates_and_keeps_to_the_time(monkeypatch):
    process = TableProcess({"planner": 1.0, "mine": 1.0, "other": 1.0})
    monkeypatch.setattr(planner, "GpuProcess", lambda: process)
    built = {
        Candidate(64, 64, (1, 1), "cooperative", SHAPE.divisible): Built((variant("mine"),)),
        Candidate(64, 64, (1, 1), "cooperative", "MNK"): Built((variant("other"),)),
    }
    results: list[ShapeResult] = []
    choices = {SHAPE: Built((variant("planner"),))}
    search([SHAPE], choices, built, EVERYONE, time.monotonic() + 60, results)
    assert {name for name, _ in process.looks} == {"planner", "mine"}
    assert process.closed
    search([SHAPE], {}, built, EVERYONE, time.monotonic() + 60, results)
    assert results[1].failures == {"planner": "not compiled within the budget"}
    search([SHAPE], {}, built, EVERYONE, time.monotonic() - 1, results)
    assert len(results) == 2
    process.looks.clear()
    rivals = Rivals({str(SHAPE): frozenset(["nobody"])})
    search([SHAPE], choices, built, rivals, time.monotonic() + 60, results)
    assert {name for name, _ in process.looks} == {"planner"}


def test_the_best_is_chosen_in_some_rounds_and_timed_in_others():
    """A plan that is lucky where the best is chosen is not lucky again."""
    process = TableProcess({"planner": 1.0, "lucky": 0.9, "even": 1.0})
    rounds = {
        "planner.tilepkg": [1.0, 1.0],
        "lucky.tilepkg": [0.8, 1.1],
        "even.tilepkg": [1.0, 1.0],
    }
    answer = process.ask

    def ask(request, seconds=0.0):
        return rounds if isinstance(request, FinalRequest) else answer(request, seconds)

    process.ask = ask
    found = [variant("lucky"), variant("even")]
    result = search_shape(process, SHAPE, Built((variant("planner"),)), found, float("inf"))
    assert result.best is not None
    assert result.best["milliseconds"] == 1.1
    assert result.ratio == pytest.approx(1.1)


def report_of(looks, **best):
    plan = {"cluster": [1, 1, 1], "stages": 4, "teams": 2, **best}
    found = {"constants": {"BM": 64, "BN": 80, "BK": 64}, "plan": plan}
    return {"results": [{"shape": str(SHAPE), "looks": looks, "best": found}]}


def test_rivals_are_the_best_and_those_that_looked_fast(tmp_path):
    path = tmp_path / "report.json"
    names = [f"64x{n}x64-1x1-pingpong-{SHAPE.divisible or 'none'}-4" for n in (64, 80, 96, 112)]
    looks = {names[0]: 1.0, "planner-8x8x8": 1.1, names[2]: 1.2, names[3]: 1.3, names[1]: 1.4}
    path.write_text(json.dumps(report_of(looks)))
    rivals = read_rivals(path, [SHAPE])
    assert rivals.names == {str(SHAPE): frozenset([names[1], names[0], names[2]])}
    built = [Candidate(64, n, (1, 1), "pingpong", SHAPE.divisible) for n in (64, 80, 112)]
    assert [rivals.has(item) for item in built] == [True, True, False]
    assert rivals.has_variant(SHAPE, names[0])
    assert not rivals.has_variant(SHAPE, names[3])
    assert EVERYONE.has_variant(SHAPE, names[3])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no report of a search"),
        ("[]", "is no report of a search"),
        (json.dumps(report_of({})), "has no search for 1000x1000x500"),
        ('{"results": []}', "has no search for 1000x1000x500"),
    ],
)
def test_a_file_without_rivals(tmp_path, text, message):
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_rivals(path, [SHAPE])
    with pytest.raises(ValueError, match="is no report of a search"):
        read_rivals(tmp_path / "nothing.json", [SHAPE])


def test_score_and_refusals():
    done = [ShapeResult("8x8x8", "square", ratio=ratio) for ratio in (1.0, 0.25, None)]
    assert score(done) == {"geomean": pytest.approx(0.5), "worst": 0.25}
    assert score([]) == {}
    items = [Candidate(64, bn, (1, 1), "cooperative", "") for bn in (64, 80, 96, 112)]
    found = [Built(refusal="T0423"), Built(refusal="T0303"), Built(refusal="T0303"), Built()]
    assert refusals(dict(zip(items, found, strict=True))) == {"T0303": 2, "T0423": 1}


def test_table_has_a_row_per_shape():
    _, result = run({"planner": 2.0, "a": 1.0})
    lines = format_results([result, ShapeResult("8x8x8", "ragged")]).splitlines()
    assert [cell.strip() for cell in lines[2].strip("|").split("|")] == [
        *("1000x1000x500", "square", "64x64x64, 4 stages", "0.5"),
        *("64x64x64, 4 stages", "1.0", "0.500"),
    ]
    assert "failed" in lines[3]


def test_shapes_are_chosen_by_group_or_name(capsys):
    assert parse_arguments([]).shapes == list(SHAPES)
    assert {shape.group for shape in parse_arguments(["--group", "wide"]).shapes} == {"wide"}
    (one,) = parse_arguments(["--shape", "4096x4096x4096"]).shapes
    assert (one.m, one.n, one.k) == (4096, 4096, 4096)
    with pytest.raises(SystemExit, match="2"):
        parse_arguments(["--shape", "1x2x3"])
    assert "not in the table" in capsys.readouterr().err


def test_compiling_alone_counts_refusals(tmp_path, monkeypatch, capsys):
    refused = Candidate(256, 256, (1, 1), "cooperative", "MNK")
    accepted = Candidate(64, 64, (1, 1), "cooperative", "MNK")
    built = {refused: Built(refusal="T0423"), accepted: Built((variant("a"),))}
    monkeypatch.setattr(planner, "compile_plans", lambda *_: ({}, built))
    words = ["--compile-only", "--variants", str(tmp_path), "--json", str(tmp_path / "p.json")]
    assert planner.main(words) == 0
    assert "by code: T0423 1" in capsys.readouterr().out
    assert json.loads((tmp_path / "p.json").read_text())["refusals"] == {"T0423": 1}
    built[accepted] = Built(crash="ValueError: bug")
    assert planner.main(words) == planner.EXIT_FAILED
    assert "compiler: ValueError: bug" in capsys.readouterr().out
