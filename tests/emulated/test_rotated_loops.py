"""A rotated loop computes what the loop computes: bit for bit, for 0 to 5 rounds.

Each kernel has tiles with all these numbers of rounds, and each CTA runs some of them. The emulator
checks registers of products in flight, and slots of rings.
"""

from dataclasses import replace

import pytest

from tests.support.rotated_cases import (
    CASES,
    FILE,
    TILES,
    TURNS,
    check_rotated,
    load_kernels,
)
from tilec.passes.transforms.nv_tileas.schedule import schedule_loops
from tilec.plan.schedule import schedule_loop
from tilec.runtime.jit import loads

MOST_REGISTERS = 1000
SMALL = [case for case in CASES if case.tile[0] == 64]
"""Those of one warpgroup."""
WITH_TURNS = next(case for case in CASES if case.tile[0] > 64 and case.kernel == "faded")


@pytest.fixture
def schedules(monkeypatch, tmp_path):
    """Return what makes the compiler take a schedule by its number; it returns how many there are.

    Each has a cache of kernels of its own.
    """

    def choose(number, *, turns=False):
        def schedule(graph, registers, **fixed):
            found = schedule_loop(graph, MOST_REGISTERS, rotate=True, turns=turns)
            schedules = (found.best, *(item.schedule for item in found.lost))
            rotated = [item for item in schedules if item.rotated]
            counts.append(len(rotated))
            return replace(found, best=rotated[number])

        counts = []
        folder = tmp_path / f"schedule-{number}"
        monkeypatch.setattr("tilec.runtime.cache.cache_directory", lambda: folder)
        monkeypatch.setattr(schedule_loops, "schedule_loop", schedule)
        return lambda: counts[0]

    return choose


@pytest.mark.parametrize(("number", "case"), list(enumerate(CASES)), ids=str)
def test_the_schedule_of_the_compiler(launch, device, number, case):
    kernel = load_kernels()[case.kernel]
    given = case.arguments()
    remarks = kernel.compile(**given.data(), **given.scalars).remarks
    (said,) = [item.message for item in remarks if item.code == "T0440"]
    assert case.rotated in said
    device.seed, device.multiprocessors = number, 1 + number % 3
    check_rotated(launch, kernel, case, rounds=number % TILES)


@pytest.mark.parametrize("case", SMALL, ids=str)
def test_every_schedule(launch, device, schedules, case):
    number, count = 0, 1
    while number < count:
        device.seed, device.multiprocessors = number, 2 - number
        exist = schedules(number)
        check_rotated(launch, load_kernels()[case.kernel], case, rounds=number)
        number, count = number + 1, exist()
    assert count == (1 if case.kernel == "rescaled" else 2)


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        ("rotate=0", "is not rotated: the best rotated loop is excluded by rotate = false"),
        ("turns=1", TURNS),
    ],
)
def test_a_hint_fixes_the_schedule(launch, device, hint, said):
    text = FILE.read_text().replace("@kernel\ndef faded", f"@kernel({hint})\ndef faded")
    kernel = loads(text).faded
    given = WITH_TURNS.arguments()
    found = kernel.compile(**given.data(), **given.scalars)
    (remark,) = [item.message for item in found.remarks if item.code == "T0440"]
    assert said in remark
    name, value = hint.split("=")
    assert found.plan[name] == bool(int(value))
    assert [entry["rotated"] for entry in found.plan["loops"]] == [name == "turns"]
    check_rotated(launch, kernel, WITH_TURNS, rounds=1)


def test_warpgroups_that_take_turns(launch, device, schedules):
    exist = schedules(1, turns=True)
    device.seed, device.multiprocessors = 1, 1
    check_rotated(launch, load_kernels()[WITH_TURNS.kernel], WITH_TURNS, rounds=1)
    assert exist() == 2
