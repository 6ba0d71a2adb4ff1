"""Arrays without elements, on the CPU reference and on the emulator: the other ones are written."""

# A kernel is Python by its syntax only: its annotations are shapes.
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import tilec
from tests.support.empty_cases import CASES, FILE
from tests.support.gemm_source import gemm_source
from tilec.language import cast, cdiv, f16, f32, grid, load, store, zeros

M, N, K = TypeVar("M"), TypeVar("N"), TypeVar("K")


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


def test_arrays_with_and_without_elements_share_a_variant(device):
    kernel = tilec.load(FILE).row_sum
    found = [
        kernel.compile(
            device.array((40, columns), strides, "<f4"), device.array((40,), (1,), "<f4")
        )
        for columns, strides in ((16, (16, 1)), (0, (3, 1)), (0, (5, 7)), (0, (-1, 0)))
    ]
    assert all(item is found[0] for item in found)


PRODUCT = gemm_source(hints="{fixed}", operands="f16", result="f16", rows=64, columns=64, depth=64)


@tilec.kernel(copy_rounds=True, skip_hidden=False)
def decorated(A: f16[M, K], B: f16[K, N], C: f16[M, N]):
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    acc = zeros((64, 64), f32)
    for k in range(cdiv(K, 64)):
        acc += load(A, (m, k), (64, 64)) @ load(B, (k, n), (64, 64))
    store(C, (m, n), cast(acc, f16))


def run_product(device, kernel, extents, pad=0):
    """Run a product on arrays of random numbers, of a pitch with so many elements more."""
    rows, columns, depth = extents
    rng, shapes = np.random.default_rng(0), ((rows, depth), (depth, columns), (rows, columns))
    arrays = [device.array(shape, (shape[1] + pad, 1), "<f2") for shape in shapes]
    a, b, c = (array.view(np.float16) for array in arrays)
    for values in (a, b):
        values[:] = rng.integers(-2, 3, values.shape)
    c[:] = 7.0
    kernel(*arrays)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    assert arrays[2].is_intact_around()


EMPTY = [(70, 92, 0), (0, 92, 70), (70, 0, 92)]


@pytest.mark.parametrize("fixed", ["stages=4", "copy_rounds=1", "rotate=1", "defer_stores=1"])
@pytest.mark.parametrize("extents", EMPTY)
@pytest.mark.parametrize("pad", [0, 1])
def test_a_plan_that_is_fixed_serves_launches_with_an_empty_array(device, fixed, extents, pad):
    """Whether such a plan suits arrays with elements or not; some suit only the other ones."""
    run_product(device, tilec.loads(PRODUCT.format(fixed=fixed)).product, extents, pad)


@pytest.mark.parametrize("extents", EMPTY)
def test_a_plan_that_a_decorator_fixes_does_so_too(device, extents):
    run_product(device, decorated, extents)


def zeros_of(*shapes):
    return [np.zeros(shape, np.float16) for shape in shapes]


def test_what_gives_way_is_said_and_what_is_off_stays_off():
    made = decorated.compile(*zeros_of((64, 0), (0, 64), (64, 64)))
    (reason,) = (item.message for item in made.remarks if item.code == "T0432")
    assert reason.startswith(
        "A has no element, and the plan cannot keep what is fixed (copy_rounds"
    )
    assert reason.endswith("planned again without copy_rounds")
    assert made.metadata["hints"] == {"skip_hidden": False}


@pytest.mark.parametrize("fixed", ["copy_rounds=1", "stages=4, copy_rounds=1"])
def test_arrays_with_elements_keep_what_is_fixed(fixed):
    """Also after a launch without elements that could not."""
    kernel = tilec.loads(PRODUCT.format(fixed=fixed)).product
    kernel.compile(*zeros_of((64, 0), (0, 64), (64, 64)))
    with pytest.raises(tilec.CompileError, match=r"T0421.*copy_rounds = true"):
        kernel.compile(*zeros_of(*[(64, 64)] * 3))


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
