"""Which GPU a kernel is planned for: that of its arrays, else the one that was asked for."""

from pathlib import Path

import pytest

import tilec
from tests.support.runtime_fakes import FakeArray, FakeDriver
from tilec.request.gpu import DEFAULT_GPU, GPUS, get_gpu, nearest_gpu
from tilec.runtime.cuda.api import DeviceInfo
from tilec.runtime.cuda.current import set_driver
from tilec.runtime.variants import Variants
from tilec.support.diagnostics import CompileError

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "matmul.tile"


class H100Driver(FakeDriver):
    def device(self, ordinal):
        return DeviceInfo(ordinal, "Fake H100", 90, 132, 232_448, 3.352e12)


@pytest.fixture
def kernel():
    return tilec.load(EXAMPLE).matmul


@pytest.fixture
def driver():
    previous = set_driver(H100Driver())
    yield
    set_driver(previous)


def arguments(m, n, k):
    shapes = {"A": (m, k), "B": (k, n), "C": (m, n)}
    return {name: FakeArray(shape, "<f2") for name, shape in shapes.items()}


@pytest.mark.parametrize("gpu", GPUS.values(), ids=GPUS)
def test_a_gpu_is_nearest_to_itself(gpu):
    assert nearest_gpu(gpu.sm_count, 1.02 * gpu.memory_rate) == gpu.name
    assert get_gpu(gpu.name) is gpu


def test_others_count_as_the_most_similar_one():
    assert nearest_gpu(132, 4.0e12) == "H100-NVL"  # GH200 with 96 GB
    assert nearest_gpu(132, 0.0) == nearest_gpu(0, 3.35e12) == DEFAULT_GPU


def test_an_unknown_name_is_an_error():
    with pytest.raises(CompileError, match="unknown GPU 'B200'"):
        get_gpu("B200")
    with pytest.raises(CompileError, match="unknown GPU 'B200'") as found:
        tilec.compile(EXAMPLE, gpu="B200")
    assert found.value.diagnostics[0].span is None


def test_arrays_on_a_gpu_are_planned_for_it(kernel, driver, monkeypatch):
    seen = []
    monkeypatch.setattr(Variants, "variant", lambda self, wanted: seen.append(wanted.gpu))
    kernel.compile(**arguments(64, 64, 64))
    kernel.compile_for("H100-NVL", arguments(64, 64, 64))
    assert seen == ["H100", "H100-NVL"]


def test_each_gpu_has_variants_of_its_own(kernel, driver):
    """At 8x4096x14336 neighbours that start late draw more than two splits do, on an H200 only."""
    variants = kernel.variants

    def identity(gpu, *extents):
        bound = kernel._dispatcher.check(arguments(*extents))
        return variants.identity(variants.specialization(bound, gpu))

    assert identity("H100", 4096, 4096, 4096) == identity("H100", 8192, 4096, 4096)
    assert identity("H100", 4096, 4096, 4096) != identity("H200", 4096, 4096, 4096)
    splits = [identity(gpu, 8, 4096, 14336).decided["split_k"] for gpu in ("H200", "H100")]
    assert splits == [1, 2]
