"""Launches of few long blocks are told that most SMs are idle."""

import warnings

import pytest

import tilec
from tests.support.kernel_metadata import kernel_metadata
from tests.support.runtime_fakes import FakeDriver, device_view
from tilec.codegen.artifact import Artifact, KernelImage
from tilec.request.specialization import Specialization
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.compiled import CompiledKernel
from tilec.runtime.launch.idle_sms import LONG_CYCLES, idle_sms, idle_sms_of_sizes
from tilec.support.diagnostics import PerformanceWarning, Severity

LONG = {"name": "mm", "grid": ["cdiv(M, 128)"], "block_cycles": "1024 * cdiv(K, 64)"}
ENOUGH = {"K": 64 * 100}


@pytest.mark.parametrize(
    ("metadata", "dims", "ctas", "idle"),
    [
        ({}, ENOUGH, 32, True),
        ({}, ENOUGH, 66, True),
        ({}, ENOUGH, 67, False),
        ({}, ENOUGH, 0, False),
        ({}, {"K": 64 * 97}, 32, False),  # short blocks
        ({}, {}, 32, False),  # nobody knows
        ({"split_k": 2}, ENOUGH, 32, False),  # each CTA has half of it
        ({"cluster": [2, 1, 1], "cluster_tiles": [1, 1]}, ENOUGH, 32, False),
        ({"cluster": [2, 1, 1], "cluster_tiles": [2, 1]}, ENOUGH, 32, True),
        ({"block_cycles": "7"}, ENOUGH, 1, False),
    ],
)
def test_few_long_blocks_leave_sms_idle(metadata, dims, ctas, idle):
    found = idle_sms({**LONG, **metadata}, dims, ctas, 132)
    assert (found is not None) == idle
    if found is not None:
        assert found.severity is Severity.WARNING
        expected = f"mm: {132 - ctas} of 132 SMs are idle: the launch has {ctas} blocks, of 58 us"
        assert found.message == expected + " at least"
        assert found.hint is not None
        assert found.hint.endswith("; the grid is (cdiv(M, 128))")


def test_a_kernel_without_long_work_is_not_told():
    assert idle_sms({"name": "k"}, {}, 1, 132) is None
    assert LONG_CYCLES > 0


@pytest.mark.parametrize(("rows", "remarks"), [(4096, 1), (128 * 67, 0), (0, 0)])
def test_sizes_tell(rows, remarks):
    sizes = {**ENOUGH, "M": rows} if rows else ENOUGH
    found = idle_sms_of_sizes(LONG, Specialization(sizes=sizes), ())
    assert len(found) == remarks
    assert all(item.severity is Severity.REMARK for item in found)


def launch(kernel, depth):
    """Launch 128 rows of `depth` on a fake GPU; return what it warned of."""
    arrays = {
        "A": device_view((128, depth), "bf16", 1 << 24),
        "C": device_view((128, depth), "bf16", 1 << 28),
    }
    scalars, dtypes = {"alpha": 1.0, "count": 7}, {"alpha": "f32", "count": "i32"}
    bound = BoundArguments(arrays, scalars, dtypes, {}, {}, {"M": 128, "K": depth}, 0)
    driver = FakeDriver(parameter_sizes={"mm": [8, 8, 8, 8, 4, 4, 4, 4, 128]})
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        kernel.plan_launch(driver, bound, None, ["alpha"])
    return [item for item in found if item.category is PerformanceWarning]


def test_a_launch_warns_once_of_a_variant():
    metadata = kernel_metadata(block_cycles=LONG["block_cycles"], grid=LONG["grid"])
    image = KernelImage("mm", "", metadata=metadata)
    kernel = CompiledKernel(Artifact((image,), "sm_90a", (), ()))
    assert launch(kernel, 64) == []
    (found,) = launch(kernel, 6400)
    assert "T0434" in str(found.message)
    assert launch(kernel, 12800) == []


HEAD = """@kernel
def head[M, K, N](X: bf16[M, K], W: bf16[N, K], L: f32[M]):
    m = grid(cdiv(M, 128))
    total = zeros((128,), f32)
    for n in range(cdiv(N, 128)):
        acc = zeros((128, 128), f32)
        for k in range(cdiv(K, 64)):
            acc = mma(load(X, (m, k), (128, 64)), load(W, (n, k), (128, 64)).T, acc)
        total = total + sum(exp(acc), axis=1)
    store(L, m, log(total))
"""


def test_products_of_all_loops_count():
    made = tilec.compile(HEAD, sizes={"M": 4096, "K": 2048, "N": 32000})
    (found,) = [item for item in made.remarks if item.code == "T0434"]
    assert found.span is not None
    assert found.message.startswith("head: 100 of 132 SMs are idle: the launch has 32 blocks")
    for sizes in ({"M": 16384, "K": 2048, "N": 32000}, {"M": 4096, "K": 64, "N": 1000}, {}):
        made = tilec.compile(HEAD, sizes=sizes)
        assert not [item for item in made.remarks if item.code == "T0434"]
