"""What is compiled where every plan loses performance."""

from dataclasses import replace

import pytest

from tests.support.gemm_source import gemm_source
from tilec.codegen import ptxas
from tilec.compiler.attempts import Attempt, given_up_in_vain, least_loss
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, Severity, SourceFile, error

MATMUL = SourceFile("f.tile", gemm_source("f", columns=256))
NO_CODE = CompileError(error("T0424", "too much shared memory"))
SPILL = CompileError(error("T0608", "a thread spills"))
pytestmark = pytest.mark.spills


def attempt(losses, failure=SPILL):
    return Attempt(Specialization(), failure, losses)


def test_a_plan_with_fewest_bytes_and_no_serialised_product_is_taken():
    assert least_loss([attempt((0, 64)), attempt((0, 8)), attempt((0, 8))]) == 1
    assert least_loss([attempt((1, 8)), attempt((0, 640))]) == 1
    assert least_loss([attempt(None, NO_CODE), attempt((1, 8))]) == 1
    assert least_loss([attempt(None, NO_CODE)]) is None


def test_a_field_was_given_up_in_vain_if_code_without_it_loses_no_less():
    def found(*attempts):
        return given_up_in_vain(
            [
                Attempt(Specialization(disabled=frozenset(fields)), SPILL, losses)
                for fields, losses in attempts
            ]
        )

    assert found(((), (0, 48))) == set()
    assert found(((), (0, 48)), (("rotate",), (0, 48))) == {"rotate"}
    assert found(((), (0, 48)), (("rotate",), (0, 44))) == set()
    assert found(((), (0, 48)), (("rotate",), (1, 8))) == {"rotate"}
    assert found(((), None), (("rotate",), (0, 48))) == set()
    assert found(((), (0, 48)), (("rotate", "persistent"), (0, 48))) == set()
    first = ((), (0, 48)), (("rotate",), (0, 48))
    assert found(*first, (("read_early",), (0, 52))) == {"rotate", "read_early"}
    assert found(*first, (("rotate", "read_early"), (0, 0))) == {"rotate"}


@pytest.fixture
def spilling(monkeypatch):
    """Let each plan spill: a list of bytes, the last of which is for all that follow."""
    real, calls = ptxas.assemble, []

    def use(*amounts):
        def assemble(*arguments, **options):
            made = real(*arguments, **options)
            lineinfo = options.get("lineinfo", False)
            if not lineinfo:
                calls.append(made)
            amount = amounts[min(len(calls), len(amounts)) - 1]
            entry = replace(made.entries[0], spill_stores=amount, spill_loads=amount)
            return replace(made, entries=(entry,), losses=(error("T0608", f"spills {amount}"),))

        monkeypatch.setattr(ptxas, "assemble", assemble)
        return calls

    return use


def test_the_plan_that_spills_least_is_compiled_again_with_a_warning(spilling):
    calls = spilling(32, 8, 16)
    made = compile_source(MATMUL)
    plan = made.artifact.kernels[0].metadata["plan"]
    assert (plan["snake_k"], plan["defer_stores"], plan["persistent"]) == (False, True, True)
    assert len(calls) > 3
    (warned,) = [item for item in made.remarks if item.severity is Severity.WARNING]
    assert (warned.code, warned.message) == ("T0608", "spills 16")
    last = [item.message for item in made.remarks if item.code == "T0432"][-1]
    assert last.startswith(f"every plan loses performance; plan 2 of {len(calls) - 1} loses least")
    abandoned = [item for item in made.timings if item.stage == "abandoned"]
    assert len(abandoned) == len(calls) - 1


def test_what_all_plans_lose_alike_is_given_up_one_by_one_and_then_together(spilling):
    spilling(32)
    made = compile_source(MATMUL)
    reasons = [item.message for item in made.remarks if item.code == "T0432"]
    together = [n for n, text in enumerate(reasons) if "without all that does" in text]
    assert len(together) == 1
    singles = reasons[: together[0]]
    assert len({text.partition(" takes ")[0] for text in singles}) == len(singles) > 1
    assert all("which made no difference" in text for text in singles[1:])
    assert "plan 1 of" in reasons[-1]
    assert made.artifact.kernels[0].metadata["plan"]["snake_k"]


def test_where_spills_are_forbidden_the_first_failure_is_raised(spilling):
    spilling(32, 8, 16)
    with pytest.raises(CompileError, match="spills 32"):
        compile_source(MATMUL, options=CompileOptions(allow_spills=False))


def test_a_plan_without_spills_is_taken_as_always(spilling, monkeypatch):
    spilling(0)
    real = ptxas.assemble
    monkeypatch.setattr(ptxas, "assemble", lambda *a, **o: replace(real(*a, **o), losses=()))
    assert compile_source(MATMUL).artifact.kernels[0].metadata["plan"]["snake_k"]


def test_what_fails_after_ptxas_is_no_reason_to_try_again(spilling, monkeypatch):
    calls = spilling(32, 8)

    def missing(_):
        raise CompileError(error("T0606", "no nvdisasm"))

    monkeypatch.setattr("tilec.codegen.sass.disassemble", missing)
    with pytest.raises(CompileError, match="no nvdisasm"):
        compile_source(MATMUL, options=CompileOptions(emit="sass"))
    assert len(calls) < 12
