"""Plans are made once per argument signature and re-used with other addresses."""

import threading

import numpy as np
import pytest

from tests.support.runtime_fakes import FakeArray, FakeDriver
from tilec.runtime.args.signature_binding import (
    ARRAY,
    CONST,
    OPTIONAL,
    SCALAR,
    Interface,
    Parameter,
)
from tilec.runtime.cuda.current import set_driver
from tilec.runtime.launch.dispatch import Dispatcher
from tilec.runtime.launch.grid import count_blocks, launch_grid
from tilec.runtime.launch.launcher import make_plan
from tilec.support.diagnostics import LaunchError

ARRAY_FACTS = {"dtype": "f32", "rank": 1, "strides": [1], "alignment": 1, "alias_group": -1}
METADATA = {
    "name": "axpy",
    "arrays": [
        {"name": "X", **ARRAY_FACTS, "access": "read"},
        {"name": "Y", **ARRAY_FACTS, "access": "readwrite"},
    ],
    "params": [
        {"kind": "pointer", "array": "X"},
        {"kind": "pointer", "array": "Y"},
        {"kind": "scalar", "name": "alpha", "dtype": "f32"},
        {"kind": "scalar", "name": "count", "dtype": "i32"},
        {"kind": "dim", "name": "N", "array": "X", "axis": 0},
    ],
    "dims": {"N": [["X", 0], ["Y", 0]]},
    "grid": ["cdiv(N, 128)"],
    "block_threads": 128,
}
INTERFACE = Interface(
    "axpy",
    (
        Parameter("X", ARRAY, "f32", ("N",)),
        Parameter("Y", ARRAY, "f32", ("N",)),
        Parameter("alpha", SCALAR, "f32"),
        Parameter("count", SCALAR, "i32"),
        Parameter("BLOCK", CONST, default=OPTIONAL),
    ),
)


class Planner:
    def __init__(self):
        self.plans = []
        self.on_cpu = []
        self.metadata = METADATA

    def interface(self):
        return INTERFACE

    def plan(self, driver, arguments, grid, run_time_scalars):
        self.plans.append((arguments, grid, tuple(run_time_scalars)))
        loaded = driver.load(arguments.device, "axpy", b"", "", 0)
        return make_plan(driver, [(self.metadata, loaded)], arguments, grid, run_time_scalars)

    def blocks(self, arguments, grid):
        return count_blocks(launch_grid(self.metadata, arguments, grid))

    def run_on_cpu(self, arguments, grid):
        self.on_cpu.append((arguments, grid))


@pytest.fixture
def driver():
    fake = FakeDriver(parameter_sizes={"axpy": [8, 8, 4, 4, 4]})
    previous = set_driver(fake)
    yield fake
    set_driver(previous)


@pytest.fixture
def planner():
    return Planner()


@pytest.fixture
def dispatcher(planner):
    return Dispatcher(planner)


def arrays(n=1000, x=1 << 20, y=1 << 21, **options):
    return FakeArray((n,), pointer=x, **options), FakeArray((n,), pointer=y)


def test_one_plan_serves_all_addresses_and_floats(driver, planner, dispatcher):
    for index in range(4):
        x, y = arrays(x=(index + 1) << 22, y=(index + 9) << 22)
        dispatcher.call((x, y, 0.5 * index, 3), {})
    assert len(planner.plans) == 1
    assert [int.from_bytes(item.parameters[0], "little") >> 22 for item in driver.launches] == [
        1,
        2,
        3,
        4,
    ]
    assert np.frombuffer(driver.launches[3].parameters[2], np.float32)[0] == 1.5


def test_ways_of_writing_a_call_agree(driver, planner, dispatcher):
    x, y = arrays()
    dispatcher.call((x, y, 2.0, 3), {})
    for _ in range(2):
        dispatcher.call((x,), {"count": 3, "alpha": 2.0, "Y": y})
        dispatcher.call((), {"Y": y, "X": x, "count": 3, "alpha": 2.0})
    first = driver.launches[0]
    assert len(driver.launches) == 5
    assert all(item.parameters == first.parameters for item in driver.launches)
    assert len(planner.plans) == 3


@pytest.mark.parametrize(
    "other",
    [
        {"n": 1001},
        {"x": (1 << 20) + 4},
        {"strides": (4,)},
    ],
)
def test_what_changes_the_signature(driver, planner, dispatcher, other):
    dispatcher.call((*arrays(), 2.0, 3), {})
    dispatcher.call((*arrays(**other), 2.0, 3), {})
    assert len(planner.plans) == (1 if "strides" in other else 2)


def test_integers_and_constants_belong_to_the_signature(driver, planner, dispatcher):
    x, y = arrays()
    for count in (3, 4, 3, True):
        dispatcher.call((x, y, 2.0, count), {})
    assert len(planner.plans) == 3
    for block in (64, 128, 64):
        dispatcher.call((x, y, 2.0, 3, block), {})
    assert len(planner.plans) == 5
    assert planner.plans[3][0].constants == {"BLOCK": 64}


def test_signs_of_zero_and_integers_for_floats(driver, planner, dispatcher):
    x, y = arrays()
    for alpha in (0.0, -0.0, 1, 1.0):
        dispatcher.call((x, y, alpha, 3), {})
    values = [np.frombuffer(item.parameters[2], np.float32)[0] for item in driver.launches]
    assert [str(value) for value in values] == ["0.0", "-0.0", "1.0", "1.0"]


def test_errors_are_the_same_on_the_fast_way(driver, planner, dispatcher):
    x, y = arrays()
    dispatcher.call((x, y, 2.0, 3), {})
    with pytest.raises(LaunchError, match=r"alpha is 1e\+300, too large for f32"):
        dispatcher.call((x, y, 1e300, 3), {})
    with pytest.raises(LaunchError, match="X must be an array"):
        dispatcher.call((None, y, 2.0, 3), {})
    with pytest.raises(LaunchError, match="dim N is 1000 in X"):
        dispatcher.call((x, FakeArray((999,)), 2.0, 3), {})
    with pytest.raises(LaunchError, match="const BLOCK"):
        dispatcher.call((x, y, 2.0, 3, [1]), {})
    with pytest.raises(LaunchError, match="no value for count"):
        dispatcher.call((x, y, 2.0), {})
    assert len(driver.launches) == 1


def test_overlap_is_noticed_when_addresses_change(driver, planner, dispatcher):
    dispatcher.call((*arrays(), 2.0, 3), {})
    with pytest.raises(LaunchError, match="X and Y overlap in memory"):
        dispatcher.call((*arrays(x=1 << 24, y=(1 << 24) + 16), 2.0, 3), {})
    assert len(driver.launches) == 1


def test_overlapping_arrays_get_a_plan_of_their_own(driver, planner, dispatcher):
    dispatcher.call((*arrays(), 2.0, 3), {})
    merged = [{**item, "alias_group": 0} for item in METADATA["arrays"]]
    planner.metadata = {**METADATA, "arrays": merged}
    for _ in range(2):
        dispatcher.call((*arrays(x=1 << 24, y=1 << 24), 2.0, 3), {})
    for _ in range(2):
        dispatcher.call((*arrays(), 2.0, 3), {})
    assert len(planner.plans) == 2
    assert len(driver.launches) == 5


def test_empty_arrays_launch_nothing_and_compile_nothing(driver, planner, dispatcher):
    for _ in range(2):
        dispatcher.call((*arrays(n=0), 2.0, 3), {})
    assert driver.launches == []
    assert planner.plans == []
    with pytest.raises(LaunchError, match="computes its own grid"):
        dispatcher.call((*arrays(n=0), 2.0, 3), {}, grid=(4,))


def test_a_plan_of_an_empty_array_does_not_serve_elements_at_a_null_address(driver, dispatcher):
    x = FakeArray((0,), pointer=0)
    dispatcher.call((x, FakeArray((0,), pointer=0), 2.0, 3), {})
    dispatcher.call((*arrays(), 2.0, 3), {})
    with pytest.raises(LaunchError, match="no memory"):
        dispatcher.call((*arrays(x=0), 2.0, 3), {})
    assert len(driver.launches) == 1


def test_streams(driver, dispatcher):
    x, y = arrays()
    for _ in range(2):
        dispatcher.call((x, y, 2.0, 3), {}, stream=7)
    dispatcher.call((x, y, 2.0, 3), {})
    assert [item.stream for item in driver.launches] == [7, 7, 0]
    assert driver.orders == []


def test_a_launch_waits_for_the_streams_of_its_producers(driver, dispatcher):
    for _ in range(2):
        x, y = arrays(stream=5)
        dispatcher.call((x, y, 2.0, 3), {}, stream=7)
    assert driver.orders == [(5, 7), (5, 7)]
    dispatcher.call((*arrays(stream=7), 2.0, 3), {}, stream=7)
    assert len(driver.orders) == 2


def test_numpy_arrays_run_on_the_cpu(planner, dispatcher):
    previous = set_driver(None)
    try:
        x = np.zeros(8, np.float32)
        for _ in range(2):
            dispatcher.call((x, x.copy(), 2.0, 3), {})
        assert len(planner.on_cpu) == 2
    finally:
        set_driver(previous)


def test_the_number_of_plans_is_bounded(driver, planner, dispatcher, monkeypatch):
    monkeypatch.setattr("tilec.runtime.launch.dispatch._MAX_PLANS", 4)
    for n in range(1, 10):
        dispatcher.call((*arrays(n=n), 2.0, 3), {})
    assert len(dispatcher._plans) == 4
    dispatcher.call((*arrays(n=9), 2.0, 3), {})
    assert len(planner.plans) == 9


def test_threads_share_plans_and_never_parameters(driver, planner, dispatcher):
    def work(number):
        for step in range(50):
            x, y = arrays(x=(number * 100 + step + 1) << 24, y=(number * 100 + step + 1001) << 24)
            dispatcher.call((x, y, float(number), 3), {})

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(planner.plans) == 1
    seen = set()
    for item in driver.launches:
        x = int.from_bytes(item.parameters[0], "little") >> 24
        y = int.from_bytes(item.parameters[1], "little") >> 24
        alpha = np.frombuffer(item.parameters[2], np.float32)[0]
        assert y == x + 1000
        assert alpha == (x - 1) // 100
        seen.add(x)
    assert len(seen) == 200
