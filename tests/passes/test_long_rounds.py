"""Rounds of many operations: passes look at each of them once, and give up in time."""

import pytest

from tests.support.packed import PATH
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import SourceFile

OPTIONS = CompileOptions(emit="ptx", run_ptxas=False)
AFTER = "        alpha = exp2(m_i - m_safe)\n"
SUMS = """
@kernel
def sums[M, N](X: f32[M, N], Y: f32[M]):
    m = grid(cdiv(M, 64))
    s = zeros((64,), f32)
    for n in range(cdiv(N, 64)):
        x = load(X, (m, n), (64, 64))
{steps}        s = s + sum(x, axis=1)
    store(Y, (m,), s)
"""


@pytest.mark.parametrize(
    ("steps", "expected"),
    [(100, "rounds of the loop are left out"), (600, "a round has too many operations")],
)
def test_the_proof_that_a_round_is_idle(steps, expected):
    text = PATH.read_text(encoding="utf-8")
    text = text.replace(AFTER, "        p = p * 1.01\n" * steps + AFTER)
    constants = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_D": 64}
    result = compile_source(
        SourceFile("long.tile", text), None, Specialization(constants=constants), options=OPTIONS
    )
    assert any(expected in item.message for item in result.remarks)


def test_values_that_are_used_twice_in_each_step():
    text = SUMS.format(steps="        x = x * x + x\n" * 40)
    assert compile_source(SourceFile("sums.tile", text), options=OPTIONS).texts["ptx"]
