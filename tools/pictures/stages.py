"""The stages of a compilation: what each level knows, and what makes it from the level before."""

from typing import NamedTuple

from tilec.request.stages import STAGES, TEXT_STAGES, Stage
from tools.pictures.canvas import COLORS, FAINT, INK, Canvas


class Level(NamedTuple):
    """One box of the picture.

    Attributes:
        name: Name of the level.
        knows: What it adds to the level above.
        maker: What makes it from the level above; empty for the first one.
        color: Fill of the box.
    """

    name: str
    knows: str
    maker: str
    color: str


_TEXT_LEVELS: dict[str, tuple[str, str]] = {
    "llvmir": ("the same kernel as LLVM IR, optimised", "translation, LLVM"),
    "ptx": ("instructions of the GPU (PTX), virtual registers", "NVPTX backend of LLVM"),
    "cubin": ("machine code (SASS), physical registers", "ptxas"),
}
"""Stages that are text or bytes: what they know, and what makes them."""
_WIDTH, _BOX_X, _BOX_WIDTH, _BOX_HEIGHT, _GAP, _TOP = 820, 24, 150, 40, 34, 58


def _passes(stage: Stage) -> str:
    """Return how many passes make a stage, and how many of them are those of MLIR."""
    upstream = sum(not step.module for step in stage.steps)
    return f"{len(stage.steps)} passes" + (f", {upstream} of them from MLIR" if upstream else "")


def levels() -> list[Level]:
    """Return the levels from the source to the machine code."""
    found = [Level("source", "loops and products of tiles: a .tile file or Python", "", COLORS[7])]
    for stage in STAGES:
        first = len(found) == 1
        maker = f"frontend, then {_passes(stage)}" if first else _passes(stage)
        found.append(Level(stage.name, stage.summary, maker, COLORS[0]))
    shown = (name for name in TEXT_STAGES if name in _TEXT_LEVELS)
    return found + [Level(name, *_TEXT_LEVELS[name], COLORS[1]) for name in shown]


def draw() -> str:
    """Return docs/pictures/stages.svg."""
    shown = levels()
    step = _BOX_HEIGHT + _GAP
    canvas = Canvas(_WIDTH, _TOP + step * len(shown) - _GAP + 20, "The stages of a compilation")
    canvas.text(_BOX_X, 28, "Level", bold=True)
    canvas.text(_BOX_X + _BOX_WIDTH + 24, 28, "What it adds", bold=True)
    for index, level in enumerate(shown):
        y, middle = _TOP + index * step, _BOX_X + _BOX_WIDTH / 2
        if level.maker:
            canvas.arrow_down(middle, y - _GAP + 2, y - 2)
            canvas.text(middle + 14, y - _GAP / 2, level.maker, size=12, color=FAINT)
        canvas.box(_BOX_X, y, _BOX_WIDTH, _BOX_HEIGHT, level.color, INK, radius=5)
        center = y + _BOX_HEIGHT / 2
        canvas.text(middle, center, level.name, size=14, anchor="middle", bold=True)
        canvas.text(_BOX_X + _BOX_WIDTH + 24, center, level.knows)
    return canvas.svg()
