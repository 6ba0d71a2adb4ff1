"""Products and matrices for the emulator."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tools.emulator.device import DeviceArray

ROOT = Path(__file__).resolve().parents[2]
PITCH = 8
"""Elements of 16 bits that pitches are multiples of, for TMA."""


def matrix(device, rows, columns, layout="N", values=None) -> DeviceArray:
    """Return an f16 matrix, row-major (`N`) or column-major (`T`), of poison or of values."""
    pitch = -(-(columns if layout == "N" else rows) // PITCH) * PITCH
    made = device.array((rows, columns), (pitch, 1) if layout == "N" else (1, pitch), "<f2")
    if values is not None:
        made.view(np.float16)[...] = values
    return made


@dataclass(frozen=True)
class Gemm:
    """A product to run: extents, tile, plan and layouts of the arrays."""

    extents: tuple[int, int, int]
    tile: tuple[int, int, int]
    plan: str = ""
    layout: str = "NNN"
    multiprocessors: int = 2
    id: str = field(init=False, default="")

    def __post_init__(self):
        shape = "x".join(map(str, (*self.extents, *self.tile)))
        object.__setattr__(self, "id", f"{shape}-{self.layout}-{self.plan}".rstrip("-"))

    @property
    def source(self):
        hints = [self.plan] if self.plan else []
        if any(extent & extent - 1 for extent in self.tile):
            hints.append("any_tile_extents=True")
        text = (ROOT / "examples/matmul.tile").read_text()
        return text.replace("@kernel", f"@kernel({', '.join(hints)})", 1)
