"""Every example on the emulator, in the small sizes, layouts and element types that it names."""

from math import prod

import pytest

from tests.support.example_cases import EXAMPLES, check_example, example_of
from tilec.runtime.jit import load

MOST_WORK = 2**23
"""Product of the extents above which a run takes seconds."""
RUNS = [
    pytest.param(path, variant, id=f"{path.stem}-{variant}")
    for path in EXAMPLES
    for variant in example_of(path).variants()
    if prod({**example_of(path).sizes, **variant.sizes}.values()) <= MOST_WORK
]


@pytest.fixture(scope="module")
def kernels():
    return {path: load(path)[path.stem] for path in EXAMPLES}


@pytest.mark.parametrize(("path", "variant"), RUNS)
def test_example(launch, kernels, path, variant):
    check_example(launch, kernels[path], path, variant)
