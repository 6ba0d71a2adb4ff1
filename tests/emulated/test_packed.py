"""Attention to packed sequences, whose hidden tiles are left out, on the emulator."""

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import host_array
from tests.support.packed import PATH, Packed
from tilec.runtime.jit import Kernel, load
from tilec.testing.check import Arguments

CASES = [
    Packed("sorted", (2, 1)),
    Packed("shuffled", causal=False),
    Packed("strange", guarded=True),
    Packed("strange", length=200, tile=(128, 64), causal=False, wide=True),
    Packed("random", ordered=True, length=128),
    Packed("sorted", length=200, tile=(64, 48)),
    *(Packed("lengths", length=320, causal=bool(seed % 2), seed=seed) for seed in range(2, 10)),
]


@pytest.fixture(scope="module")
def kernel():
    return load(PATH).packed


def arguments_of(case, change=None):
    rng = np.random.default_rng(0)
    given = {
        name: rng.standard_normal(shape).astype(ml_dtypes.bfloat16)
        for name, shape in case.shapes.items()
    }
    if change is not None:
        change(given)
    made = {name: host_array(name, values) for name, values in {**given, **case.tables}.items()}
    return given, Arguments(made, {**case.scalars, **case.constants})


@pytest.mark.parametrize("case", CASES, ids=str)
def test_results(launch, kernel, case):
    given, arguments = arguments_of(case)
    launch(kernel, arguments)
    exact = case.expected(given)["Out"]
    found = arguments.data()["Out"].astype(np.float64)
    np.testing.assert_allclose(found, exact, atol=2.0**-7 * max(1.0, np.abs(exact).max()), rtol=0)


@pytest.mark.parametrize("causal", [False, True])
def test_rounds_that_are_left_out_change_no_bit(launch, kernel, causal):
    case = Packed("lengths", (1, 1), 500, 128, (128, 128), causal, seed=5 + causal)
    found = []
    for skip in (True, False):
        _, arguments = arguments_of(case)
        launch(Kernel(kernel.text, "packed", {"rotate": True, "skip_hidden": skip}), arguments)
        found.append(arguments.data()["Out"].astype(np.float32))
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("guarded", [False, True])
def test_infinite_scores_and_nan_are_as_without_skipping(launch, kernel, guarded):
    case = Packed("strange", length=192, guarded=guarded)

    def change(arrays):
        arrays["Q"][0, 0, 10] = np.inf
        arrays["Q"][0, 0, 70:75] = np.nan
        arrays["K"][0, 0, 100] = -np.inf

    found = []
    for one in (kernel, Kernel(kernel.text, "packed", {"skip_hidden": False})):
        _, arguments = arguments_of(case, change)
        launch(one, arguments)
        found.append(arguments.data()["Out"].astype(np.float32))
    assert np.isnan(found[0]).any()
    np.testing.assert_array_equal(*found)


def test_the_order_of_loads_changes_no_bit(launch, kernel, tmp_path):
    """Values may be loaded before the numbers of documents, which share a slot with the keys."""
    lines = PATH.read_text().splitlines(keepends=True)
    (values,) = (line for line in lines if "load(V," in line)
    (numbers,) = (line for line in lines if "load(KeyDoc," in line)
    lines.remove(values)
    lines.insert(lines.index(numbers), values)
    early = tmp_path / PATH.name
    early.write_text("".join(lines))
    case, found = Packed("lengths", (1, 1), 500, 128, (128, 128), seed=5), []
    for text in (kernel.text, load(early).packed.text):
        _, arguments = arguments_of(case)
        launch(Kernel(text, "packed", {"rotate": True}), arguments)
        found.append(arguments.data()["Out"].astype(np.float32))
    np.testing.assert_array_equal(*found)
