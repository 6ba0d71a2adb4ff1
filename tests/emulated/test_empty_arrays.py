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


def test_nothing_is_compiled_where_no_block_runs(launch, monkeypatch):
    def refuse(*_):
        raise AssertionError("compiled")

    monkeypatch.setattr("tilec.runtime.variants.Variants.variant", refuse)
    launch(tilec.load(FILE).last_segments, CASES["last_segments"].arguments())


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
