"""Attention as users of cuTile and Triton write it, against f64."""

import numpy as np
import pytest

from tests.support.user_attention import (
    PATH,
    Documents,
    Fmha,
    OneLoop,
    Sparse,
    Tutorial,
)
from tilec.runtime.jit import load

pytestmark = pytest.mark.gpu

FMHA = [
    Fmha((2, 4, 4), (512, 512), 128, (128, 128)),
    Fmha((1, 4, 1), (1000, 1000), 128, (128, 128)),
    Fmha((1, 2, 2), (700, 700), 64, (128, 64)),
    Fmha((1, 2, 2), (512, 512), 128, (128, 128), causal=False, even=True),
    Fmha((1, 2, 2), (300, 777), 128, (128, 128), causal=False),
    Fmha((1, 2, 1), (300, 700), 128, (128, 128), position=400),
    Fmha((1, 2, 2), (256, 256), 64, (64, 128)),
    Fmha((1, 2, 2), (256, 600), 64, (64, 64), position=100),
]
TUTORIAL = [
    Tutorial((2, 3), 1024, depth, (128, columns), causal=causal)
    for depth in (64, 128)
    for columns in (64, 128)
    for causal in (True, False)
] + [Tutorial((1, 2), 384, 64, (64, 64))]

ONE_LOOP = [
    OneLoop((1, 3), length, depth, (128, columns), causal=causal, added=added)
    for length, depth, columns in ((1024, 128, 128), (1000, 64, 64), (333, 64, 128))
    for causal in (True, False)
    for added in (True, False)
]


@pytest.fixture(scope="module")
def kernels():
    return load(PATH)


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
@pytest.mark.parametrize("case", FMHA, ids=str)
def test_fmha_of_cutile(torch, kernels, case, kind):
    check(torch, kernels.fmha_kernel, case, kind)


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
@pytest.mark.parametrize("case", TUTORIAL, ids=str)
def test_tutorial_of_triton(torch, kernels, case, kind):
    check(torch, kernels.attn_fwd, case, kind)


@pytest.mark.parametrize("case", ONE_LOOP, ids=str)
def test_one_loop(torch, kernels, case):
    check(torch, kernels.fwd_kernel, case, "float16")


@pytest.mark.parametrize("tile", [(128, 128), (128, 64), (64, 64)], ids=str)
@pytest.mark.parametrize("depth", [64, 128])
def test_table_of_tiles(torch, kernels, depth, tile):
    check(torch, kernels.block_sparse, Sparse((2, 3), 1024, depth, tile), "bfloat16")


@pytest.mark.parametrize("capped", [False, True])
@pytest.mark.parametrize("depth", [64, 128])
def test_documents(torch, kernels, depth, capped):
    case = Documents((2, 2), 1024, depth, (128, 128), capped)
    check(torch, kernels.documents, case, "bfloat16")


def check(torch, kernel, case, kind):
    torch.manual_seed(0)
    dtype = getattr(torch, kind)
    kinds = {name: torch.float32 if name == "M" else dtype for name in case.shapes}
    arrays = {
        name: torch.randn(shape, device="cuda").to(kinds[name])
        for name, shape in case.shapes.items()
    }
    expected = case.expected({name: arrays[name].float().cpu().numpy() for name in "QKV"})
    for name in expected:
        arrays[name].fill_(77.0)
    for name, values in getattr(case, "tables", {}).items():
        arrays[name] = torch.from_numpy(values).cuda()
    kernel(**arrays, **case.scalars, **case.constants)
    for name, exact in expected.items():
        found = arrays[name].double().cpu().numpy()
        # Weights and the result are rounded to 16 bits; sums of exponents are not.
        limit = 2.0**-16 if name == "M" else 2.0**-7 if kind == "bfloat16" else 2.0**-10
        error = np.abs(found - exact).max()
        assert error <= limit * max(1.0, np.abs(exact).max()), f"{name}: {error}"
