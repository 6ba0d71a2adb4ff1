"""60 random programs: CPU reference and emulator against their evaluation in NumPy."""

import pytest

from tools.emulator.fuzz.command import COMMAND
from tools.emulator.fuzz.draw import draw
from tools.emulator.fuzz.printing import describe
from tools.emulator.fuzz.running import check

PROGRAMS, GROUP, SCHEDULES = 60, 10, 2


@pytest.mark.parametrize("first", range(0, PROGRAMS, GROUP))
def test_random_programs(first, tmp_path, monkeypatch):
    monkeypatch.setenv("TILEC_CACHE_DIR", str(tmp_path / "cache"))
    failures, right, loose = [], 0, 0.0
    for seed in range(first, first + GROUP):
        program = draw(seed)
        verdict = check(program, tmp_path, range(seed, seed + SCHEDULES))
        if verdict.bad:
            again = f"{COMMAND} --first {seed} --count 1"
            shown = describe(program, verdict.schedule)
            failures.append(f"{again}\n{verdict.kind}: {verdict.where}\n{verdict.text}\n{shown}")
        right += verdict.kind == "right"
        loose += verdict.loose
    assert not failures, "\n\n".join(failures)
    assert right > GROUP // 2
    assert loose < 0.05 * GROUP
