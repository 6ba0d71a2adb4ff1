"""Every example on the GPU against its NumPy function and the CPU reference.

Outputs are poisoned before the run, inputs are random, and the memory around every array is
compared byte by byte.
"""

from functools import partial

import pytest

import tilec
from tests.support.example_cases import EXAMPLES, check_example, example_of, fixed_extents
from tests.support.gpu_arrays import launch_on_gpu
from tilec.runtime.jit import load
from tilec.testing.check import Variant, compare, make_arguments

pytestmark = pytest.mark.gpu

_kernels = {}


def cases(path):
    """Return every run of one example: each size, and each layout, type and constant.

    What differs from the first run has the first size or the last one, alternately.
    """
    example = example_of(path)
    sizes = [dict(example.sizes), *(dict(case) for case in example.cases)]
    dtypes = [dict(item) for item in example.dtypes] or [{}]
    others = [
        *[({}, kind, {}) for kind in dtypes[1:]],
        *[(dict(item), dtypes[0], example.layout_constants) for item in example.layouts],
        *[({}, dtypes[0], dict(item)) for item in example.constants],
    ]
    return [
        *[Variant(size, {}, dtypes[0]) for size in sizes],
        *[Variant(sizes[-(number % 2)], *other) for number, other in enumerate(others, 1)],
    ]


PARAMETERS = [
    pytest.param(path, variant, id=f"{path.stem}-{variant}")
    for path in EXAMPLES
    for variant in cases(path)
]


def kernel_of(path):
    if path not in _kernels:
        _kernels[path] = load(path)[path.stem]
    return _kernels[path]


@pytest.mark.parametrize(("path", "variant"), PARAMETERS)
def test_example(torch, path, variant):
    launch = partial(launch_on_gpu, torch)
    check_example(launch, kernel_of(path), path, variant)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_saved_package_gives_the_same_result(torch, path, tmp_path):
    example = example_of(path)
    dtypes = dict(example.dtypes[0]) if example.dtypes else {}
    made = tilec.compile(path, dtypes=dtypes, constants=fixed_extents(path))
    made.save(tmp_path / "example.tilepkg")
    packaged = tilec.load_package(tmp_path / "example.tilepkg")[path.stem]
    inputs = make_arguments(kernel_of(path).signature, {}, dtypes=dtypes, example=example)
    expected = example.expected(inputs, packaged.constants)
    launch_on_gpu(torch, packaged, inputs)
    result = compare(inputs.data(), expected, example.terms(example.sizes))
    assert result.ok, str(result)
