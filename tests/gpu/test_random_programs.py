"""300 random programs on the GPU, against their evaluation in NumPy.

The programs are drawn here, from seeds. They are compiled ahead in parallel processes.
"""

import pytest

from tests.support.program_cases import compile_all
from tilec.runtime.cuda.current import get_driver
from tilec.support.diagnostics import TileError
from tools.emulator.fuzz.draw import draw
from tools.emulator.fuzz.printing import describe
from tools.emulator.fuzz.running import difference, expectations, launch, load, refusal

pytestmark = pytest.mark.gpu

SEEDS = range(300)


@pytest.fixture(scope="module")
def folder(kernel_cache):
    compile_all(SEEDS, kernel_cache)
    return kernel_cache


@pytest.mark.parametrize("seed", SEEDS)
def test_program(folder, seed):
    program = draw(seed)
    expected, found = expectations(program)
    arguments = {item.name: item.value for item in program.scalars}
    try:
        launch(load(program, folder, f"seed{seed}"), found, arguments, get_driver())
    except TileError as failure:
        verdict = refusal(failure, program)
        assert not verdict.bad, f"{verdict.text}\n{describe(program)}"
        return
    wrong = difference(expected, found)
    assert not wrong, f"{wrong}\n{describe(program)}"
