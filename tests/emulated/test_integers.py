"""Divisions and loops of integers on the emulator: what the CPU reference and Python have."""

import pytest

import tilec
from tilec.testing.check import Arguments, make_array

HIGHEST = 2**31 - 1
DIVISIONS = """
@kernel
def divisions[M](C: i32[M], x: i32, y: i32):
    i = grid(1)
    store(C, 0, full(16, x // -1, i32))
    store(C, 1, full(16, x % -1, i32))
    store(C, 2, full(16, cdiv(x, -1), i32))
    store(C, 3, full(16, (x + y) // 7, i32))
    store(C, 4, full(16, x * y % 7, i32))
    store(C, 5, full(16, cdiv(M, 2147483647), i32))
    store(C, 6, full(16, cdiv(x & 2147483647, 2147483647), i32))
    store(C, 7, (arange(16) + 1) * 1103515245 % 7)
"""
LOOPS = """
@kernel
def loops[M](C: i32[M], a: i32, b: i32, s: i32):
    i = grid(1)
    rounds = 0
    last = -1
    for j in range(a, b, s):
        rounds += 1
        last = j
    store(C, 0, full(16, rounds, i32))
    store(C, 1, full(16, last, i32))
    for k in range(a, b, 1073741824):
        last = k
    store(C, 2, full(16, last, i32))
"""


def wrapped(value):
    return (value + 2**31) % 2**32 - 2**31


@pytest.fixture
def kernels(tmp_path):
    path = tmp_path / "integers.tile"
    path.write_text(DIVISIONS + LOOPS)
    return tilec.load(path)


def run(launch, kernel, blocks, **scalars):
    arguments = Arguments({"C": make_array("C", "i32", (16 * blocks,))}, scalars)
    launch(kernel, arguments)
    return arguments.data()["C"].reshape(blocks, 16)


@pytest.mark.parametrize("x", [-(2**31), -7, 5, HIGHEST])
def test_divisions(launch, kernels, x):
    y = 1103515245
    found = run(launch, kernels.divisions, 8, x=x, y=y)
    assert found[0, 0] == found[2, 0] == wrapped(-x)
    assert found[1, 0] == 0
    assert found[3, 0] == wrapped(x + y) // 7
    assert found[4, 0] == wrapped(x * y) % 7
    assert found[5, 0] == 1
    assert found[6, 0] == -(-(x & HIGHEST) // HIGHEST)
    assert found[7].tolist() == [wrapped((n + 1) * y) % 7 for n in range(16)]


@pytest.mark.parametrize(
    "bounds", [(0, 10, 3), (0, 10, 0), (0, 10, -1), (9, 0, 2), (HIGHEST - 9, HIGHEST, 4)]
)
def test_loops(launch, kernels, bounds):
    a, b, s = bounds
    found = run(launch, kernels.loops, 3, a=a, b=b, s=s)
    rounds = list(range(a, b, s)) if s > 0 else []
    assert found[0, 0] == len(rounds)
    assert found[1, 0] == (rounds[-1] if rounds else -1)
    wide = list(range(a, b, 2**30))
    assert found[2, 0] == (wide[-1] if wide else found[1, 0])
