"""Every example on the emulator, in the small sizes, layouts and element types that it names."""

from math import prod

import pytest

from tests.support.example_cases import EXAMPLES, check_example, example_of
from tilec.runtime.jit import load

MOST_WORK = 2**23
"""Product of the extents above which a run takes seconds."""


def emulated_variants(number, path):
    """Return two variants of an example, other ones for each; all of them run on the GPU."""
    example = example_of(path)
    variants = [
        variant
        for variant in example.variants()
        if prod({**example.sizes, **variant.sizes}.values()) <= MOST_WORK
    ]
    count = len(variants)
    chosen = {number % count, (number + count // 2) % count}
    return [variants[index] for index in sorted(chosen)]


RUNS = [
    pytest.param(path, variant, id=f"{path.stem}-{variant}")
    for number, path in enumerate(EXAMPLES)
    for variant in emulated_variants(number, path)
]


@pytest.fixture(scope="module")
def kernels():
    return {path: load(path)[path.stem] for path in EXAMPLES}


@pytest.mark.parametrize(("path", "variant"), RUNS)
def test_example(launch, kernels, path, variant):
    check_example(launch, kernels[path], path, variant)
