"""300 random programs on the GPU, against their evaluation in NumPy.

The programs are drawn here, from seeds. They are compiled ahead in parallel processes.
"""

import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest

from tilec.diagnostics import TileError
from tilec.runtime.driver import get_driver
from tools.emulator.fuzz.draw import draw
from tools.emulator.fuzz.memory import make_memory
from tools.emulator.fuzz.printing import describe
from tools.emulator.fuzz.running import difference, expectations, launch, load, refusal

pytestmark = pytest.mark.gpu

PROGRAMS, MAX_WORKERS = 300, 16


def compile_program(seed: int, folder: Path) -> None:
    """Compile the program of a seed into the cache; what it is refused for shows when it is run."""
    os.environ["TILEC_CACHE_DIR"] = str(folder)
    program = draw(seed)
    arguments = {item.name: item.value for item in program.scalars}
    try:
        load(program, folder, f"seed{seed}").compile(**make_memory(program).arrays(), **arguments)
    except TileError:
        return


@pytest.fixture(scope="module")
def folder(kernel_cache):
    workers = min(os.cpu_count() or 1, MAX_WORKERS)
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        list(pool.map(partial(compile_program, folder=kernel_cache), range(PROGRAMS)))
    return kernel_cache


@pytest.mark.parametrize("seed", range(PROGRAMS))
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
