"""Compiling candidates ahead of time."""

import time

import pytest

import tilec
from tools.bench.search import compiling
from tools.bench.search.candidates import Candidate, Shape
from tools.bench.search.compiling import (
    Built,
    build_all,
    build_candidate,
    build_choice,
    variants_folder,
)

SMALL = Candidate(128, 256, (1, 1), "cooperative", "MNK")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return variants_folder(tmp_path_factory.mktemp("variants"))


@pytest.fixture
def no_compiler(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("compiled again")

    monkeypatch.setattr(tilec, "compile", refuse)


def test_most_stages_and_one_fewer(folder):
    built = build_candidate(SMALL, folder)
    assert not built.refusal
    assert not built.crash
    most, fewer = (item.plan["stages"] for item in built.variants)
    assert fewer == most - 1
    for item in built.variants:
        assert item.constants == {"BM": 128, "BN": 256, "BK": 64}
        (loaded,) = tilec.load_package(item.path).linear.variants
        assert loaded.plan["stages"] == item.plan["stages"]
    options = {"constants": SMALL.constants, "plan": SMALL.plan(most + 1)}
    with pytest.raises(tilec.CompileError, match=compiling.NO_ROOM):
        tilec.compile(compiling.SOURCE, kernel="linear", **options)


def test_what_was_built_is_found_again(folder, monkeypatch):
    first = build_candidate(SMALL, folder)
    with monkeypatch.context() as patch:
        patch.setattr(tilec, "compile", None)
        assert build_candidate(SMALL, folder) == first


def test_refusal_has_the_code(folder, no_compiler, monkeypatch):
    def refuse(*_, plan, **__):
        assert plan["stages"] == 3  # only running out of room leads to fewer stages
        from tilec.support.diagnostics import error

        raise tilec.CompileError(error("T0423", "an accumulator takes 256 registers"))

    monkeypatch.setattr(tilec, "compile", refuse)
    built = build_candidate(Candidate(256, 256, (2, 2), "cooperative", ""), folder)
    assert built == Built(refusal="T0423", message="an accumulator takes 256 registers")


def test_crash_is_a_failure_and_is_not_remembered(folder, monkeypatch):
    item = Candidate(64, 64, (1, 2), "cooperative", "")
    calls = []

    def crash(*_, **__):
        calls.append(1)
        raise tilec.InternalCompilerError("broken invariant")

    monkeypatch.setattr(tilec, "compile", crash)
    for _ in range(2):
        assert build_candidate(item, folder).crash == "InternalCompilerError: broken invariant"
    assert len(calls) == 2


def test_planned_kernel_of_a_shape(folder):
    (planned,) = build_choice(Shape(512, 512, 512, "square"), folder).variants
    large = build_choice(Shape(8192, 8192, 8192, "square"), folder).variants[0]
    assert planned.constants != large.constants


def test_everything_is_built_in_other_processes(folder):
    reported = []
    shape = Shape(512, 512, 512, "square")
    built = build_all([shape, SMALL], folder, time.monotonic() + 60, reported.append)
    assert built == {shape: build_choice(shape, folder), SMALL: build_candidate(SMALL, folder)}
    assert sorted(reported) == sorted([str(shape), SMALL.key])


def test_deadline_leaves_the_rest_out(folder):
    reported = []
    items = [Candidate(64, bn, (1, 1), "cooperative", "") for bn in (64, 128)]
    assert build_all(items, folder, time.monotonic() - 1, reported.append) == {}
    assert reported == ["no time left to compile the rest"]
