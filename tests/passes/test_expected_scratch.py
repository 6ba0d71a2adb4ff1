"""The scratch area that the planner leaves room for is the one that the kernel gets."""

from pathlib import Path

import pytest

from tilec.compiler.driver import compile_source
from tilec.passes.transforms.nv_tileas.plan import expected_scratch, plan_kernel
from tilec.passes.transforms.nv_tileas.resources import assign_buffers
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import SourceFile

EXAMPLES = Path(__file__).parents[2] / "examples"
CROSSED = """\
@kernel
def crossed[N, K](A: bf16[N, K], B: bf16[K, N], C: f32[N, N]):
    m, n = grid(cdiv(N, 128), cdiv(N, 128))
    acc = zeros((128, 128), f32)
    turned = zeros((128, 128), f32)
    for k in range(cdiv(K, 64)):
        a, b = load(A, (m, k), (128, 64)), load(B, (k, n), (64, 128))
        acc = mma(a, b, acc)
        turned = mma(a, b, turned)
    store(C, (m, n), acc + turned.T)
"""
"""An accumulator and a transposed one: one of the two has to move."""


def compiled(source, constants=None):
    """Return the compilation of a source as far as nv_tileas."""
    wanted = Specialization(constants=constants or {})
    return compile_source(source, None, wanted, CompileOptions(emit="nv_tileas"))


@pytest.mark.parametrize(
    ("name", "constants", "expected"),
    [
        ("flash_attention", {"causal": 0, "BD": 128}, 0),
        ("column_sum", {"N": 4096}, 2048),
        ("cross_entropy", {}, 16),
        ("fft", {}, 16384),
        ("row_cumsum", {}, 16),
    ],
)
def test_the_planner_expects_what_the_kernel_needs(monkeypatch, name, constants, expected):
    planned, placed = [], []

    def plan(function, warps, room):
        planned.append(expected_scratch.expected_scratch_bytes(function, warps, room))
        return planned[-1]

    def place(arena, ops, teams):
        placed.append(assign_buffers._largest_scratch(ops))
        return original(arena, ops, teams)

    original = assign_buffers._place_scratch
    monkeypatch.setattr(plan_kernel, "expected_scratch_bytes", plan)
    monkeypatch.setattr(assign_buffers, "_place_scratch", place)
    path = EXAMPLES / f"{name}.tile"
    compiled(SourceFile(str(path), path.read_text()), constants)
    assert set(planned) == {expected}
    assert placed == ([expected] if expected else [])


def stages_of(made):
    """Return the reason of the stages in the remarks of a compilation."""
    (found,) = [it.message for it in made.sink.items if it.message.startswith("plan: stages")][-1:]
    return found


def test_an_area_that_nobody_expected_is_planned_for_in_the_second_attempt(monkeypatch):
    source = SourceFile("crossed.tile", CROSSED)
    expected = compiled(source)
    monkeypatch.setattr(expected_scratch, "may_need_scratch", lambda function: False)
    surprised = compiled(source)
    (why,) = [it.message for it in surprised.sink.items if it.code == "T0432"]
    assert "the scratch area takes 65536 bytes" in why
    assert not any(it.code == "T0432" for it in expected.sink.items)
    assert stages_of(surprised) == stages_of(expected)
