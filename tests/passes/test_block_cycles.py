"""How long a block takes at least, as launches can evaluate it."""

import pytest

from tests.support.example_cases import fixed_extents
from tests.support.seeded_faults import ROOT, source_of
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.runtime.launch.expressions import evaluate


def cycles(name, dims, **constants):
    """Return what the metadata of an example say for some dims; 0 for nothing."""
    path = ROOT / "examples" / f"{name}.tile"
    asked = Specialization(constants={**fixed_extents(path), **constants})
    made = compile_source(source_of(path), name, asked, CompileOptions(emit="plan"))
    metadata = made.artifact.kernels[0].metadata
    return evaluate(metadata.get("block_cycles", "0"), {**metadata["constants"], **dims})


TILE = {"BM": 128, "BN": 128, "BK": 64}
HEADS = {"BM": 128, "BN": 128, "BD": 64}


@pytest.mark.parametrize(
    ("name", "constants", "dims", "expected"),
    [
        ("matmul", TILE, {"K": 6400}, 100 * (2 * 2 * 128 * 64 // 60)),
        ("row_sum", {"BM": 4, "BN": 2048}, {"N": 20480}, 10 * (4 * 2048 * 2 // 60)),
        ("flash_attention", {**HEADS, "causal": 0}, {"N": 1280}, 10 * 1024),
        ("flash_attention", {**HEADS, "causal": 1}, {"N": 1280}, 5 * 1024),
        ("attention_backward_keys", {"causal": 1}, {"S": 1280, "H": 4, "G": 2}, 2 * 10 * 1024),
    ],
)
def test_rounds_that_a_launch_can_count(name, constants, dims, expected):
    assert cycles(name, dims, **constants) == expected


def test_rounds_that_blocks_or_loaded_numbers_decide_count_as_one():
    assert cycles("window_attention", {"S": 10**6}) == cycles("window_attention", {"S": 1})
    assert cycles("decode_attention", {"S": 10**6}) == cycles("decode_attention", {"S": 1})


def test_nothing_long_is_nothing():
    assert cycles("varlen_tiles", {}) == 0
