"""A pass that says that it changed nothing has changed nothing: the runner does not verify then."""

from dataclasses import replace

import pytest

from tests.support.seeded_faults import ROOT, source_of
from tilec.compiler.driver import compile_source
from tilec.frontend.syntax.parser import kernels, parse_source
from tilec.passes import load_pass, runner
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization

FILES = (*(ROOT / "examples").glob("*.tile"), *(ROOT / "tests" / "kernels").glob("*.tile"))


@pytest.fixture
def unchanged(monkeypatch) -> list[str]:
    """The passes that said so; each is checked."""
    names: list[str] = []

    def load(name):
        found = load_pass(name)
        if found is None:
            return None

        def run(module, context):
            before = str(module)
            changed = found.run(module, context)
            if changed is False:
                assert str(module) == before, name
                names.append(name)
            return changed

        return replace(found, run=run)

    monkeypatch.setattr(runner, "load_pass", load)
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_modules_stay_as_they_were(path, unchanged):
    source = source_of(path)
    for kernel in kernels(parse_source(source)):
        compile_source(source, kernel.name, options=CompileOptions(run_ptxas=False))
    checks = {"nv-tileas-verify-placement", "nv-tileas-verify-async-protocol"}
    assert {*checks, "verify-llvm-legality"} <= set(unchanged)


@pytest.mark.parametrize(
    ("name", "plan"),
    [
        ("nv-tileas-alternate-tiles", {"pingpong": 1}),
        ("nv-tileas-overlap-mma", {"mma_pending": 1}),
        ("nv-tileas-slice-tiles", {"slice_columns": 32}),
        ("nv-tileas-split-k", {"split_k": 2}),
        ("nv-tileas-attach-workspaces", {"split_k": 2}),
    ],
)
def test_passes_that_a_plan_asks_for_change_something(name, plan, unchanged):
    source = source_of(ROOT / "examples" / "matmul.tile")
    tile = {"BM": 128, "BN": 128, "BK": 64}
    emit = CompileOptions(emit="nv_tileas")
    for fields, expected in (({"mma_pending": 0}, True), (plan, False)):
        unchanged.clear()
        compile_source(source, "matmul", Specialization(constants=tile, plan=fields), emit)
        assert (name in unchanged) is expected
