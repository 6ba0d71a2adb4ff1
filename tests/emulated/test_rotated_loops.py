"""A rotated loop computes what the loop computes: bit for bit, for 0 to 5 rounds.

Each kernel has tiles with all these numbers of rounds, and each CTA runs some of them. The emulator
checks registers of products in flight, and slots of rings.
"""

from dataclasses import replace

import pytest

from tests.support.rotated_cases import CASES, TILES, check_rotated, load_kernels
from tilec.passes.transforms.nv_tileas.schedule import schedule_loops
from tilec.plan.schedule import schedule_loop

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
        def schedule(graph, registers):
            found = schedule_loop(graph, MOST_REGISTERS)
            plain = [item for item in found if not item.rotated]
            rotated = [replace(item, turns=turns) for item in found if item.rotated]
            counts.append(len(rotated))
            return (*rotated[number : number + 1], *plain)

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


def test_warpgroups_that_take_turns(launch, device, schedules):
    exist = schedules(1, turns=True)
    device.seed, device.multiprocessors = 1, 1
    check_rotated(launch, load_kernels()[WITH_TURNS.kernel], WITH_TURNS, rounds=1)
    assert exist() == 2
