"""`extract` with indices that are out of range: undefined, but reported where somebody looks."""

from types import SimpleNamespace

import numpy as np
import pytest

import tilec
from tests.support.both_devices import agree, host_array, run_both
from tilec.testing.check import Arguments
from tools.emulator.device import launch_copies

SOURCE = """@kernel
def k(X: f32[64], Y: f32[16], Z: f32[8, 4], s: i32, t: i32):
    i = grid(1)
    x = load(X, 0, 64)
    store(Y, 0, extract(x, s, 16))
    store(Z, (0, 0), extract(x.reshape((16, 4)), (t, 0), (8, 4)))
"""
LOOP = """@kernel
def k(X: f32[64], Y: f32[64], n: i32):
    i = grid(1)
    x = load(X, 0, 64)
    for r in range(n):
        store(Y, r, extract(x, 3 - r % 4, 16))
"""


def arrays():
    line = np.arange(64, dtype=np.float32)
    return {"X": line, "Y": np.zeros(16, np.float32), "Z": np.zeros((8, 4), np.float32)}


@pytest.mark.parametrize(("s", "t"), [(0, 0), (3, 1), (2, 0)])
def test_inside(device, s, t):
    found = agree(device, SOURCE, arrays(), s=s, t=t)
    np.testing.assert_array_equal(found["Y"], np.arange(16) + 16 * s)
    np.testing.assert_array_equal(found["Z"].reshape(-1), np.arange(32) + 32 * t)


def test_a_remainder_is_known_to_be_inside(device):
    made = {"X": arrays()["X"], "Y": np.zeros(64, np.float32)}
    found = agree(device, LOOP, made, n=4)
    np.testing.assert_array_equal(found["Y"].reshape(4, 16)[::-1].reshape(-1), made["X"])


OUTSIDE = [(9, 0, "index 9 along axis 0 is outside 0 to 3", 5)]
OUTSIDE += [(-1, 0, "index -1 along axis 0 is outside 0 to 3", 5)]
OUTSIDE += [(4, 1, "index 4 along axis 0 is outside 0 to 3", 5)]
OUTSIDE += [(3, 2, "index 2 along axis 0 is outside 0 to 1", 6)]
OUTSIDE += [(3, -(2**31), "index -2147483648 along axis 0 is outside 0 to 1", 6)]


@pytest.mark.parametrize(("s", "t", "message", "line"), OUTSIDE)
def test_the_reference_says_where(device, s, t, message, line):
    with pytest.raises(tilec.OutOfRangeError) as caught:
        run_both(device, SOURCE, arrays(), s=s, t=t)
    (found,) = caught.value.diagnostics
    assert found.code == "T0575"
    assert message in found.message
    assert found.span is not None
    assert (found.span.line, found.span.column) == (line, 17 if line == 5 else 22)
    assert "^^^^" in str(caught.value)


@pytest.mark.parametrize("s", [9, -1, 2**30, -(2**31)])
def test_nothing_but_the_tile_is_read(device, tmp_path, s):
    """What is stored is undefined, but it comes from the tile; the emulator minds other reads."""
    path = tmp_path / "kernel.tile"
    path.write_text(SOURCE)
    made = Arguments({n: host_array(n, a) for n, a in arrays().items()}, {"s": s, "t": s})
    launch_copies(device, tilec.load(path).k, made)
    assert set(made.data()["Y"]) <= set(range(64))


@pytest.mark.parametrize(("s", "t", "message", "line"), OUTSIDE)
def test_a_debug_build_says_where(device, tmp_path, s, t, message, line):
    path = tmp_path / "kernel.tile"
    path.write_text(SOURCE)
    kernel = tilec.load(path, debug_waits=True).k
    made = Arguments({n: host_array(n, a) for n, a in arrays().items()}, {"s": s, "t": t})
    with pytest.raises(tilec.OutOfRangeError) as caught:
        launch_copies(device, kernel, made)
    (found,) = caught.value.diagnostics
    assert found.span is not None
    assert (found.code, found.span.line) == ("T0575", line)
    assert f"k: extract: {message}, in thread " in found.message
    assert "of CTA 0" in found.message
    assert "extract(x" in str(caught.value)


def test_a_debug_build_is_right(device, tmp_path):
    path = tmp_path / "kernel.tile"
    path.write_text(SOURCE)
    kernel = tilec.load(path, debug_waits=True).k
    made = Arguments({n: host_array(n, a) for n, a in arrays().items()}, {"s": 1, "t": 1})
    launch_copies(device, kernel, made)
    np.testing.assert_array_equal(made.data()["Y"], np.arange(16, 32))


CONSTANTS = [("4", "T0319"), ("-1", "T0319"), ("cast(4, i32)", "T0576")]


@pytest.mark.parametrize("on", ["cpu", "gpu"])
@pytest.mark.parametrize(("index", "code"), CONSTANTS)
def test_constants_are_errors(device, tmp_path, on, index, code):
    path = tmp_path / "kernel.tile"
    path.write_text(SOURCE.replace("extract(x, s", f"extract(x, {index}"))
    kernel = tilec.load(path).k
    made = Arguments({n: host_array(n, a) for n, a in arrays().items()}, {"s": 0, "t": 0})
    calls = SimpleNamespace(
        cpu=lambda: kernel(**made.data(), **made.scalars),
        gpu=lambda: launch_copies(device, kernel, made),
    )
    with pytest.raises(tilec.CompileError) as caught:
        getattr(calls, on)()
    assert [item.code for item in caught.value.diagnostics] == [code]
    assert "extract(x, " in str(caught.value)
