"""Epilogues in slices: loads, cuts, layouts, ragged edges, several tiles for each CTA."""

import itertools

import pytest

from tests.support.gemm_source import gemm_source
from tests.support.gpu_arrays import POISON, check_padded, filled, limit_of, padded
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

RESIDUAL = gemm_source(
    "fused",
    hints="{hints}",
    inputs=("bias: bf16[N]", "R: {load}[M, N]"),
    result="{result}",
    rows="{rows}",
    columns="{columns}",
    after=(
        "x = acc + load(bias, n, {columns}).astype(f32)[None, :]",
        "r = load(R, (m, n), ({rows}, {columns}))",
    ),
    value="2.0 * x + cast(r, f32)",
)
UPDATE = gemm_source("update", columns=256, value="acc + cast(load(C, (m, n), (128, 256)), f32)")
SEVERAL = gemm_source(
    "several",
    inputs=("R: bf16[M, N]", "S: f32[M, N]"),
    scalars=("D: f32[M, N]",),
    after=(
        "r, s = load(R, (m, n), (128, 128)), load(S, (m, n), (128, 128))",
        "store(D, (m, n), acc * 2.0)",
    ),
    value="acc * s + cast(r, f32)",
)
BATCHED = gemm_source(
    "batched",
    inputs=("R: bf16[Z, M, N]",),
    batched=True,
    after=("r = load(R, (z, m, n), (1, 128, 128)).reshape((128, 128))",),
    value="acc + cast(r, f32)",
)
SIZES = ((64, 64, 64), (257, 130, 64), (1000, 1001, 128), (4096, 2304, 192), (3000, 5000, 72))
"""The last two have several tiles for each CTA, the three before have ragged edges."""
SLICES = (
    {},
    {"slice_columns": 0},
    {"slice_columns": 16, "epilogue_stages": 1, "epilogue_slots": 1},
    {"slice_columns": 32, "epilogue_stages": 3, "epilogue_slots": 1},
    {"slice_columns": 64, "epilogue_stages": 1, "epilogue_slots": 3, "stages": 2},
    {"epilogue_stages": 2, "persistent": 0},
    {"cluster": (2, 1)},
)


def run_fused(torch, path, sizes, hints, order="NN", types=("bf16", "bf16"), tile=(128, 256)):
    names = {"load": types[0], "result": types[1], "rows": tile[0], "columns": tile[1]}
    text = ", ".join(f"{name}={value}" for name, value in hints.items())
    path.write_text(RESIDUAL.format(hints=text, **names))
    fused = load(path).fused
    dtypes = {"bf16": torch.bfloat16, "f32": torch.float32}
    for m, n, k in sizes:
        torch.manual_seed(m + n + k)
        a = filled(torch, m, k, torch.bfloat16)
        b = filled(torch, k, n, torch.bfloat16)
        bias = torch.randn(n, device="cuda").bfloat16()
        product = 2 * (a.float() @ b.float() + bias.float())
        for _ in range(3):  # a slot that is read too early still holds what the launch before left
            r = filled(torch, m, n, dtypes[types[0]], order[0])
            whole, c = padded(torch, m, n, dtypes[types[1]], order[1])
            fused(a, b, bias, r, c)
            torch.cuda.synchronize()
            expected = product + r.float()
            check_padded(whole, c, expected, limit_of(expected, k))


@pytest.mark.parametrize("hints", SLICES, ids=lambda hints: "-".join(map(str, hints.values())))
def test_cuts(torch, tmp_path, hints):
    run_fused(torch, tmp_path / "fused.tile", SIZES, hints)


@pytest.mark.parametrize("order", [a + b for a, b in itertools.product("NT", repeat=2)])
def test_memory_orders(torch, tmp_path, order):
    run_fused(torch, tmp_path / "fused.tile", SIZES[1:], {}, order=order)


@pytest.mark.parametrize("tile", [(64, 64), (128, 128), (256, 128), (192, 128)], ids=str)
def test_tiles(torch, tmp_path, tile):
    hints = {"any_tile_extents": 1}
    run_fused(torch, tmp_path / "fused.tile", SIZES[1:], hints, tile=tile)


@pytest.mark.parametrize("tile", [(64, 256), (128, 128)], ids=str)
def test_consumers_that_take_tiles_in_turn(torch, tmp_path, tile):
    hints = {"pingpong": 1}
    run_fused(torch, tmp_path / "fused.tile", SIZES[1:], hints, tile=tile)


def test_tiles_whose_columns_are_shared_stay_whole(torch, tmp_path):
    path = tmp_path / "fused.tile"
    run_fused(torch, path, SIZES[1:], {"consumers": 2}, tile=(64, 128))


@pytest.mark.parametrize("types", list(itertools.product(("bf16", "f32"), repeat=2)), ids=str)
def test_element_types(torch, tmp_path, types):
    run_fused(torch, tmp_path / "fused.tile", SIZES[1:], {}, types=types)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_results_are_updated_in_place(torch, tmp_path, size):
    path = tmp_path / "update.tile"
    path.write_text(UPDATE)
    m, n, k = size
    torch.manual_seed(m)
    a, b = filled(torch, m, k, torch.bfloat16), filled(torch, k, n, torch.bfloat16)
    whole, c = padded(torch, m, n, torch.bfloat16)
    c.copy_(torch.randn((m, n), device="cuda"))
    expected = a.float() @ b.float() + c.float()
    load(path).update(a, b, c)
    torch.cuda.synchronize()
    check_padded(whole, c, expected, limit_of(expected, k))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_several_loads_and_stores(torch, tmp_path, size):
    path = tmp_path / "several.tile"
    path.write_text(SEVERAL)
    m, n, k = size
    torch.manual_seed(n)
    a, b = filled(torch, m, k, torch.bfloat16), filled(torch, k, n, torch.bfloat16)
    r, s = filled(torch, m, n, torch.bfloat16), filled(torch, m, n, torch.float32)
    narrow, c = padded(torch, m, n, torch.bfloat16)
    wide, d = padded(torch, m, n, torch.float32)
    load(path).several(a, b, r, s, c, d)
    torch.cuda.synchronize()
    product = a.float() @ b.float()
    expected = product * s + r.float()
    check_padded(narrow, c, expected, limit_of(expected, 16 * k))
    check_padded(wide, d, 2 * product, k * 2.0**-15)


@pytest.mark.parametrize("size", [(3, 200, 136, 64), (64, 512, 512, 128)], ids=str)
def test_batches(torch, tmp_path, size):
    path = tmp_path / "batched.tile"
    path.write_text(BATCHED)
    z, m, n, k = size
    torch.manual_seed(z)
    a = torch.randn((z, m, k), device="cuda").bfloat16()
    b = torch.randn((z, k, n), device="cuda").bfloat16()
    r = torch.randn((z, m, n), device="cuda").bfloat16()
    c = torch.full((z, m, n), POISON, device="cuda").bfloat16()
    load(path).batched(a, b, r, c)
    torch.cuda.synchronize()
    expected = a.float() @ b.float() + r.float()
    assert (c.float() - expected).abs().max().item() <= limit_of(expected, k)
