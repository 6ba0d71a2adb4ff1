"""Constants that are extents of arrays: where their values come from, and what is refused."""

import numpy as np
import pytest

import tilec
from tests.support.runtime_fakes import FakeArray
from tilec.cli.main import EXIT_OK, main

SCALE = """
@kernel
def scale[M](A: f32[M, D], B: f32[D], C: f32[M, D], D: const{}):
    m = grid(cdiv(M, 8))
    static_assert(A.shape[1] == D)
    store(C, (m, 0), load(A, (m, 0), (8, D)) * load(B, 0, D)[None, :])
"""
KERNEL = tilec.loads(SCALE.format(" = 64")).scale


def arrays(extent):
    random = np.random.default_rng(extent)
    first, second = random.random((20, extent)), random.random(extent)
    return first.astype(np.float32), second.astype(np.float32), np.empty((20, extent), np.float32)


@pytest.mark.parametrize("extent", [16, 64])
def test_a_call_takes_them_from_the_arrays(extent):
    a, b, c = arrays(extent)
    KERNEL(a, b, c)
    np.testing.assert_array_equal(c, a * b)
    metadata = KERNEL.compile(a, b, c, D=extent).metadata
    assert metadata["constants"] == {"D": extent}
    assert metadata["static_shape"] == {"A": [-1, extent], "B": [extent], "C": [-1, extent]}
    assert set(metadata["dims"]) == {"M"}


def on_gpu(extent):
    shapes = (20, extent), (extent,), (20, extent)
    return [FakeArray(shape, pointer=n + 1 << 20) for n, shape in enumerate(shapes)]


def test_each_value_is_a_variant(gpu):
    for extent in (32, 32, 16, 32):
        KERNEL(*on_gpu(extent))
    assert (len(gpu.launches), len(gpu.loads)) == (4, 2)


def test_values_that_disagree():
    a, b, c = arrays(16)
    with pytest.raises(
        tilec.LaunchError, match="dim D is 32 in the argument, but 16 in A"
    ) as first:
        KERNEL(a, b, c, 32)
    with pytest.raises(tilec.LaunchError, match=r"D is 16 in A.shape\[1\], but 8 in B") as second:
        KERNEL(a, b[:8], c)
    assert {item.value.diagnostics[0].code for item in (first, second)} == {"T0705"}


def test_compilation_without_arrays(tmp_path, capsys):
    path = tmp_path / "scale.tile"
    path.write_text(SCALE.format(" = 64"))
    assert tilec.compile(path).scale.constants == {"D": 64}
    assert tilec.compile(path, constants={"D": 16}).scale.constants == {"D": 16}
    assert main(["run", str(path), "--size", "M=9,D=8", "--device", "cpu"]) == EXIT_OK
    assert "C: 9x8 float32" in capsys.readouterr().out
    path.write_text(SCALE.format(""))
    assert main(["compile", str(path), "--size", "D=32", "-o", str(tmp_path / "a.ptx")]) == EXIT_OK
    with pytest.raises(tilec.CompileError, match="T0401"):
        tilec.compile(path)
    with pytest.raises(tilec.CompileError, match="'D' is an extent of an array, so it cannot be 0"):
        tilec.compile(path, constants={"D": 0})


@pytest.mark.usefixtures("gpu")
def test_a_package_takes_one_value(tmp_path):
    path = tmp_path / "scale.tile"
    path.write_text(SCALE.format(" = 16"))
    tilec.compile(path).save(tmp_path / "scale.tilepkg")
    packaged = tilec.load_package(tmp_path / "scale.tilepkg").scale
    packaged(*on_gpu(16))
    with pytest.raises(tilec.LaunchError, match="the kernel declares 16"):
        packaged(*on_gpu(8))
