"""Results that are stored with the products of the next tile: computed ones, slices, layouts."""

import itertools

import pytest

from tests.support.gemm_source import gemm_source
from tests.support.gpu_arrays import check_padded, filled, limit_of, padded, wait
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

SOURCE = gemm_source(
    "fused",
    hints="defer_stores=True, any_tile_extents=True{hints}",
    inputs=("bias: f32[N]", "R: bf16[M, N]"),
    result="{result}",
    scalars=("scale: f32",),
    rows="{rows}",
    columns="{columns}",
    after=("x = acc + load(bias, n, {columns})[None, :]",),
    value="{value}",
) + gemm_source(
    "batched",
    hints="defer_stores=True{hints}",
    inputs=("bias: f32[N]",),
    result="{result}",
    scalars=("scale: f32",),
    columns=256,
    after=("x = (acc + load(bias, n, 256)[None, :]) * scale",),
    value="x / (1.0 + exp(-x))",
    batched=True,
)
VALUES = {
    "bias": "x * scale",
    "gelu": "x * scale * 0.5 * (1.0 + tanh(x * scale * (0.7978845608 + 0.0356774081 * x * x)))",
    "residual": "x * scale + cast(load(R, (m, n), ({rows}, {columns})), f32)",
    "rounded": "cast(cast(x, bf16) * 0.5, f32) * scale"
    " + cast(load(R, (m, n), ({rows}, {columns})), f32)",
}
TILES = ((128, 256), (256, 128), (128, 192), (192, 128), (64, 256), (128, 64))
SIZES = (
    (64, 64, 64),
    (257, 1000, 328),
    (4096, 2304, 192),
    (3000, 5000, 72),
    (2500, 6200, 56),
    (4100, 4111, 1032),
)
"""One tile, ragged edges, several tiles for each CTA with fewer k-tiles than parts and more.

All extents of a size are multiples of 16, or none is: two variants to compile."""
ORDERS = ["".join(order) for order in itertools.product("NT", repeat=3)]
SLICES = (
    {"slice_columns": 0},
    {"slice_columns": 32},
    {"slice_columns": 64, "epilogue_stages": 1, "epilogue_slots": 3, "stages": 2},
    {"epilogue_stages": 2, "epilogue_slots": 1},
    {"cluster": (2, 1)},
    {"cluster": (1, 2), "mma_pending": 1},
)


def kernels(folder, value, tile=(128, 256), hints=None, result="bf16"):
    names = {"rows": tile[0], "columns": tile[1]}
    path = folder / "deferred.tile"
    text = "".join(f", {name}={given}" for name, given in (hints or {}).items())
    value = VALUES[value].format(**names)
    path.write_text(SOURCE.format(hints=text, value=value, result=result, **names))
    return load(path)


def expected_of(torch, value, sums, bias, residual):
    """Return the result for a `scale` of 1."""
    x = sums + bias
    if value == "gelu":
        return torch.nn.functional.gelu(x, approximate="tanh")
    if value == "rounded":
        return x.bfloat16().float() * 0.5 + residual.float()
    return x + residual.float() if value == "residual" else x


def run(torch, fused, value, order="NNN", result="bf16", sizes=SIZES):
    for m, n, k in sizes:
        torch.manual_seed(m + n + k)
        a = filled(torch, m, k, torch.bfloat16, order[0])
        b = filled(torch, k, n, torch.bfloat16, order[1])
        bias = torch.randn(n, device="cuda")
        sums = a.float() @ b.float()
        for _ in range(3):  # a part that leaves too early still holds what the launch before left
            r = filled(torch, m, n, torch.bfloat16, order[2])
            dtype = torch.bfloat16 if result == "bf16" else torch.float32
            whole, c = padded(torch, m, n, dtype, order[2])
            fused(a, b, bias, r, c, 1.0)
            wait(torch, f"{m}x{n}x{k} of {value}")
            expected = expected_of(torch, value, sums, bias, r)
            limit = limit_of(expected, k)
            if (
                value == "rounded"
            ):  # two sums on two sides of a tie come out 2^-7 apart, then halved
                limit += (sums + bias).abs().max().item() * 2.0**-8
            check_padded(whole, c, expected, limit)


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: f"{tile[0]}x{tile[1]}")
@pytest.mark.parametrize("value", VALUES)
def test_tiles(torch, tmp_path, value, tile):
    run(torch, kernels(tmp_path, value, tile).fused, value)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("value", ["gelu", "residual", "rounded"])
def test_memory_orders(torch, tmp_path, value, order):
    run(torch, kernels(tmp_path, value).fused, value, order, sizes=SIZES[1:4:2])


@pytest.mark.parametrize("hints", SLICES, ids=lambda hints: "-".join(map(str, hints.values())))
@pytest.mark.parametrize("value", ["residual", "rounded"])
def test_slices(torch, tmp_path, value, hints):
    run(torch, kernels(tmp_path, value, hints=hints).fused, value)


@pytest.mark.parametrize("hints", SLICES[:2] + SLICES[4:5], ids=str)
def test_slices_without_loads(torch, tmp_path, hints):
    run(torch, kernels(tmp_path, "gelu", hints=hints).fused, "gelu")


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("tile", [(128, 128), (128, 192)], ids=str)
def test_results_of_32_bits(torch, tmp_path, value, tile):
    run(torch, kernels(tmp_path, value, tile, result="f32").fused, value, result="f32")


@pytest.mark.parametrize("size", [(3, 200, 136, 64), (1, 300, 520, 712), (64, 512, 512, 128)])
def test_batches(torch, tmp_path, size):
    batched = kernels(tmp_path, "bias").batched
    z, m, n, k = size
    torch.manual_seed(z)
    a = torch.randn((z, m, k), device="cuda").bfloat16()
    b = torch.randn((z, k, n), device="cuda").bfloat16()
    bias = torch.randn(n, device="cuda")
    expected = torch.nn.functional.silu(a.float() @ b.float() + bias)
    for _ in range(3):
        c = torch.full((z, m, n), float("nan"), device="cuda").bfloat16()
        batched(a, b, bias, c, 1.0)
        wait(torch, f"{z} times {m}x{n}x{k}")
        assert (c.float() - expected).abs().max().item() <= limit_of(expected, k)
