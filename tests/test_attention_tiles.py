"""Attention compiles for wide heads without spills: its tiles take most of the registers."""

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


HEADS = [
    # elements of a key and of a value, a long sequence, tile, who stores the result
    (128, 128, {"BM": 128, "BN": 192}, "threads"),
    (192, 128, {"BM": 192, "BN": 80}, "TMA"),
    (256, 256, {"BM": 128, "BN": 80}, "threads"),
]


@pytest.mark.parametrize(("key", "value", "tile", "who"), HEADS)
def test_threads_store_results_whose_staging_would_take_a_slot(key, value, tile, who):
    source = source_of(ROOT / "examples" / "attention.tile")
    wanted = Specialization(
        constants={"BD": key, "BV": value, "causal": 0}, sizes={"S": 16384, "D": key, "DV": value}
    )
    made = compile_source(source, "attention", wanted)
    metadata = made.artifact.kernels[0].metadata
    assert {name: metadata["constants"][name] for name in tile} == tile
    assert metadata["plan"]["stages"] == 2
    (reason,) = [item.message for item in made.remarks if item.code == "T0522"] or [None]
    assert (reason is None) == (who == "TMA")
