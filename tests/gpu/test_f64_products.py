"""Products of f64 in every order of their operands, in tiles of whole and of half instructions."""

import pytest

from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

SOURCE = """
@kernel(any_tile_extents=True)
def product[P, M, N, K](A: f64[P, {a}], B: f64[P, {b}], C: f64[P, M, N]):
    p, m, n = grid(cdiv(P, {batch}), cdiv(M, {rows}), cdiv(N, 32))
    acc = zeros(({batch}, {rows}, 32), f64)
    for k in range(cdiv(K, {depth})):
        acc = mma({left}, {right}, acc)
    store(C, (p, m, n), acc)
"""
LEFT = {
    "M, K": "load(A, (p, m, k), ({batch}, {rows}, {depth}))",
    "K, M": "transpose(load(A, (p, k, m), ({batch}, {depth}, {rows})))",
}
RIGHT = {
    "K, N": "load(B, (p, k, n), ({batch}, {depth}, 32))",
    "N, K": "transpose(load(B, (p, n, k), ({batch}, 32, {depth})))",
}
MOST_ERROR = 1e-14
"""Largest difference from PyTorch's product, in units of the largest element: the sums of 70 to 200
products differ in their order only. A lost product of them is above 1e-4."""


@pytest.mark.parametrize("b", RIGHT)
@pytest.mark.parametrize("a", LEFT)
@pytest.mark.parametrize("depth", [4, 8, 16, 32])
@pytest.mark.parametrize(("batch", "rows"), [(1, 8), (1, 16), (1, 24), (1, 32), (1, 64), (2, 16)])
def test_products_of_f64(torch, tmp_path, batch, rows, depth, a, b):
    names = {"batch": batch, "rows": rows, "depth": depth}
    left, right = LEFT[a].format(**names), RIGHT[b].format(**names)
    path = tmp_path / "product.tile"
    path.write_text(SOURCE.format(a=a, b=b, left=left, right=right, **names))
    product = load(path).product
    for p, m, n, k in ((2, 128, 64, 96), (3, 77, 45, 70), (1, 33, 101, 200)):
        shapes = {"M": m, "N": n, "K": k}
        x, y = (
            torch.randn((p, *(shapes[axis] for axis in axes.split(", "))), device="cuda").double()
            for axes in (a, b)
        )
        result = torch.full((p, m, n), float("nan"), device="cuda", dtype=torch.float64)
        product(x, y, result)
        swapped = [t.mT if o in ("K, M", "N, K") else t for t, o in ((x, a), (y, b))]
        expected = swapped[0] @ swapped[1]
        error = (result - expected).abs().max() / expected.abs().max()
        assert error.item() <= MOST_ERROR
