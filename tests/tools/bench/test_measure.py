"""Interleaved timing, on a GPU that is a clock."""

import contextlib
import itertools

import pytest

from tools.bench import measure
from tools.bench.measure import interleave, operand_sets, quick_time, round_order, summarise


class FakeCuda:
    """CUDA graphs and events over a clock in milliseconds that only calls move."""

    def __init__(self):
        self.now = 0.0
        self.log = []
        self.recording = None

    def call(self, name, cost):
        def launch(number):
            if self.recording is not None:
                self.recording.append((name, number, cost))
            else:
                self.now += cost

        return launch

    def synchronize(self):
        pass

    @contextlib.contextmanager
    def graph(self, graph):
        self.recording = graph.calls
        yield
        self.recording = None

    def CUDAGraph(self):  # noqa: N802 - torch's name
        cuda = self

        class Graph:
            def __init__(self):
                self.calls = []

            def replay(self):
                for name, number, cost in self.calls:
                    cuda.log.append((name, number))
                    cuda.now += cost

        return Graph()

    def Event(self, enable_timing):  # noqa: N802 - torch's name
        assert enable_timing
        cuda = self

        class Event:
            def record(self):
                self.time = cuda.now

            def elapsed_time(self, end):
                return end.time - self.time

        return Event()


class FakeTorch:
    def __init__(self):
        self.cuda = FakeCuda()


@pytest.fixture
def torch(monkeypatch):
    monkeypatch.setattr(measure.time, "sleep", lambda seconds: None)
    return FakeTorch()


def test_sets_exceed_l2_twice_unless_one_does():
    assert operand_sets(1 << 40) == 1
    assert operand_sets(8 << 20) == 15
    assert operand_sets(8 << 20) * (8 << 20) >= 2 * measure.L2_BYTES
    assert operand_sets(1) == measure.MAX_SETS


def test_orders_differ_from_round_to_round():
    names = list("abcdef")
    orders = [round_order(names, number) for number in range(20)]
    assert all(sorted(order) == names for order in orders)
    assert all(orders[n + 1] == orders[n][::-1] for n in range(0, 20, 2))
    assert {order[0] for order in orders} == set(names)
    pairs = {pair for order in orders for pair in itertools.pairwise(order)}
    assert len(pairs) == 30  # everyone runs after everyone
    assert orders == [round_order(names, number) for number in range(20)]


def test_quick_time_is_the_time_of_one_call(torch):
    assert quick_time(torch, torch.cuda.call("a", 0.25), 3) == pytest.approx(0.25)


def test_every_round_takes_the_wanted_time_on_every_set(torch):
    calls = {"fast": torch.cuda.call("fast", 0.5), "slow": torch.cuda.call("slow", 2.0)}
    samples = interleave(torch, calls, 4, rounds=3, seconds=0.1)
    assert samples["fast"].times == pytest.approx([0.5] * 3)
    assert samples["slow"].times == pytest.approx([2.0] * 3)
    for item in samples.values():
        assert min(item.durations) >= 100
        assert max(item.durations) < 130
    assert {number for _, number in torch.cuda.log} == {0, 1, 2, 3}


def test_gpu_is_read_in_the_middle_of_every_round(torch):
    readings = iter(range(100))
    calls = {"a": torch.cuda.call("a", 1.0), "b": torch.cuda.call("b", 1.0)}
    samples = interleave(
        torch, calls, 1, rounds=2, seconds=0.01, read=lambda: {"sm_mhz": next(readings)}
    )
    assert [item["sm_mhz"] for item in samples["a"].readings] == [0, 3]
    assert [item["sm_mhz"] for item in samples["b"].readings] == [1, 2]


def test_summary():
    assert summarise([3.0, 1.0, 2.0]) == {"min": 1.0, "median": 2.0, "max": 3.0}
