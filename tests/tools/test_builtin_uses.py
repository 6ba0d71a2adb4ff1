"""Every builtin is tested on the CPU reference, the emulator and a GPU, and has an example."""

import re
from types import SimpleNamespace

import pytest

from tests.support import count_cases, element_cases, feature_cases
from tilec.dialects import cuda_tile as ct
from tilec.frontend.semantics.builtins.table import BUILTINS
from tilec.passes.conversion.cuda_tile_to_nv_tileaa import convert  # noqa: F401 - all the rules
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.rules import RULES
from tools.docs.builtin_uses import SUITES, example_of, sources, uses
from tools.docs.generated import ROOT

FRAME = {"cuda_tile.entry"}
"""Operations that have no rule: the entry is replaced as a whole, before its body."""
CASES = {
    "features": feature_cases.CASES,
    "elements": element_cases.CASES,
    "counts": count_cases.CASES,
}


@pytest.mark.parametrize("name", sorted(BUILTINS))
def test_every_builtin_is_tested_and_has_an_example(name):
    assert uses()[name]
    assert re.search(rf"\b{name}\(", example_of(name))


def test_the_files_are_those_of_the_suites():
    assert {f"{name}.tile" for name in SUITES["features"]} == set(feature_cases.FILES)


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_runs_on_the_emulator_and_on_a_gpu(suite):
    for folder in ("emulated", "gpu"):
        assert (ROOT / "tests" / folder / f"test_{suite}.py").is_file()


@pytest.mark.parametrize("suite", CASES)
def test_every_kernel_of_a_suite_is_run(suite):
    kernels = {use.kernel for found in uses().values() for use in found if use.suite == suite}
    marked = {
        line.split("def ")[1].split("[")[0].split("(")[0]
        for _, text in sources(suite)
        for before, line in zip(text.splitlines(), text.splitlines()[1:], strict=False)
        if before.startswith("@kernel")
    }
    assert marked
    assert marked & kernels == marked
    assert marked <= set(CASES[suite])


def test_every_operation_of_cuda_tile_is_lowered():
    names = {getattr(ct, name).OPERATION_NAME for name in ct.__all__ if name.endswith("Op")}
    lowered = {name for name in names if RULES.find(SimpleNamespace(name=name)) is not None}
    assert names - lowered == FRAME
