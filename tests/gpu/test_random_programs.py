"""Random programs on the GPU, against their evaluation in NumPy; each is drawn from a seed."""

import pytest

from tilec.runtime.cuda.current import get_driver
from tilec.support.diagnostics import TileError
from tools.emulator.fuzz.draw import draw
from tools.emulator.fuzz.printing import describe
from tools.emulator.fuzz.running import difference, expectations, launch, load, refusal

pytestmark = pytest.mark.gpu

SEEDS = (*range(300), 60246)
"""The last one stores the bits of an f64 that was a u64, which ptxas 13.0 got wrong in halves."""


@pytest.mark.parametrize("seed", SEEDS)
def test_program(tmp_path, seed):
    program = draw(seed)
    expected, found = expectations(program)
    arguments = {item.name: item.value for item in program.scalars}
    try:
        launch(load(program, tmp_path, f"seed{seed}"), found, arguments, get_driver())
    except TileError as failure:
        verdict = refusal(failure, program)
        assert not verdict.bad, f"{verdict.text}\n{describe(program)}"
        return
    wrong = difference(expected, found)
    assert not wrong, f"{wrong}\n{describe(program)}"
