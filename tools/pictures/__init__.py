"""The drawings under docs/pictures/, as SVG text; `tools/gen_docs.py` writes them.

docs/pictures/gemm.svg is no drawing but a plot of measurements; `tools/bench/plot.py` makes it.
"""

from collections.abc import Callable

from tools.pictures import accumulator, ring, stages, swizzle

PICTURES: dict[str, Callable[[], str]] = {
    "stages": stages.draw,
    "ring": ring.draw,
    "accumulator": accumulator.draw,
    "swizzle": swizzle.draw,
}
"""Name of a file without `.svg` -> what draws it."""
