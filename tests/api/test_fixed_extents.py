"""Constants that are extents of arrays: the arrays give their values."""

import numpy as np
import pytest

import tilec
from tilec.cli.main import main

SOURCE = """
@kernel
def sums[M](X: f32[M, N], Y: f32[M], W: f32[N], N: const):
    m = grid(M)
    x = load(X, (m, 0), (1, next_power_of_2(N)))
    store(Y, m, sum(x, axis=1) * N)
"""


@pytest.fixture(scope="module")
def sums():
    return tilec.loads(SOURCE).sums


def arguments(n, m=3):
    x = np.random.default_rng(0).standard_normal((m, n), np.float32)
    return x, np.zeros(m, np.float32), np.zeros(n, np.float32)


@pytest.mark.parametrize("n", [1, 7, 64, 100])
def test_every_width_has_a_variant(sums, n):
    x, y, w = arguments(n)
    sums(x, y, w)
    np.testing.assert_allclose(y, x.sum(axis=1) * n, rtol=1e-4, atol=1e-4)


def test_a_value_that_is_given_must_be_that_of_the_arrays(sums):
    x, y, w = arguments(100)
    sums(x, y, w, N=100)
    with pytest.raises(tilec.LaunchError, match=r"T0705.*N is 64, but the arrays have 100"):
        sums(x, y, w, N=64)
    with pytest.raises(tilec.LaunchError, match=r"T0705.*dim N is 100 in X.shape\[1\], but 99"):
        sums(x, y, w[:99])


def test_the_command_line_takes_the_extent_as_a_constant_or_a_size(tmp_path):
    path = tmp_path / "sums.tile"
    path.write_text(SOURCE)
    made = []
    for options in (("-D", "N=100"), ("--size", "N=100")):
        out = tmp_path / "sums.ptx"
        assert main(["compile", str(path), *options, "--no-ptxas", "-o", str(out)]) == 0
        made.append(out.read_text())
    assert made[0] == made[1]
    assert main(["run", str(path), "--size", "M=2,N=10"]) == 0


def test_a_missing_extent_is_an_error(tmp_path, capsys):
    path = tmp_path / "sums.tile"
    path.write_text(SOURCE)
    assert main(["compile", str(path)]) == 1
    assert "constant 'N' has no value" in capsys.readouterr().err


def test_only_integers_have_a_next_power_of_2():
    text = SOURCE.replace("next_power_of_2(N)", "next_power_of_2(M)")
    kernel, given = tilec.loads(text).sums, arguments(4)
    with pytest.raises(tilec.CompileError, match="n must be a compile-time integer"):
        kernel(*given)
