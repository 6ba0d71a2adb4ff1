"""Arrays without elements, on the CPU reference and on the emulator: the other ones are written."""

import numpy as np
import pytest

import tilec
from tests.support.empty_cases import CASES, FILE


def reference(kernel, arguments):
    kernel(**arguments.data(), **arguments.scalars)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("on_emulator", [False, True])
def test_empty_arrays(launch, name, on_emulator):
    kernel, arguments = getattr(tilec.load(FILE), name), CASES[name].arguments()
    (launch if on_emulator else reference)(kernel, arguments)
    CASES[name].check(arguments)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    path = tmp_path_factory.mktemp("package") / "empty.tilepkg"
    tilec.compile(FILE).save(path)
    return tilec.load_package(path)


@pytest.mark.parametrize("name", CASES)
def test_a_package_takes_empty_arrays_through_its_tensor_maps(launch, package, name):
    arguments = CASES[name].arguments()
    launch(package[name], arguments)
    CASES[name].check(arguments)


def test_the_package_has_tensor_maps_of_the_empty_arrays(package):
    found = {
        (kernel.__name__, item["array"], item["load"])
        for kernel in package
        for item in kernel.metadata.get("tensor_maps", ())
    }
    assert {("product", "A", True), ("row_max", "X", True), ("picked", "Left", False)} <= found


def test_nothing_is_compiled_where_no_block_runs(launch, monkeypatch):
    def refuse(*_):
        raise AssertionError("compiled")

    monkeypatch.setattr("tilec.runtime.variants.Variants.variant", refuse)
    launch(tilec.load(FILE).last_segments, CASES["last_segments"].arguments())


def test_a_kernel_is_analyzed_once_for_empty_arrays_of_any_shape(device, monkeypatch):
    from tilec.frontend.semantics import analysis

    calls = []

    def counted(*given):
        calls.append(given)
        return analyze(*given)

    analyze = analysis.analyze_kernel
    monkeypatch.setattr(analysis, "analyze_kernel", counted)
    kernel = tilec.load(FILE).row_sum
    for columns in (16, 32, 48, 160):
        kernel(device.array((0, columns), (columns, 1), "<f4"), device.array((0,), (1,), "<f4"))
    assert len(calls) == 1


def test_an_empty_array_needs_no_tensor_map(device):
    arguments = CASES["row_sum"].arguments()
    kernel = tilec.load(FILE).row_sum
    maps = kernel.compile(**arguments.data()).metadata["tensor_maps"]
    assert {item["array"] for item in maps} == {"Y"}


class NullArray:
    """What torch says of a tensor without elements: its address is null."""

    @property
    def __cuda_array_interface__(self):
        memory = {"data": (0, False), "strides": None, "version": 3}
        return {"shape": (0,), "typestr": "<f4", **memory}


def test_elements_of_an_array_without_an_address_are_not_read(device):
    case = CASES["picked"]
    index, found = (device.array((100,), (1,), kind) for kind in ("<i4", "<f4"))
    index.view(np.int32)[:] = case.arrays["I"]
    tilec.load(FILE).picked(index, NullArray(), found, NullArray())
    np.testing.assert_array_equal(found.view(np.float32), case.expected["Y"])
