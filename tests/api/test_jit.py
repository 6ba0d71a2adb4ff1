"""Variants of a kernel: which arguments share one, what is cached, how it is launched."""

import struct

import numpy as np
import pytest
from ml_dtypes import bfloat16

import tilec
from tests.support.runtime_fakes import FakeArray
from tilec.runtime.cuda.api import DeviceInfo

ADD = """
@kernel
def add[N](A: f32[N], B: f32[N], C: f32[N], scale: f32, BLOCK: const = 256):
    i = grid(cdiv(N, BLOCK))
    a = load(A, (i,), (BLOCK,))
    store(C, (i,), a + scale * load(B, (i,), (BLOCK,)))
"""


@pytest.fixture
def add(tmp_path):
    path = tmp_path / "add.tile"
    path.write_text(ADD)
    return lambda: tilec.load(path).add


@pytest.fixture
def compiles(monkeypatch):
    """Count runs of the compiler."""
    import tilec.compiler.driver

    made = []
    real = tilec.compiler.driver.compile_kernel

    def counting(*arguments, **options):
        made.append(arguments[2])
        return real(*arguments, **options)

    monkeypatch.setattr(tilec.compiler.driver, "compile_kernel", counting)
    return made


def vector(number, n=4096, **options):
    return FakeArray((n,), pointer=number << 20, **options)


def test_one_variant_serves_sizes_addresses_and_scalars(add, gpu, compiles):
    kernel = add()
    gpu.parameter_sizes = {"add": [8, 8, 8, 4, 4]}
    for n in (4096, 8192, 64):
        kernel(vector(1, n), vector(2, n), vector(3, n), 0.5 * n)
    assert len(compiles) == 1
    assert gpu.loads == ["add"]
    assert [item.shape.blocks for item in gpu.launches] == [16, 32, 1]
    expected = struct.pack("<QQQfi", 1 << 20, 2 << 20, 3 << 20, 32.0, 64)
    assert b"".join(gpu.launches[2].parameters) == expected


def test_facts_that_make_variants(add, gpu, compiles):
    kernel = add()
    a, b, c = vector(1), vector(2), vector(3)
    kernel(a, b, c, 1.0)
    kernel(vector(1, 1000), vector(2, 1000), vector(3, 1000), 1.0)
    assert len(compiles) == 2
    assert [spec.divisors for spec in compiles] == [{"N": 16}, {}]
    kernel(FakeArray((4096,), pointer=(1 << 20) + 4), b, c, 1.0)
    assert [item.alignment for item in compiles[2].arrays.values()] == [1, 16, 16]
    kernel(FakeArray((4096,), pointer=1 << 20, strides=(8,)), b, c, 1.0)
    assert compiles[3].arrays["A"].strides == (None,)
    kernel(a, b, c, 1.0, BLOCK=512)
    assert compiles[4].constants == {"BLOCK": 512}
    assert len(compiles) == 5


def test_arrays_that_overlap_get_merged_alias_sets(add, gpu, compiles):
    kernel = add()
    a, b, c = vector(1), vector(2), vector(3)
    kernel(a, a, c, 1.0)
    assert {item.alias_group for item in compiles[0].arrays.values()} == {-1}
    for _ in range(2):
        kernel(a, b, a, 1.0)
    groups = {name: item.alias_group for name, item in compiles[1].arrays.items()}
    assert groups == {"A": 0, "B": -1, "C": 0}
    assert compiles[1].arrays["C"].same_as == "A"
    kernel(a, b, c, 1.0)
    assert len(compiles) == 2
    assert len(gpu.launches) == 4
    kernel(a, b, FakeArray((4096,), pointer=a.pointer + 16), 1.0)
    assert compiles[2].arrays["C"].same_as == ""
    assert compiles[2].arrays["C"].alias_group == 0


def test_the_disk_cache(add, gpu, compiles, kernel_cache):
    kernel = add()
    arguments = vector(1), vector(2), vector(3), 1.0
    kernel(*arguments)
    assert len(list(kernel_cache.rglob("*.tilecache"))) == 1
    again = add()
    again(*arguments)
    assert len(compiles) == 1
    first, second = kernel.compile(*arguments), again.compile(*arguments)
    assert first is not second
    assert first.ptx == second.ptx
    assert first.cubin == second.cubin
    assert first.remarks == second.remarks
    assert "cuda_tile.entry" in second.ir("cuda_tile")


def test_a_damaged_cache_is_ignored(add, gpu, compiles, kernel_cache):
    arguments = vector(1), vector(2), vector(3), 1.0
    add()(*arguments)
    (entry,) = kernel_cache.rglob("*.tilecache")
    entry.write_bytes(entry.read_bytes()[:100])
    add()(*arguments)
    assert len(compiles) == 2
    assert len(gpu.launches) == 2


def test_the_cache_is_keyed_by_the_source(tmp_path, gpu, compiles):
    path = tmp_path / "add.tile"
    for text in (ADD, ADD.replace("a + scale", "a - scale")):
        path.write_text(text)
        tilec.load(path).add(vector(1), vector(2), vector(3), 1.0)
    assert len(compiles) == 2


def test_a_gpu_of_another_architecture_is_refused_before_compiling(add, gpu, compiles):
    gpu.capability = 80
    with pytest.raises(tilec.DeviceError, match=r"needs compute capability 9\.0"):
        add()(vector(1), vector(2), vector(3), 1.0)
    assert compiles == []
    assert isinstance(gpu.device(0), DeviceInfo)


def test_empty_arrays(add, gpu, compiles):
    add()(vector(1, 0), vector(2, 0), vector(3, 0), 1.0)
    assert (compiles, gpu.launches) == ([], [])


def test_a_stream_by_keyword(add, gpu):
    kernel = add()
    for _ in range(2):
        kernel(vector(1), vector(2), vector(3), 1.0, stream=99)
    assert [item.stream for item in gpu.launches] == [99, 99]


def test_compile_does_not_launch(add, gpu):
    compiled = add().compile(vector(1), vector(2), vector(3), 1.0)
    assert compiled.name == "add"
    assert (gpu.launches, gpu.loads) == ([], [])


def test_compile_errors_are_raised_at_every_call(tmp_path, gpu):
    path = tmp_path / "bad.tile"
    path.write_text("@kernel\ndef bad(A: f32[N]):\n    i = grid(N)\n    store(A, (i,), unknown)\n")
    kernel = tilec.load(path).bad
    for _ in range(2):
        with pytest.raises(tilec.CompileError, match="unknown name 'unknown'"):
            kernel(vector(1))


def test_tensor_maps_are_written_for_every_address(tmp_path, gpu, examples):
    copy = tilec.load(examples / "copy_2d.tile").copy_2d
    for base in (16, 32, 16):
        a = FakeArray((256, 256), pointer=base << 20)
        copy(a, FakeArray((256, 256), pointer=(base + 1) << 20))
    assert len(gpu.launches) == 3
    assert gpu.encodings[0].extents == (256, 256)
    assert gpu.encodings[0].strides == (1024,)


def test_a_call_may_plan_any_tile(examples):
    """400 columns are five tiles of 80: what the planner chose needs no permission later on."""
    source = np.random.default_rng(0)
    x, w = (source.standard_normal((rows, 128)).astype(bfloat16) for rows in (1344, 400))
    y = np.full((1344, 400), np.nan, bfloat16)
    linear = tilec.load(examples / "linear.tile").linear
    linear(x, w, y)
    assert linear.compile(x, w, y).metadata["constants"] == {"BM": 64, "BN": 80, "BK": 64}
    expected = x.astype(np.float32) @ w.astype(np.float32).T
    np.testing.assert_allclose(y.astype(np.float32), expected, rtol=2**-7, atol=2**-7)
