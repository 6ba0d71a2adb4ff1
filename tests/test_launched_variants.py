"""What a launch compiles of each example, which is not what `tilec compile` does.

A launch knows which extents 16 divides, and plans for its sizes. So its code takes other registers,
and what `tests/test_every_kernel.py` says of packages without sizes need not hold for it.
"""

from dataclasses import replace

import pytest

from tests.support.example_cases import EXAMPLES, example_of
from tilec.runtime.jit import load
from tilec.runtime.launch_variants import FIELD
from tilec.testing.check import make_arguments

LARGE = 4096
"""An extent with which no launch is one of few blocks."""
HEADS = {
    "attention": ({"BD": 128, "causal": 0}, {"BD": 128}, {"BD": 256, "causal": 0}, {"BD": 256}),
    "attention_backward_keys": ({"BD": 128, "causal": 0}, {"BD": 128}),
    "attention_backward_queries": ({"BD": 128, "BN": 64, "causal": 0}, {"BD": 128, "BN": 64}),
    "attention_fp8": ({"BD": 128, "causal": 0}, {"BD": 128}),
    "varlen_attention": ({"BD": 128},),
}
"""Constants of large heads, whose tiles take most registers."""


LAUNCHES = [
    pytest.param(path, constants, extent, id=f"{path.stem}-{extent or 'few'}-{constants}")
    for path in EXAMPLES
    for constants, extent in (
        ({}, 0),
        ({}, LARGE),
        *((heads, LARGE) for heads in HEADS.get(path.stem, ())),
    )
]
"""Each example with its usual arguments, with extents for many blocks, and with large heads."""


@pytest.mark.parametrize(("path", "constants", "extent"), LAUNCHES)
def test_a_launch_gives_nothing_up(path, constants, extent):
    """Extents steer the planner only, so arrays may be small."""
    kernel, example = load(path)[path.stem], example_of(path)
    inputs = make_arguments(kernel.signature, example.sizes, example=example)
    values = {**inputs.data(), **inputs.scalars, **constants}
    asked = kernel.variants.specialization(kernel.check(values, 0))
    if extent:
        asked = replace(asked, sizes=dict.fromkeys(asked.sizes, extent))
    made = kernel.variants.variant(asked)
    remarks = [item.message for item in made.remarks if item.code in ("T0432", "T0608", "T0609")]
    assert remarks == []
    given_up = set(made.metadata.get("disabled", ())) - {FIELD}
    assert (given_up, made.metadata.get("most_per_sm")) == (set(), None)
