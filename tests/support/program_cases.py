"""Random programs for the GPU, compiled ahead in processes without torch."""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tilec.support.diagnostics import TileError
from tools.emulator.fuzz.draw import draw
from tools.emulator.fuzz.memory import make_memory
from tools.emulator.fuzz.running import load

MAX_WORKERS = 16


def compile_program(seed: int, folder: Path) -> None:
    """Compile the program of a seed into a cache; what it is refused for shows when it is run."""
    os.environ["TILEC_CACHE_DIR"] = str(folder)
    program = draw(seed)
    arguments = {item.name: item.value for item in program.scalars}
    try:
        load(program, folder, f"seed{seed}").compile(**make_memory(program).arrays(), **arguments)
    except TileError:
        return


def compile_all(seeds: Sequence[int], folder: Path) -> None:
    """Compile the programs of all seeds in as many processes as there are cores, up to 16."""
    workers = min(os.cpu_count() or 1, MAX_WORKERS)
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        list(pool.map(partial(compile_program, folder=folder), seeds))
