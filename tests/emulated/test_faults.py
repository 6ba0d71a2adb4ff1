"""The emulator tells a broken kernel from a right one: faults in the PTX of products."""

import re

import pytest

from tests.support.emulated_gemm import Gemm, matrix
from tests.support.feature_cases import KERNELS as FOLDER
from tilec.runtime.jit import load
from tools.emulator import device as device_module
from tools.emulator.machine import DeadlockError, EmulatedFaultError

PLAIN = Gemm((512, 256, 512), (128, 128, 64), "defer_stores=False")
DEFERRED = Gemm((384, 512, 320), (128, 256, 64), "defer_stores=True")
SPLIT = Gemm((128, 128, 512), (128, 128, 64), "split_k=4", multiprocessors=4)
SEEDS = range(6)
KERNELS = FOLDER / "register_operands.tile"


def drop(pattern):
    return lambda ptx: re.sub(pattern, "", ptx)


def more_bytes(ptx):
    return re.sub(r"(expect_tx\S+ _, \[%r\d+\], )(\d+)", lambda m: f"{m[1]}{int(m[2]) + 16}", ptx)


def one_more_arrival(ptx):
    return re.sub(r"(mov\.b32 \t%r\d+, )8(;\n\tmbarrier\.init)", r"\g<1>9\2", ptx)


def same_parity(ptx):
    return re.sub(r"(try_wait\S+ P1, \[%r\d+\], )%r\d+", r"\g<1>0", ptx, count=1)


def old_accumulators(ptx):
    return ptx.replace(", p, 1, 1, ", ", 1, 1, 1, ")


FAULTS = {
    "too many bytes expected": (more_bytes, DeadlockError),
    "too many arrivals expected": (one_more_arrival, DeadlockError),
    "slots not released": (
        drop(r"@p mbarrier\.arrive\.shared::cta\.b64 _, \[%r\d+\];"),
        DeadlockError,
    ),
    "one parity for all rounds": (same_parity, DeadlockError),
    "no wait for wgmma": (drop(r"wgmma\.wait_group\.sync\.aligned \t?\d+;"), EmulatedFaultError),
    "no barrier around staging": (drop(r"\tbar\.sync \t%r\d+, \d+;"), EmulatedFaultError),
    "no proxy fence": (drop(r"fence\.proxy\.async\S*;"), EmulatedFaultError),
    "old accumulators added": (old_accumulators, AssertionError),
    "no wait for bulk stores": (
        drop(r"@p cp\.async\.bulk\.wait_group\.read \d+;"),
        AssertionError,
    ),
}
SPLIT_FAULTS = {
    "a partial sum is not counted": (
        drop(r"@p red\.release\.gpu\S+ \[%rd\d+\], 1;"),
        DeadlockError,
    ),
    "partial sums are not awaited": (drop(r"@p bra POLL;|bra POLL;"), AssertionError),
    "threads do not wait with the one that polls": (
        drop(r"(?<=DONE:\n}\n\t// end inline asm\n)\tbar\.sync \t\d+, \d+;"),
        AssertionError,
    ),
}


@pytest.mark.parametrize("name", [*FAULTS, *SPLIT_FAULTS])
def test_a_fault_is_found(multiply, monkeypatch, name):
    """Some order of events shows it."""
    find_fault(multiply, monkeypatch, name, PLAIN if name in FAULTS else SPLIT)


def find_fault(multiply, monkeypatch, name, case):
    """Check that the fault called `name` shows in the product `case`."""
    change, error = (FAULTS | SPLIT_FAULTS)[name]
    parse = device_module.parse

    def parse_changed(ptx):
        changed = change(ptx)
        assert changed != ptx
        return parse(changed)

    monkeypatch.setattr(device_module, "parse", parse_changed)
    found = []
    for seed in SEEDS:
        try:
            multiply(case, seed)
        except (DeadlockError, EmulatedFaultError, AssertionError) as failure:
            found.append(type(failure))
            break
    assert found == [error]


@pytest.mark.parametrize("name", ["no proxy fence", "no wait for wgmma", "no wait for bulk stores"])
def test_a_fault_is_found_where_stores_wait(multiply, monkeypatch, name):
    find_fault(multiply, monkeypatch, name, DEFERRED)


def test_registers_of_an_operand_in_flight_are_not_written(device, monkeypatch):
    """A product that nobody waits for reads registers that the next k-tile overwrites."""
    kernel = load(KERNELS).scaled_in_turns
    parse = device_module.parse
    late = drop(r"wgmma\.wait_group\.sync\.aligned \t?\d+;")
    monkeypatch.setattr(device_module, "parse", lambda ptx: parse(late(ptx)))
    arrays = [matrix(device, 64, 64) for _ in "AB"]
    c = device.array((64, 64), (64, 1), "<f4")
    with pytest.raises(EmulatedFaultError, match="is written while a wgmma may still read it"):
        kernel(*arrays, c)


def test_memory_outside_of_arrays_is_out_of_reach(device):
    from tools.emulator.memory import AccessError

    made = device.array((4,), (1,), "<f4")
    with pytest.raises(AccessError, match="in no allocation"):
        device.memory.find(made.address, made.address + 16)
