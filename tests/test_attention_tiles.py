"""Attention compiles for heads of 128 without spills: its tiles take most of the registers."""

import pytest

from tests.support.seeded_faults import ROOT, source_of
from tilec.compiler.driver import compile_source
from tilec.request.specialization import Specialization

CASES = (
    ("attention_backward", {"BD": 128, "BM": 64}),
    ("attention_backward_keys", {"BD": 128, "causal": 0}),
    ("attention_fp8", {"BD": 128}),
)


@pytest.mark.parametrize(("name", "constants"), CASES, ids=lambda item: str(item))
def test_a_head_of_128(name, constants):
    source = source_of(ROOT / "examples" / f"{name}.tile")
    made = compile_source(source, name, Specialization(constants=constants))
    assert (made.assembly.spill_stores, made.assembly.spill_loads) == (0, 0)
    assert [item for item in made.remarks if item.code == "T0541"] == []
    assert "wgmma.mma_async" in made.texts["ptx"]
    assert "mma.sync.aligned.m16" not in made.texts["ptx"]
