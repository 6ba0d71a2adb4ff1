"""Blocks that several CTAs compute together, on the CPU reference and on the emulator."""

import ml_dtypes
import numpy as np
import pytest

import tilec
from tests.support.both_devices import host_array, run_both
from tests.support.reduction_cases import CASES, arrays, check, source
from tests.support.spread_cases import (
    LONG_SCAN,
    LOOPS,
    REDUCTIONS,
    RUNNING,
    SHAPES,
    SPREADS,
    WHOLE_ROWS,
    check_loops,
    check_running,
    check_whole_rows,
    loop_arrays,
    running_arrays,
    whole_rows_arrays,
)
from tilec.runtime.args.device_array import DeviceArray
from tools.emulator.memory import AccessError


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize(("shape", "spread"), [((1, 2048), 8), ((3, 3072), 2)])
def test_reduction(device, name, shape, spread):
    case, given = CASES[name], arrays(CASES[name], shape, 1)
    plan = f"@kernel(spread={spread}, worker_warps={8 // spread}, "
    text = source(case, shape, 1).replace("@kernel(", plan)
    assert "spread" in text
    for found in run_both(device, text, given):
        check(case, given["X"], found.data()["Y"], 1)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("plan", SPREADS)
def test_loops(device, plan, shape):
    device.seed = plan.spread * shape[1]
    given = loop_arrays(shape)
    for found in run_both(device, LOOPS.format(**plan._asdict()), given):
        check_loops(given, found.data())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("plan", SPREADS)
def test_scan_in_a_loop(device, plan, shape):
    device.seed = plan.spread + shape[1]
    given = running_arrays(shape)
    for found in run_both(device, RUNNING.format(**plan._asdict()), given):
        check_running(given, found.data())


@pytest.mark.parametrize(("spread", "warps"), [(2, 4), (4, 1)])
def test_whole_rows(device, spread, warps):
    device.seed = spread
    given = whole_rows_arrays()
    text = WHOLE_ROWS.format(spread=spread, warps=warps)
    for found in run_both(device, text, given):
        check_whole_rows(given, found.data())


def test_the_planner_spreads_a_long_row(device, examples):
    text = (examples / "softmax.tile").read_text()
    x = np.random.default_rng(0).standard_normal((1, 20_000)).astype(ml_dtypes.bfloat16)
    given = {"X": x, "Y": np.full_like(x, np.nan)}
    e = np.exp(x.astype(np.float64))
    for found in run_both(device, text, given):
        got = found.data()["Y"].astype(np.float64)
        np.testing.assert_allclose(got, e / e.sum(1, keepdims=True), rtol=2**-7)


def test_a_long_row_in_place(device, examples):
    x = np.random.default_rng(1).standard_normal((2, 20_000)).astype(ml_dtypes.bfloat16)
    item = host_array("X", x)
    array = DeviceArray(item.memory, item.offset, item.shape, item.strides, driver=device)
    kernel = tilec.load(examples / "softmax.tile")["softmax"]
    assert kernel.compile(array, array).metadata["plan"]["spread"] > 1
    before = item.memory.copy()
    kernel(array, array)
    array.download(item.memory)
    assert item.stray_writes(before) == 0
    e = np.exp(x.astype(np.float64))
    got = item.data.astype(np.float64)
    np.testing.assert_allclose(got, e / e.sum(1, keepdims=True), rtol=2**-7)


@pytest.mark.parametrize("back", [0, 1])
def test_a_scan_of_f64(device, back):
    x = np.random.default_rng(back).standard_normal((2, 4096))
    text = LONG_SCAN.format(t="f64", plan="spread=8, worker_warps=2").replace("= 0)", f"= {back})")
    for found in run_both(device, text, {"X": x, "Y": np.full_like(x, np.nan)}):
        expected = x[:, ::-1].cumsum(1)[:, ::-1] if back else x.cumsum(1)
        np.testing.assert_allclose(found.data()["Y"], expected, atol=1e-11)


def test_a_word_may_not_come_to_a_cta_that_has_ended():
    from types import SimpleNamespace
    from typing import Any

    from tools.emulator.asynchronous import SentWord

    cta: Any = SimpleNamespace(warps=[SimpleNamespace(done=True)])
    with pytest.raises(AccessError, match="a CTA that has ended"):
        SentWord(cta, 1024, 1032, np.zeros(4, np.uint8))()
