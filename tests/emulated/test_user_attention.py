"""Attention as users of cuTile and Triton write it, on the emulator, against f64."""

import ml_dtypes
import numpy as np
import pytest

from tests.support.both_devices import host_array
from tests.support.user_attention import (
    PATH,
    Documents,
    Fmha,
    OneLoop,
    Sparse,
    Tutorial,
)
from tilec.runtime.jit import load
from tilec.testing.check import Arguments

FMHA = [
    Fmha((1, 2, 1), (128, 128), 64, (64, 64)),
    Fmha((1, 1, 1), (100, 150), 64, (64, 64), position=40),
    Fmha((1, 1, 1), (64, 150), 64, (64, 64), causal=False),
]
TUTORIAL = [
    Tutorial((1, 1), 256, 64, (64, 64)),
    Tutorial((1, 1), 128, 64, (128, 64), causal=False),
]

ONE_LOOP = [
    OneLoop((1, 1), 200, 64, (64, 64)),
    OneLoop((1, 1), 150, 64, (64, 64), causal=False),
    OneLoop((1, 1), 200, 64, (64, 64), added=False),
]


@pytest.fixture(scope="module")
def kernels():
    return load(PATH)


@pytest.mark.parametrize("case", FMHA, ids=str)
def test_fmha_of_cutile(launch, kernels, case):
    check(launch, kernels.fmha_kernel, case)


@pytest.mark.parametrize("case", TUTORIAL, ids=str)
def test_tutorial_of_triton(launch, kernels, case):
    check(launch, kernels.attn_fwd, case)


@pytest.mark.parametrize("case", ONE_LOOP, ids=str)
def test_one_loop(launch, kernels, case):
    check(launch, kernels.fwd_kernel, case)


@pytest.mark.parametrize("case", [Sparse(), Sparse((1, 1), 128, 64, (64, 32))], ids=str)
def test_table_of_tiles(launch, kernels, case):
    check(launch, kernels.block_sparse, case)


@pytest.mark.parametrize("case", [Documents(), Documents(capped=True)], ids=str)
def test_documents(launch, kernels, case):
    check(launch, kernels.documents, case)


def check(launch, kernel, case):
    rng = np.random.default_rng(0)
    given = {
        name: rng.standard_normal(shape).astype(np.float32 if name == "M" else ml_dtypes.bfloat16)
        for name, shape in case.shapes.items()
    }
    tables = getattr(case, "tables", {})
    made = {name: host_array(name, values) for name, values in {**given, **tables}.items()}
    arguments = Arguments(made, {**case.scalars, **case.constants})
    launch(kernel, arguments)
    for name, exact in case.expected(given).items():
        found = arguments.data()[name].astype(np.float64)
        limit = 2.0**-16 if name == "M" else 2.0**-7
        np.testing.assert_allclose(found, exact, atol=limit * max(1.0, np.abs(exact).max()), rtol=0)
