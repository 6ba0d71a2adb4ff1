"""The examples: what their results must be."""

import zlib
from dataclasses import replace
from pathlib import Path

from tilec.frontend.semantics.signature import signature
from tilec.frontend.syntax.parser import find_kernel, parse_source
from tilec.support.sources import read_source_file
from tilec.testing.check import compare, load_example, make_arguments

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.tile"))


def example_of(path):
    """Return the example next to the kernel; every kernel here has one."""
    example = load_example(path)
    assert example is not None, f"{path.stem}.py is missing"
    return example


def fixed_extents(path):
    """Return a value for each constant of an example that is an extent of arrays: its usual size.

    Compilations without arrays need them. Files without a NumPy function have none.
    """
    example = load_example(path)
    if example is None:
        return {}
    source = read_source_file(path)
    tree = parse_source(source)
    names = signature(find_kernel(tree, path.stem), tree).fixed_extents()
    return {name: example.sizes[name] for name in names}


def check_example(launch, kernel, path, variant):
    """Call an example and compare its results with its NumPy function and the CPU reference.

    Args:
        launch: Runs a kernel on copies of `tilec.testing.check.Arguments`, and copies the results
            back.
        kernel: The kernel.
        path: Its file.
        variant: How to call it.
    """
    example = example_of(path)
    sizes, dtypes = variant.sizes, dict(variant.dtypes)
    inputs = make_arguments(
        kernel.signature,
        sizes,
        dtypes=dtypes,
        layouts=variant.layouts,
        example=example,
        seed=zlib.crc32(f"{path.stem} {variant}".encode()),
    )
    inputs = replace(inputs, scalars={**inputs.scalars, **variant.constants})
    metadata = kernel.compile(**inputs.data(), **inputs.scalars).metadata
    inputs.poison(item["name"] for item in metadata["arrays"] if item["access"] == "write")
    expected = example.expected(inputs, metadata["constants"])
    on_cpu, on_device = inputs.copy(), inputs.copy()
    kernel(**on_cpu.data(), **on_cpu.scalars)
    launch(kernel, on_device)
    terms = example.terms({**example.sizes, **sizes})
    result = compare(on_device.data(), expected, terms)
    assert result.ok, f"against the NumPy function: {result}"
    result = compare(on_device.data(), {name: on_cpu.data()[name] for name in expected}, terms)
    assert result.ok, f"against the CPU reference: {result}"
    for name, array in on_device.arrays.items():
        assert array.stray_writes(inputs.arrays[name].memory) == 0, f"writes outside of {name}"
