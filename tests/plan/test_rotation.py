"""When a loop whose rounds overlap is given up, because ptxas has too few registers for it."""

import pytest

from tests.support.rotated_cases import FILE
from tilec.compiler.backend import CodeGenerator
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, error
from tilec.support.sources import read_source_file

PTX = CompileOptions(emit="ptx", run_ptxas=False)


def compiled(kernel, **plan):
    """Return the plan of a kernel, and what the compiler says about it."""
    given = {"BM": 64, "BN": 32, "BD": 64}
    asked = Specialization(plan=plan, constants=given)
    made = compile_source(read_source_file(FILE), kernel, specialization=asked, options=PTX)
    return made.artifact.kernels[0].metadata["plan"], [str(item) for item in made.sink.items]


@pytest.fixture
def spilling(monkeypatch):
    """Let the first code spill."""
    run = CodeGenerator.run
    spilled: list[bool] = []

    def spill(self, *arguments, **options):
        spilled.append(True)
        if len(spilled) == 1:
            raise CompileError(error("T0608", "a thread spills"))
        return run(self, *arguments, **options)

    monkeypatch.setattr(CodeGenerator, "run", spill)


def test_a_loop_that_spills_is_left_as_it_is(spilling):
    plan, said = compiled("faded", blocks_per_sm=1)
    assert not plan["rotate"]
    (why,) = [text for text in said if "planned again without" in text]
    assert "a loop whose rounds overlap takes too many registers (a thread spills)" in why
    assert plan["persistent"]
    (loop,) = plan["loops"]
    assert loop["why"] == "the best rotated loop is excluded by rotate = false"


def test_a_loop_that_was_asked_for_spills(spilling):
    plan, _ = compiled("faded", blocks_per_sm=1, rotate=True)
    assert plan["rotate"]
    assert not plan["persistent"], "what goes instead"
