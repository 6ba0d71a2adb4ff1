"""Kernels of many steps: passes look at each value once, and give up where that is too much."""

import pytest

from tests.support.packed import PATH
from tilec.compiler.driver import compile_source
from tilec.passes.analysis.epilogue import accumulator_stores
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import SourceFile

OPTIONS = CompileOptions(emit="ptx", run_ptxas=False)
AFTER = "        alpha = exp2(m_i - m_safe)\n"
SUMS = """
@kernel
def sums[M, N](X: f32[M, N], Y: f32[M]):
    m = grid(cdiv(M, 64))
    b, c = cdiv(N, 64), m > 3
{before}    s = zeros((64,), f32)
    if c:
        for n in range(b):
            s = s + sum(load(X, (m, n), (64, 64)), axis=1)
    for n in range(b):
        x = load(X, (m, n), (64, 64))
{inside}        s = s + sum(x, axis=1)
    store(Y, (m,), s)
"""
SQUARES = """
@kernel
def squares[M](X: f32[M], Y: f32[M]):
    m = grid(cdiv(M, 256))
    x = load(X, (m,), (256,))
{steps}    store(Y, (m,), x)
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


def test_a_mask_of_scores():
    text = PATH.read_text(encoding="utf-8")
    hidden = "        qk = where(mask, qk, -inf)\n"
    step = "        mask = (mask & (doc_q[:, None] >= 0)) | (mask & (doc_k[None, :] >= 1))\n"
    constants = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_D": 64}
    source = SourceFile("mask.tile", text.replace(hidden, step * 40 + hidden))
    compiled = compile_source(source, None, Specialization(constants=constants), options=OPTIONS)
    assert compiled.texts["ptx"]


def test_a_largest_score():
    text = PATH.read_text(encoding="utf-8")
    weights = "        p = exp2(qk - m_safe[:, None])\n"
    step = "        m_safe = maximum(m_safe * 0.5, m_safe)\n"
    constants = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_D": 128}
    asked = Specialization(constants=constants, plan={"rotate": 1})
    source = SourceFile("top.tile", text.replace(weights, step * 30 + weights))
    assert compile_source(source, None, asked, options=OPTIONS).texts["ptx"]


@pytest.mark.parametrize(
    ("steps", "number"),
    [
        ("    b = minimum(b * 3 - b, b + 5)\n", 40),
        ("    c = (c and m < N) or (c and m > M - 5)\n", 40),
        ("    b = (b ^ m) + 1\n", 500),
        ("        x = x * x + x\n", 40),
    ],
    ids=["bounds", "conditions", "a long chain", "sums of rows"],
)
def test_values_that_are_used_twice_in_each_step(steps, number):
    inside = steps.startswith(" " * 8)
    text = SUMS.format(before="" if inside else steps * number, inside=steps * number * inside)
    assert compile_source(SourceFile("sums.tile", text), options=OPTIONS).texts["ptx"]


def test_each_step_of_a_chain_is_asked_once_whether_it_comes_from_an_accumulator(monkeypatch):
    looked_at = []
    found = accumulator_stores.defining_operation
    monkeypatch.setattr(
        accumulator_stores, "defining_operation", lambda value: looked_at.append(1) or found(value)
    )
    counts = []
    for number in (50, 100):
        text = SQUARES.format(steps="    x = x * x + x\n" * number)
        looked_at.clear()
        compile_source(SourceFile("squares.tile", text), options=CompileOptions(emit="nv_tileas"))
        counts.append(len(looked_at))
    assert 2 * 50 <= counts[0] < counts[1] < 3 * counts[0]
