"""Debug builds on the emulator: right numbers, reported deadlocks, a device that goes on."""

import re

import numpy as np
import pytest

import tilec
from tests.support.deadlock_cases import (
    SPLIT_TILE,
    build_broken,
    more_arrivals,
    more_bytes,
    without_partials,
    without_release,
)
from tests.support.emulated_gemm import ROOT, matrix
from tilec.request.specialization import Specialization

LIMIT = "waited longer than 2,000,000,000 cycles"


@pytest.fixture
def operands(device):
    """Return a function that makes A, B and a poisoned C, and one that compares C."""
    rng = np.random.default_rng(0)

    def make(m, n, k):
        left, right = (rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
        arrays = [
            matrix(device, *left.shape, values=left),
            matrix(device, *right.shape, values=right),
        ]
        return [*arrays, matrix(device, m, n)], left.astype(np.float32) @ right.astype(np.float32)

    return make


def specialization(**plan):
    return Specialization(constants=SPLIT_TILE, dtypes={"T": "f16"}, plan=plan)


def product(plan, *, debug_waits):
    text = tilec.load(ROOT / "examples" / "matmul.tile").matmul.text
    return tilec.Kernel(text, "matmul", plan, debug_waits=debug_waits)


def check(kernel, arrays, expected, **constants):
    kernel(*arrays, **constants)
    found = arrays[2].view(np.float16)
    np.testing.assert_allclose(found, expected, rtol=2e-3, atol=0.05)


@pytest.mark.parametrize(
    "plan",
    [{}, {"pingpong": 1}, {"cluster": (2, 1)}, {"specialize": 0}, {"split_k": 3}],
    ids=lambda plan: "-".join(plan) or "planned",
)
def test_numbers_are_right(operands, plan):
    arrays, expected = operands(300, 200, 264)
    check(product(plan, debug_waits=True), arrays, expected, **SPLIT_TILE)


def deadlock(kernel, arrays) -> str:
    with pytest.raises(tilec.DeadlockError) as caught:
        kernel(*arrays)
    assert [item.code for item in caught.value.diagnostics] == ["T0811"]
    return str(caught.value).splitlines()[0]


@pytest.mark.parametrize("edit", [without_release, more_arrivals])
def test_a_slot_that_is_never_released(operands, tmp_path, edit):
    """The waits of both roles begin within a leap of the emulated clock: either may be reported."""
    kernel = build_broken(tmp_path, "matmul", edit, specialization())
    stages = kernel.variants[0].plan["stages"]
    arrays, _ = operands(128, 128, 64 * (stages + 2))
    producer = rf"the producer of CTA 0 {LIMIT} for slot 0 of ring 0 to be released \(parity 0"
    consumer = rf"warpgroup \d of CTA 0 {LIMIT} for slot 0 of ring 0 to be filled \(parity 1"
    report = deadlock(kernel, arrays)
    assert re.search(rf"matmul: .*({producer}|{consumer}), iteration {stages}\)", report), report


def test_bytes_that_never_come(operands, tmp_path):
    kernel = build_broken(tmp_path, "matmul", more_bytes, specialization())
    arrays, _ = operands(256, 128, 128)
    assert re.search(
        rf"matmul: consumer warpgroup [01] of CTA [01] {LIMIT} for slot 0 of ring 0 to be filled "
        r"\(parity 0, iteration 0\)",
        deadlock(kernel, arrays),
    )


def test_partial_sums_that_never_come(operands, tmp_path):
    """The counters of the tiles hold zeros again after the deadlock."""
    plan = {"split_k": 3}
    kernel = build_broken(tmp_path, "matmul", without_partials, specialization(**plan))
    arrays, expected = operands(200, 128, 512)
    assert re.search(
        rf"matmul: consumer warpgroup 0 of CTA \d {LIMIT} for the partial sums of 2 splits of tile "
        r"[01] \(so far: 0\)",
        deadlock(kernel, arrays),
    )
    for debug_waits in (True, False):
        check(product(plan, debug_waits=debug_waits), arrays, expected, **SPLIT_TILE)
