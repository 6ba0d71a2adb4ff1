"""Loops that the compiler rotates: kernels, tiles, and arrays for which all sums are exact."""

from pathlib import Path
from typing import NamedTuple

import ml_dtypes
import numpy as np

from tests.support.both_devices import host_array
from tilec.runtime.jit import load
from tilec.testing.check import Arguments

FILE = Path(__file__).resolve().parents[1] / "kernels" / "rotated.tile"
TILES = 6
"""Tiles of an array: one with each number of rounds from 0 to 5."""
DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}


class Case(NamedTuple):
    """A kernel to run.

    Attributes:
        kernel: Its name.
        tile: Rows of Q, rows of K and columns of both in a tile.
        dtype: Element type of the operands.
        rotated: What remark T0440 says of its loop: what is rotated, or why nothing is.
        rows: Rows of Q, which repeats itself after as many tiles as differ; 0 for those.
    """

    kernel: str
    tile: tuple[int, int, int]
    dtype: str = "bf16"
    rotated: str = "1 of 2 products"
    rows: int = 0

    def __str__(self) -> str:
        return "-".join((self.kernel, "x".join(map(str, self.tile)), self.dtype))

    @property
    def constants(self) -> dict[str, object]:
        """The constants of the kernel."""
        return dict(zip(("BM", "BN", "BD"), self.tile, strict=True))

    def arguments(self, rounds: int = 0) -> Arguments:
        """Return what the kernel is called with: small integers."""
        rng = np.random.default_rng(rounds)
        rows, keys, depth = self.tile
        shapes = {"Q": (TILES * rows, depth)}
        shapes |= dict.fromkeys("KV", (TILES * keys - 7, depth))
        arrays = {
            name: rng.choice([-1, 0, 0, 0, 1], shape).astype(DTYPES[self.dtype])
            for name, shape in shapes.items()
        }
        queries = self.rows or TILES * rows
        columns = keys if self.kernel == "rescaled" else depth
        arrays["Q"] = np.resize(arrays["Q"], (queries, depth))
        arrays["O"] = np.full((queries, columns), np.nan, np.float32)
        made = {name: host_array(name, values) for name, values in arrays.items()}
        return Arguments(made, {"rounds": rounds, **self.constants})


TURNS = "the warpgroups ping-pong"
CASES = (
    Case("faded", (64, 32, 64)),
    Case("faded", (128, 64, 128), "f16"),
    Case("masked", (64, 128, 64)),
    Case("masked", (128, 128, 64), "f16"),
    Case("kept", (64, 32, 128), "f16"),
    Case("kept", (128, 64, 64)),
    Case("rescaled", (64, 64, 64), "f16", "1 of 1 products"),
    Case("crossing", (64, 32, 64), "f16"),
    Case("crossing", (128, 64, 128), "bf16", "does almost nothing for the next iteration"),
    Case("stored_in_rounds", (64, 32, 64)),
    Case("fed_back", (64, 32, 64)),
    Case("fed_back", (128, 64, 128), "f16", TURNS),
    Case("reshaped", (64, 32, 64), "f16"),
    Case("exchanged", (128, 128, 64), "bf16", "1 of 3 products"),
    Case("exchanged", (128, 128, 64), "f16", "1 of 3 products"),
)


def load_kernels():
    """Return the kernels by name."""
    return {kernel.__name__: kernel for kernel in load(FILE)}


def check_rotated(launch, kernel, case, rounds=0):
    """Run a kernel and compare its result with the CPU reference, bit for bit.

    Args:
        launch: Runs a kernel on copies of `Arguments`, and copies the results back.
        kernel: The kernel.
        case: How to call it.
        rounds: Of the first tile.
    """
    given = case.arguments(rounds)
    expected, found = given.copy(), given.copy()
    kernel(**expected.data(), **expected.scalars)
    launch(kernel, found)
    np.testing.assert_array_equal(found.data()["O"], expected.data()["O"])
    for name, array in found.arrays.items():
        assert array.stray_writes(given.arrays[name].memory) == 0, name
