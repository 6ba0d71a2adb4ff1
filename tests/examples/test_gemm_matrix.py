"""Matrix products in every layout and element type: the result on the CPU, the code for the GPU.

Every case runs on the CPU reference and is compared with NumPy, and is compiled for sm_90a, which
includes ptxas: a warning or a spill is an error there. The layouts that TMA reads must give the
kernel that an expert would write: wgmma on operands that no thread copies.
"""

import itertools
from pathlib import Path

import numpy as np
import pytest

from tilec.runtime.jit import load
from tilec.testing.check import compare, make_arguments

KERNELS = Path(__file__).resolve().parents[1] / "kernels" / "gemm.tile"
ORDERS = ("row", "col")
INPUTS, OUTPUTS = ("bf16", "f16"), ("f32", "bf16", "f16")
ODD = {"M": 136, "N": 72, "K": 200}
"""One whole tile and a part of one along every axis; pitches that TMA takes."""
SIZES = (
    {"M": 1, "N": 1, "K": 1},
    {"M": 128, "N": 64, "K": 64},
    {"M": 128, "N": 64, "K": 16},
    {"M": 7, "N": 129, "K": 63},
    {"M": 129, "N": 255, "K": 65},
    {"M": 257, "N": 63, "K": 129},
)


@pytest.fixture(autouse=True)
def no_ptxas(monkeypatch):
    """The PTX is what the tests look at."""
    monkeypatch.setattr("tilec.codegen.tools.find_tool", lambda name: None)


@pytest.fixture(scope="module")
def kernels():
    return load(KERNELS)


def check(kernel, sizes, layouts, dtypes):
    """Run and compile a product; return what was compiled."""
    arguments = make_arguments(kernel.signature, sizes, dtypes=dtypes, layouts=layouts)
    left, right, out = arguments.arrays
    arguments.poison([out])
    before = arguments.copy()
    kernel(**arguments.data(), **arguments.scalars)
    inputs = before.data()
    expected = inputs[left].astype(np.float64) @ inputs[right].astype(np.float64)
    rounded = expected.astype(np.float32).astype(inputs[out].dtype)
    result = compare({out: arguments.data()[out]}, {out: rounded}, {out: sizes["K"]})
    assert result.ok, str(result)
    assert arguments.arrays[out].stray_writes(before.arrays[out].memory) == 0
    return kernel.compile(**inputs)


def assert_reads_in_place(compiled):
    """Check that wgmma reads what TMA wrote: threads store nothing after the wait for a slot."""
    waited = compiled.ptx.split("wgmma.mma_async")[0].split("mbarrier.try_wait")[-1]
    assert "st.shared" not in waited
    assert compiled.ptx.count("cp.async.bulk.tensor") >= 3
    assert "wgmma.mma_async" in compiled.ptx


@pytest.mark.parametrize("kinds", list(itertools.product(INPUTS, OUTPUTS)), ids="-".join)
@pytest.mark.parametrize("orders", list(itertools.product(ORDERS, repeat=3)), ids="-".join)
def test_layouts_and_element_types(kernels, orders, kinds):
    layouts = dict(zip("ABC", orders, strict=True))
    compiled = check(kernels.gemm, ODD, layouts, dict(zip("TU", kinds, strict=True)))
    assert_reads_in_place(compiled)


@pytest.mark.parametrize("layout", ["row", "col", "odd", "odd_col"])
@pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: "x".join(map(str, sizes.values())))
def test_sizes(kernels, sizes, layout):
    check(kernels.gemm, sizes, dict.fromkeys("ABC", layout), {"T": "bf16", "U": "bf16"})


@pytest.mark.parametrize(
    "orders", list(itertools.product(("row", "swapped"), repeat=3)), ids="-".join
)
def test_batches_of_stored_and_transposed_matrices(kernels, orders):
    layouts = dict(zip("XYZ", orders, strict=True))
    compiled = check(kernels.batched_gemm, {"B": 3, **ODD}, layouts, {"T": "bf16", "U": "f16"})
    assert_reads_in_place(compiled)
    assert "cp.async.bulk.tensor.3d" in compiled.ptx


@pytest.mark.parametrize("repeated", ["X", "Y", "XY"])
def test_a_batch_stride_of_zero_repeats_a_matrix(kernels, repeated):
    layouts = dict.fromkeys(repeated, "broadcast")
    compiled = check(kernels.batched_gemm, {"B": 3, **ODD}, layouts, {"T": "f16", "U": "f32"})
    assert "wgmma.mma_async" in compiled.ptx
