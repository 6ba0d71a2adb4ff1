"""Blocks that several CTAs compute together, on the GPU."""

import pytest

import tilec
from tests.support.both_devices import host_array
from tests.support.gpu_arrays import launch_on_gpu
from tests.support.reduction_cases import CASES, arrays, check, source
from tests.support.spread_cases import (
    LOOPS,
    REDUCTIONS,
    SHAPES,
    SPREADS,
    check_loops,
    loop_arrays,
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
@pytest.mark.parametrize("spread", [2, 8])
def test_reduction(torch, tmp_path, name, spread):
    case, given = CASES[name], arrays(CASES[name], (3, 3072), 1, seed=spread)
    plan = f"@kernel(spread={spread}, worker_warps=1, "
    found = run(torch, tmp_path, source(case, (3, 3072), 1).replace("@kernel(", plan), given)
    check(case, given["X"], found["Y"], 1)


@pytest.mark.parametrize("shape", [*SHAPES, (300, 40_000)])
@pytest.mark.parametrize("plan", SPREADS)
def test_loops(torch, tmp_path, plan, shape):
    given = loop_arrays(shape, seed=plan.spread)
    check_loops(given, run(torch, tmp_path, LOOPS.format(**plan._asdict()), given))
