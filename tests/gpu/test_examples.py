"""Every example on the GPU against its NumPy function and the CPU reference.

Outputs are poisoned before the run, inputs are random, and the memory around every array is
compared byte by byte.
"""

import zlib
from pathlib import Path

import pytest
from gpu_arrays import launch_on_gpu

import tilec
from tilec.check import compare, load_example, make_arguments
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.tile"))
_kernels = {}


def example_of(path):
    """Return the example beside the kernel; every kernel here has one."""
    example = load_example(path)
    assert example is not None, f"{path.stem}.py is missing"
    return example


def cases(path):
    """Return (sizes, layouts, dtypes) of every run of one example."""
    example = example_of(path)
    sizes = [dict(example.sizes), *(dict(case) for case in example.cases)]
    dtypes = [dict(item) for item in example.dtypes] or [{}]
    runs = [(size, {}, dtypes[0]) for size in sizes]
    runs += [(size, {}, kind) for kind in dtypes[1:] for size in (sizes[0], sizes[-1])]
    runs += [
        (size, dict(layout), dtypes[0])
        for layout in example.layouts
        for size in (sizes[0], sizes[-1])
    ]
    return runs


def identify(value):
    if isinstance(value, Path):
        return value.stem
    return "-".join(f"{key}{item}" for key, item in value.items()) or "default"


PARAMETERS = [
    pytest.param(path, *run, id="-".join(identify(item) for item in (path, *run)))
    for path in EXAMPLES
    for run in cases(path)
]


def kernel_of(path):
    if path not in _kernels:
        _kernels[path] = load(path)[path.stem]
    return _kernels[path]


@pytest.mark.parametrize(("path", "sizes", "layouts", "dtypes"), PARAMETERS)
def test_example(torch, path, sizes, layouts, dtypes):
    kernel = kernel_of(path)
    example = example_of(path)
    seed = zlib.crc32(repr((path.stem, sizes, layouts, dtypes)).encode())
    inputs = make_arguments(
        kernel.signature, sizes, dtypes=dtypes, layouts=layouts, example=example, seed=seed
    )
    metadata = kernel.compile(**inputs.data(), **inputs.scalars).metadata
    inputs.poison(item["name"] for item in metadata["arrays"] if item["access"] == "write")
    expected = example.expected(inputs, metadata["constants"])

    on_cpu = inputs.copy()
    kernel(**on_cpu.data(), **on_cpu.scalars)

    on_gpu = inputs.copy()
    launch_on_gpu(torch, kernel, on_gpu)

    terms = example.terms({**example.sizes, **sizes})
    result = compare(on_gpu.data(), expected, terms)
    assert result.ok, f"against the NumPy function: {result}"
    result = compare(on_gpu.data(), {name: on_cpu.data()[name] for name in expected}, terms)
    assert result.ok, f"against the CPU reference: {result}"
    for name, array in on_gpu.arrays.items():
        assert array.stray_writes(inputs.arrays[name].memory) == 0, f"writes beside {name}"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_saved_package_gives_the_same_result(torch, path, tmp_path):
    example = example_of(path)
    dtypes = dict(example.dtypes[0]) if example.dtypes else {}
    tilec.compile(path, dtypes=dtypes).save(tmp_path / "example.tilepkg")
    packaged = tilec.load_package(tmp_path / "example.tilepkg")[path.stem]
    inputs = make_arguments(kernel_of(path).signature, {}, dtypes=dtypes, example=example)
    expected = example.expected(inputs, packaged.constants)
    launch_on_gpu(torch, packaged, inputs)
    result = compare(inputs.data(), expected, example.terms(example.sizes))
    assert result.ok, str(result)
