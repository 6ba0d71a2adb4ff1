"""Every example runs on the CPU reference and equals its independent NumPy function."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tilec.compiler.driver import emit_kernel
from tilec.compiler.program import Program
from tilec.frontend.semantics.signature import signature
from tilec.frontend.syntax.parser import find_kernel
from tilec.interpreter import run_kernel
from tilec.ir.attributes import read_kernel_metadata
from tilec.passes.registry import PassContext
from tilec.passes.runner import run_pass
from tilec.request.stages import STAGES
from tilec.runtime.args.arguments import check_arguments
from tilec.runtime.args.signature_binding import interface_from_signature
from tilec.runtime.args.specialize import specialize
from tilec.support.diagnostics import SourceFile
from tilec.testing.check import compare, load_example, make_arguments

FOLDER = Path(__file__).resolve().parents[2] / "examples"
PATHS = sorted(FOLDER.glob("*.tile"))
NAMES = [path.stem for path in PATHS]
MAX_KERNEL_LINES = 30


@cache
def example_of(path):
    """Return the example next to the kernel; every kernel here has one."""
    example = load_example(path)
    assert example is not None, f"{path.stem}.py is missing"
    return example


VARIANTS = [
    pytest.param(path, variant, id=f"{path.stem}-{variant}")
    for path in PATHS
    for variant in example_of(path).variants()
]


@cache
def program_of(path):
    return Program(SourceFile(str(path), path.read_text()))


def run_example(path, variant, passes=()):
    """Run a variant on the CPU reference; return the arguments before and after, and constants."""
    program = program_of(path)
    kernel = signature(find_kernel(program.tree), program.tree)
    example = example_of(path)
    arguments = make_arguments(
        kernel,
        variant.sizes,
        dtypes=variant.dtypes,
        layouts=variant.layouts,
        example=example,
    )
    values = {**arguments.data(), **arguments.scalars, **variant.dtypes, **variant.constants}
    bound = check_arguments(interface_from_signature(kernel, program.source), values)
    module = emit_kernel(program, kernel.name, specialize(bound))
    for name in passes:
        run_pass(module, name, PassContext(), [program.source])
    metadata = read_kernel_metadata(module.body.operations[0])
    after = arguments.copy()
    after.poison(item["name"] for item in metadata["arrays"] if item["access"] == "write")
    poisoned = after.copy()
    run_kernel(module, after.data(), after.scalars)
    for name, array in after.arrays.items():
        assert array.stray_writes(poisoned.arrays[name].memory) == 0, (
            f"stray writes outside of {name}"
        )
    return arguments, after, metadata["constants"]


@pytest.mark.parametrize(("path", "variant"), VARIANTS)
def test_equals_the_numpy_function(path, variant):
    example = example_of(path)
    before, after, constants = run_example(path, variant)
    expected = example.expected(before, constants)
    assert expected
    result = compare(after.data(), expected, example.terms(variant.sizes))
    assert result.ok, str(result)
    for name, array in before.data().items():
        if name not in expected and name not in example.state:
            np.testing.assert_array_equal(after.data()[name], array, err_msg=f"{name} is an input")


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_the_passes_of_the_first_stage_keep_the_meaning(path):
    example = example_of(path)
    variant = example.variants()[len(example.cases)]
    before, after, constants = run_example(path, variant, STAGES[0].passes)
    result = compare(
        after.data(), example.expected(before, constants), example.terms(variant.sizes)
    )
    assert result.ok, str(result)


def test_tile_add_gives_the_classic_first_row():
    path = FOLDER / "tile_add.tile"
    example = example_of(path)
    before, after, _ = run_example(path, example.variants()[0])
    np.testing.assert_array_equal(before.data()["A"][0], np.arange(8))
    want = [0, 2, 4, 6, 4, 6, 8, 10]
    np.testing.assert_array_equal(example.expected(before)["A"][0], want)
    np.testing.assert_array_equal(after.data()["A"][0], want)
    last_tile = [[36, 38, 40, 42], [48, 50, 52, 54], [60, 62, 64, 66], [72, 74, 76, 78]]
    np.testing.assert_array_equal(after.data()["A"][4:, 4:], last_tile)


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_the_file_opens_with_what_it_computes_and_the_kernel_is_short(path):
    lines = path.read_text().splitlines()
    assert lines[0].startswith(f"# {path.stem}: ")
    start = next(number for number, line in enumerate(lines) if line.startswith("@kernel"))
    kernel = [line for line in lines[start:] if line.strip()]
    assert len(kernel) <= MAX_KERNEL_LINES


def test_every_kernel_of_the_list_is_there():
    wanted = {"vector_add", "tile_add", "tma_load_walkthrough", "saxpy"}
    wanted |= {"batched_matmul", "matmul_bias_gelu"}
    wanted |= {"matmul", "matmul_f32out", "linear"} | {f"copy_{rank}d" for rank in range(1, 6)}
    assert wanted <= set(NAMES)
