"""Blocks that several CTAs compute together, on the GPU."""

import pytest

import tilec
from tests.support.both_devices import host_array
from tests.support.gpu_arrays import launch_on_gpu
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
from tilec.testing.check import Arguments

pytestmark = pytest.mark.gpu


def run(torch, folder, text, given):
    """Run the only kernel of `text`; return what its arrays hold then."""
    path = folder / "kernel.tile"
    path.write_text(text)
    (kernel,) = tilec.load(path)
    arguments = Arguments({key: host_array(key, item) for key, item in given.items()}, {})
    launch_on_gpu(torch, kernel, arguments)
    return arguments.data()


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("spread", [2, 8, 16])
def test_reduction(torch, tmp_path, name, spread):
    case, given = CASES[name], arrays(CASES[name], (3, 3072), 1, seed=spread)
    plan = f"@kernel(spread={spread}, worker_warps={8 // min(spread, 8)}, "
    found = run(torch, tmp_path, source(case, (3, 3072), 1).replace("@kernel(", plan), given)
    check(case, given["X"], found["Y"], 1)


@pytest.mark.parametrize("shape", [*SHAPES, (300, 40_000)])
@pytest.mark.parametrize("plan", SPREADS)
def test_loops(torch, tmp_path, plan, shape):
    given = loop_arrays(shape, seed=plan.spread)
    check_loops(given, run(torch, tmp_path, LOOPS.format(**plan._asdict()), given))


@pytest.mark.parametrize("shape", [*SHAPES, (300, 40_000)])
@pytest.mark.parametrize("plan", SPREADS)
def test_scan_in_a_loop(torch, tmp_path, plan, shape):
    given = running_arrays(shape, seed=plan.spread)
    check_running(given, run(torch, tmp_path, RUNNING.format(**plan._asdict()), given))


@pytest.mark.parametrize("back", [0, 1])
@pytest.mark.parametrize(("t", "columns"), [("f64", 32_768), ("f32", 65_536), ("i32", 65_536)])
def test_the_planner_spreads_long_scans(torch, tmp_path, t, columns, back):
    dtype = {"f64": torch.float64, "f32": torch.float32, "i32": torch.int32}[t]
    x = torch.randn(37, columns, device="cuda", dtype=torch.float64)
    x = (100 * x).to(dtype) if t == "i32" else x.to(dtype)
    y = torch.full_like(x, -1)
    path = tmp_path / "scanned.tile"
    path.write_text(LONG_SCAN.format(t=t, plan=""))
    kernel = tilec.load(path).scanned
    kernel(x, y, BACK=back)
    wide = x.flip(1) if back else x
    expected = wide.to(torch.int64 if t == "i32" else torch.float64).cumsum(1)
    expected = expected.flip(1) if back else expected
    bound = {"f64": 1e-10, "f32": 5e-2, "i32": 0}[t]
    torch.testing.assert_close(y.to(expected.dtype), expected, rtol=0, atol=bound)


@pytest.mark.parametrize(("spread", "warps"), [(2, 4), (8, 1), (16, 1)])
def test_whole_rows(torch, tmp_path, spread, warps):
    given = whole_rows_arrays(seed=spread)
    check_whole_rows(
        given, run(torch, tmp_path, WHOLE_ROWS.format(spread=spread, warps=warps), given)
    )


@pytest.mark.parametrize("name", ["softmax", "rms_norm", "layer_norm"])
@pytest.mark.parametrize("columns", [20_000, 65_535, 131_072, 200_008, 300_000])
def test_the_planner_spreads_long_rows(torch, examples, name, columns):
    x = torch.randn(37, columns, device="cuda").bfloat16()
    y = torch.full_like(x, float("nan"))
    vectors = {"softmax": 0, "rms_norm": 1, "layer_norm": 2}[name]
    weights = [torch.randn(columns, device="cuda").bfloat16() for _ in range(vectors)]
    kernel = tilec.load(examples / f"{name}.tile")[name]
    kernel(x, *weights, y, *([1e-5] if vectors else []))
    wide, shape = [item.double() for item in (x, *weights)], (columns,)
    expected = {
        "softmax": lambda: torch.softmax(wide[0], 1),
        "rms_norm": lambda: torch.nn.functional.rms_norm(*wide[:1], shape, wide[-1], 1e-5),
        "layer_norm": lambda: torch.nn.functional.layer_norm(wide[0], shape, *wide[1:], 1e-5),
    }[name]()
    torch.testing.assert_close(y.double(), expected, rtol=2**-7, atol=1e-2 if vectors else 0)


def test_a_long_row_in_place(torch, examples):
    """The row takes the CTAs of a cluster, each of which stores only what it alone has loaded."""
    softmax = tilec.load(examples / "softmax.tile")["softmax"]
    x = torch.randn(300, 65_536, device="cuda").bfloat16()
    expected = torch.softmax(x.float(), 1)
    assert softmax.compile(x, x).metadata["plan"]["spread"] > 1
    softmax(x, x)
    torch.testing.assert_close(x.float(), expected, rtol=2**-7, atol=1e-7)
