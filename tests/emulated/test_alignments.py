"""Arrays whose base and pitch are multiples of 8 or 4 bytes: vectors and copies of that size."""

import numpy as np
import pytest

import tilec

SOURCE = """
@kernel
def scaled[M, N](X: f16[M, N], Y: f16[M, N]):
    m, n = grid(cdiv(M, 4), cdiv(N, 256))
    store(Y, (m, n), load(X, (m, n), (4, 256)) * 2.0)

@kernel
def row_sums[M, N](X: f16[M, N], Y: f32[M]):
    m = grid(M)
    total = zeros((1, 1), f32)
    for j in range(cdiv(N, 256)):
        total += sum(cast(load(X, (m, j), (1, 256)), f32), axis=1, keepdims=True)
    store(Y, m, reshape(total, (1,)))

@kernel
def product[M, N, K](A: f16[M, K], B: f16[K, N], C: f16[M, N]):
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    acc = zeros((64, 64), f32)
    for k in range(cdiv(K, 64)):
        acc += load(A, (m, k), (64, 64)) @ load(B, (k, n), (64, 64))
    store(C, (m, n), cast(acc, f16))

@kernel
def picked[P, M, N, K](X: f16[P, K], I: i32[M], B: f16[K, N], C: f16[M, N]):
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    rows = load(I, m, 64)
    acc = zeros((64, 64), f32)
    for k in range(cdiv(K, 64)):
        x = gather(X, (rows[:, None], k * 64 + arange(64, i32)[None, :]))
        acc += x @ load(B, (k, n), (64, 64))
    store(C, (m, n), cast(acc, f16))
"""
EXTENTS = [(132, 132), (130, 130), (128, 132), (66, 68), (70, 76), (129, 132), (4, 4), (129, 129)]
"""Columns of arrays, and their pitches: of 8, 4 and 2 bytes, with rows that vectors fill or not."""


@pytest.fixture(scope="module")
def kernels():
    return tilec.loads(SOURCE)


def array(device, rows, columns, pitch, first=0, kind="<f2"):
    """Return an array of small whole numbers, `first` elements after an address of 16 bytes."""
    made = device.array((rows, columns), (pitch, 1), kind, first)
    values = made.view(np.float16)
    values[...] = np.random.default_rng(columns).integers(-3, 4, values.shape)
    return made


def facts(kernel, name):
    """Return the alignment of an array, and the divisors of dims that are compiled in."""
    (found,) = (item for item in kernel.metadata["arrays"] if item["name"] == name)
    dims = (item for item in kernel.metadata["params"] if item["kind"] == "dim")
    return found["alignment"], {item["name"]: item.get("div_by", 1) for item in dims}


@pytest.mark.parametrize(("columns", "pitch"), EXTENTS)
@pytest.mark.parametrize("first", [0, 2, 4, 1])
def test_elements_and_rows(device, kernels, columns, pitch, first):
    x = array(device, 7, columns, pitch, first)
    values = x.view(np.float16).astype(np.float32)
    y = device.array((7, columns), (pitch, 1), "<f2", first)
    kernels.scaled(x, y)
    np.testing.assert_array_equal(y.view(np.float16), values * 2)
    assert y.is_intact_around()
    sums = device.array((7,), (1,), "<f4")
    kernels.row_sums(x, sums)
    np.testing.assert_array_equal(sums.view(np.float32), values.sum(axis=1))


@pytest.mark.parametrize(("depth", "pitch"), EXTENTS)
@pytest.mark.parametrize("first", [0, 2, 4])
def test_products(device, kernels, depth, pitch, first):
    a, b = array(device, 70, depth, pitch, first), array(device, depth, 92, 94 + pitch % 4, first)
    c = device.array((70, 92), (96 - pitch % 4, 1), "<f2")
    left, right = (item.view(np.float16).astype(np.float32) for item in (a, b))
    kernels.product(a, b, c)
    np.testing.assert_array_equal(c.view(np.float16), left @ right)
    assert c.is_intact_around()
    rows = np.random.default_rng(0).integers(0, 70, 70).astype(np.int32)
    index = device.array((70,), (1,), "<i4")
    index.view(np.int32)[:] = rows
    kernels.picked(a, index, b, c)
    np.testing.assert_array_equal(c.view(np.float16), left[rows] @ right)
    assert c.is_intact_around()


@pytest.mark.parametrize(
    ("columns", "pitch", "first", "alignment", "divisor", "width"),
    [
        (256, 256, 0, 16, 16, None),
        (260, 260, 0, 8, 4, "v2.b32"),
        (258, 258, 0, 4, 2, "b32"),
        (260, 260, 2, 4, 2, "b32"),
        (256, 256, 4, 8, 16, "v2.b32"),
        (257, 260, 0, 8, 1, "b16"),
        (257, 257, 0, 1, 1, "b16"),
    ],
)
def test_what_is_known_and_how_wide_accesses_are(
    device, kernels, columns, pitch, first, alignment, divisor, width
):
    x, y = (device.array((8, columns), (pitch, 1), "<f2", first) for _ in range(2))
    made = kernels.scaled.compile(x, y)
    found, divisors = facts(made, "X")
    assert (found, divisors["N"]) == (alignment, divisor)
    stores = {line.split()[0] for line in made.ptx.splitlines() if "st.global" in line}
    assert all(item.endswith(f"st.global.{width}") for item in stores)
    assert bool(stores) == (width is not None)


def test_few_pitches_have_variants_of_their_own(device, kernels):
    found = [
        kernels.scaled.compile(*(device.array((8, n), (n, 1), "<f2") for _ in range(2)))
        for n in (260, 268, 300, 258, 266, 302, 257, 301, 256, 512, 264)
    ]
    assert [len({*found[:3]}), len({*found[3:6]}), len({*found[6:8]}), len({*found[8:10]})] == [
        1
    ] * 4
    assert len({*found}) == 5, "264 is no multiple of 16 elements"


@pytest.mark.parametrize(("pitch", "copies"), [(132, 8), (130, 4), (129, 0)])
def test_gathered_rows_are_copied(device, kernels, pitch, copies):
    x, b = array(device, 70, pitch, pitch), array(device, pitch, 128, 128)
    index, c = device.array((70,), (1,), "<i4"), array(device, 70, 128, 128)
    said = [item.message for item in kernels.picked.compile(x, index, b, c).remarks]
    text = f"shared memory, {copies} bytes at a time" if copies else "goes through the registers"
    assert any(text in message for message in said)
