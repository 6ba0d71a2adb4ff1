"""Debug builds at launch: the record is provided, read, explained and released."""

import ctypes
import struct

import pytest

from tests.support.runtime_fakes import FakeDriver, device_view
from tilec.codegen.artifact import HiddenParameter, Workspace
from tilec.request.wait_records import RECORD_BYTES, Word
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.launch.launcher import make_plan
from tilec.runtime.launch.wait_watch import failure_of
from tilec.support.diagnostics import (
    DeadlockError,
    DeviceError,
    InternalCompilerError,
    OutOfRangeError,
    TileError,
    error,
)

LIMIT = 2_000_000_000
LINE = "        a = load(A, (m, k), (BM, BK))"
WAITS = [
    {
        "role": "producer",
        "first_thread": 0,
        "ring": 0,
        "barrier": "empty",
        "span": ["mm.tile", 9, 13, 9, 38],
        "line": LINE,
    },
    {
        "role": "consumer",
        "first_thread": 128,
        "ring": 1,
        "barrier": "full",
        "span": ["mm.tile", 9, 13, 9, 38],
        "line": LINE,
    },
]


def metadata(name="mm", waits=WAITS):
    return {
        "name": name,
        "arrays": [
            {
                "name": "A",
                "dtype": "f32",
                "rank": 1,
                "strides": [1],
                "alignment": 16,
                "access": "readwrite",
                "alias_group": -1,
            }
        ],
        "params": [{"kind": "pointer", "array": "A"}],
        "grid": ["M"],
        "preconditions": [],
        "constants": {},
        "block_threads": 384,
        "debug_waits": {"limit": LIMIT, "waits": waits},
    }


def record(wait=1, block=5, thread=300, parity=1, slot=2, iteration=17):
    return struct.pack("<8I", 1, wait, block, thread, parity, slot, iteration, 0)


def explained(words: bytes, **changes) -> TileError:
    return failure_of({**metadata(), **changes}, struct.unpack("<8I", words))


class Launches:
    """A plan of debug builds on a driver that lets the launch numbered `fails` write a record."""

    def __init__(self, *names, workspaces=()):
        hidden = [HiddenParameter(item.name) for item in workspaces]
        hidden.append(HiddenParameter("debug_buffer"))
        self.driver = FakeDriver(parameter_sizes=dict.fromkeys(names, [8] * (1 + len(hidden))))
        self.driver.execute = self.execute
        self.fails: int | None = None
        self.zeroed: list[bytes] = []
        kernels = [(metadata(name), self.driver.load(0, name, b"", "", 0)) for name in names]
        array = device_view((3,), "f32", 1 << 20)
        bound = BoundArguments({"A": array}, {}, {}, {}, {}, {"M": 3}, 0)
        self.plan = make_plan(self.driver, kernels, bound, None, (), workspaces, hidden)

    def execute(self, launch):
        address = int.from_bytes(launch.parameters[-1], "little")
        self.zeroed.append(ctypes.string_at(address, RECORD_BYTES))
        if self.fails == len(self.zeroed) - 1:
            ctypes.memmove(address, record(), RECORD_BYTES)

    def run(self):
        self.plan.run((1 << 20,), (), 77)


def test_a_launch_without_deadlock_raises_nothing_and_keeps_nothing():
    launches = Launches("mm")
    launches.run()
    launches.run()
    assert launches.zeroed == [bytes(RECORD_BYTES)] * 2
    assert launches.driver.memory == {}
    assert [item.stream for item in launches.driver.launches] == [77, 77]
    assert int.from_bytes(launches.driver.launches[0].parameters[0], "little") == 1 << 20


def test_a_record_becomes_an_error_with_its_source_line():
    launches = Launches("mm")
    launches.fails = 0
    with pytest.raises(DeadlockError) as caught:
        launches.run()
    assert str(caught.value).splitlines()[:3] == [
        "mm.tile:9:13: error[T0811]: mm: consumer warpgroup 1 of CTA 5 waited longer than "
        "2,000,000,000 cycles for slot 2 of ring 1 to be filled (parity 1, iteration 17)",
        f"  {LINE}",
        "  " + " " * 12 + "^" * 25,
    ]
    assert "mbarrier_arrive_expect_tx" in caught.value.diagnostics[0].notes[0].message
    assert "deadlock" in (caught.value.diagnostics[0].hint or "")
    assert launches.driver.memory == {}
    launches.fails = None
    launches.run()


@pytest.mark.parametrize(("splits", "named"), [(1, "1 split"), (3, "3 splits")])
def test_the_last_split_of_a_tile_waits_for_partial_sums(splits, named):
    build = {"limit": LIMIT, "waits": [{**WAITS[1], "ring": -1, "barrier": "partials"}]}
    words = record(wait=0, thread=128, parity=0, slot=5, iteration=splits)
    found = explained(words, debug_waits=build)
    assert (
        "mm: consumer warpgroup 0 of CTA 5 waited longer than 2,000,000,000 cycles for the "
        f"partial sums of {named} of tile 5 (so far: 0)"
    ) in str(found)
    assert "arrive_partial" in found.diagnostics[0].notes[0].message


def test_the_producer_has_no_warpgroup_and_waits_for_a_release():
    message = str(explained(record(wait=0, block=131, thread=0, parity=0, slot=0, iteration=4)))
    assert "mm: the producer of CTA 131 waited longer" in message
    assert "for slot 0 of ring 0 to be released (parity 0, iteration 4)" in message
    assert "look for the ring_release" in message


def test_without_a_producer_there_are_only_warpgroups():
    waits = [{**WAITS[1], "first_thread": 0}]
    failure = explained(record(wait=0), debug_waits={"limit": 10, "waits": waits})
    assert "mm: warpgroup 2 of CTA 5 waited longer than 10 cycles" in str(failure)


def test_a_wait_without_a_place_is_reported_without_one():
    failure = explained(
        record(), debug_waits={"limit": 10, "waits": [{**item, "span": []} for item in WAITS]}
    )
    assert failure.diagnostics[0].span is None
    assert str(failure).startswith("tilec: error[T0811]: mm: consumer warpgroup 1 of CTA 5 waited")


def test_a_wait_that_is_not_in_the_table():
    with pytest.raises(InternalCompilerError, match="mm: the debug buffer names wait 2"):
        explained(record(wait=2))


def test_every_kernel_of_a_launch_has_its_own_record():
    launches = Launches("first", "second", workspaces=[Workspace("workspace", "M * 4", 256)])
    launches.run()
    first, second = (
        [int.from_bytes(value, "little") for value in item.parameters]
        for item in launches.driver.launches
    )
    assert second[2] - first[2] == RECORD_BYTES
    assert first[1] == second[1]
    assert first[1] % 256 == 0
    launches.fails = 3
    with pytest.raises(DeadlockError, match="second: consumer warpgroup 1"):
        launches.run()


def test_a_fault_of_the_kernel_is_not_hidden_by_the_release_of_the_record(monkeypatch):
    launches = Launches("mm")

    def fault(*_):
        raise DeviceError(error("T0808", "the kernel faulted"))

    monkeypatch.setattr(launches.driver, "synchronize", fault)
    monkeypatch.setattr(launches.driver, "free", fault)
    with pytest.raises(DeviceError, match="the kernel faulted") as caught:
        launches.run()
    assert caught.value.diagnostics[0].code == "T0808"


def test_the_words_fill_the_record():
    assert [*Word] == list(range(7))
    assert max(Word) * 4 < RECORD_BYTES


def test_an_index_out_of_range_is_reported_as_one():
    check = {**WAITS[1], "barrier": "extract", "ring": -1, "line": "        y = extract(x, s, 16)"}
    words = record(wait=0, parity=1, slot=2**32 - 3, iteration=4)
    found = explained(words, debug_waits={"limit": LIMIT, "waits": [check]})
    assert isinstance(found, OutOfRangeError)
    assert str(found).splitlines()[:2] == [
        "mm.tile:9:13: error[T0575]: mm: extract: index -3 along axis 1 is outside 0 to 3, "
        "in thread 300 of CTA 5",
        "          y = extract(x, s, 16)",
    ]
