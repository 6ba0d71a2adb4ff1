"""Tiles that are combined with an array: on the CPU reference, and on the emulator."""

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import NAMES, run_both
from tilec.passes.transforms.nv_tileas.tma import attach_tma_descriptors
from tools.emulator.machine import EmulatedFaultError

SUMS = """
@kernel
def sums[M, N](X: T[M, N], Y: T[M, N], BM: const = 16, BN: const = 64, *, T: dtype = f32):
    m, again = grid(cdiv(M, BM), 2)
    for n in range(cdiv(N, BN)):
        x = load(X, (m, n), (BM, BN))
        {add}
"""
BY_TMA = "atomic_store_add(Y, (m, n), x + x)"
BY_THREADS = "atomic_store_add(Y, (m, n), x + x, allow_tma=False)"
OFFSET = "atomic_store_add(Y, x + x, offset=(m * BM, n * BN))"
TYPES = (np.float32, ml_dtypes.bfloat16, np.float16, np.int32, np.uint32)
WIDE = (np.float64, np.int64, np.uint64)


def small_numbers(shape, dtype):
    """Return small integers, whose sums are exact in any order."""
    return np.random.default_rng(3).integers(0, 7, shape).astype(dtype)


def check(device, add, dtype, shape):
    x, y = small_numbers(shape, dtype), small_numbers(shape[::-1], dtype).T.copy()
    source = SUMS.format(add=add).replace("= f32", f"= {NAMES[np.dtype(dtype)]}")
    made = run_both(device, source, {"X": x, "Y": y})
    for copies in made:  # two blocks add each tile, twice
        assert (copies.arrays["Y"].memory[64:-64].reshape(shape) == y + 4 * x).all()


@pytest.mark.parametrize("add", [BY_TMA, BY_THREADS, OFFSET])
@pytest.mark.parametrize("dtype", TYPES)
def test_blocks_add_to_the_same_tiles(device, add, dtype):
    check(device, add, dtype, (48, 136))


@pytest.mark.parametrize("dtype", WIDE)
def test_wide_elements_are_added(device, dtype):
    check(device, BY_TMA, dtype, (16, 40))


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_elements_outside_are_dropped(device, dtype):
    check(device, BY_TMA, dtype, (19, 77))


@pytest.mark.parametrize("shape", [(32, 1), (1, 64)])
def test_one_thread_adds_an_element_that_several_hold(device, shape):
    source = """
@kernel
def rows[M, N](X: f32[M, N], Y: f32[M, N], BM: const, BN: const):
    grid(1)
    x = load(X, (0, 0), (32, 64))
    atomic_store_add(Y, (0, 0), sum(x, axis={axis}, keepdims=True), allow_tma={tma})
"""
    x = small_numbers((32, 64), np.float32)
    axis = shape.index(1) if shape != (1, 64) else 0
    for tma in (False, True):
        y = np.ones((32, 64), np.float32)
        text = source.format(axis=axis, tma=tma)
        made = run_both(device, text, {"X": x, "Y": y}, BM=32, BN=64)
        wanted = y.copy()
        wanted[: shape[0], : shape[1]] += x.sum(axis=axis, keepdims=True)
        for copies in made:
            assert (copies.arrays["Y"].memory[64:-64].reshape(32, 64) == wanted).all()


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("tma", [True, False])
def test_extremes_see_signs(device, dtype, tma):
    """Of -1 and 1 the one or the other is the larger one."""
    source = SUMS.format(add=f"atomic_store_max(Y, (m, n), x, allow_tma={tma})")
    signs = np.random.default_rng(4).choice([-1, 1], (2, 19, 72))
    x, y = (item.astype(dtype) for item in signs)
    source = source.replace("= f32", f"= {NAMES[np.dtype(dtype)]}")
    for copies in run_both(device, source, {"X": x, "Y": y}):
        assert (copies.arrays["Y"].memory[64:-64].reshape(x.shape) == np.maximum(x, y)).all()


def test_a_tensor_map_of_i64_would_not_do(device, monkeypatch):
    """What TMA adds to i64 is called u64 in its tensor map: i64 is an illegal instruction."""
    check(device, BY_TMA, np.int64, (16, 40))
    monkeypatch.setattr(attach_tma_descriptors, "COMBINED_AS", {})
    monkeypatch.setenv("TILEC_CACHE", "0")
    with pytest.raises(EmulatedFaultError, match="cannot do this to i64"):
        check(device, BY_TMA, np.int64, (16, 40))


@pytest.mark.parametrize("tma", [True, False])
def test_different_combinations_are_ordered(device, tma):
    source = f"""
@kernel
def both(X: i32[32, 64], Y: i32[32, 64]):
    grid(1)
    x = load(X, (0, 0), (32, 64))
    for i in range(3):
        atomic_store_max(Y, (0, 0), x)
        atomic_store_add(Y, (0, 0), x, allow_tma={tma})
        atomic_store_xor(Y, (0, 0), x + i, allow_tma={tma})
"""
    x, y = small_numbers((32, 64), np.int32), small_numbers((64, 32), np.int32).T.copy()
    wanted = y
    for i in range(3):
        wanted = (np.maximum(wanted, x) + x) ^ (x + i)
    for copies in run_both(device, source, {"X": x, "Y": y}):
        assert (copies.arrays["Y"].memory[64:-64].reshape(x.shape) == wanted).all()


def test_a_load_follows_the_additions_before_it(device):
    source = """
@kernel
def after(X: f32[32, 64], Y: f32[32, 64], Z: f32[32, 64]):
    grid(1)
    for i in range(3):
        atomic_store_add(Y, (0, 0), load(X, (0, 0), (32, 64)))
    store(Z, (0, 0), load(Y, (0, 0), (32, 64)))
"""
    x = small_numbers((32, 64), np.float32)
    given = {"X": x, "Y": x.copy(), "Z": np.zeros_like(x)}
    for copies in run_both(device, source, given):
        assert (copies.arrays["Z"].memory[64:-64].reshape(x.shape) == 4 * x).all()
