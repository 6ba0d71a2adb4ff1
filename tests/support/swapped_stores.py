"""Kernels whose results threads store, after the lanes of a warp have swapped words."""

from tests.support.example_cases import EXAMPLES, check_example
from tilec.runtime.jit import load
from tilec.testing.check import Variant

PATHS = {path.stem: path for path in EXAMPLES}
TILES = {128: {"BM": 128, "BN": 192}, 256: {"BM": 128, "BN": 80}}
"""Of attention, by elements of a head: with these, shared memory has no room for results."""
LAYOUTS = ("row", "odd")
"""Of a result: threads store vectors of it, or single elements."""


def check_swapped_stores(launch, tokens, depth, causal, layout="row"):
    """Compare the results of attention with NumPy and the CPU reference."""
    path = PATHS["attention"]
    sizes = {"B": 1, "S": tokens, "H": 2, "G": 1, "D": depth, "DV": depth}
    constants = {**TILES[depth], "BD": depth, "causal": causal}
    variant = Variant(sizes, {"O": layout}, constants=constants)
    check_example(launch, load(path)["attention"], path, variant)


def check_product(launch, name, tile, extents):
    """Compare a product whose result has an odd pitch with NumPy and the CPU reference."""
    m, n, k = extents
    sizes = {"M": m, "N": n, "K": k}
    bm, bn, bk = tile
    constants = {"BM": bm, "BN": bn, "BK": bk}
    variant = Variant(sizes, {"C": "odd"}, constants=constants)
    check_example(launch, load(PATHS[name])[name], PATHS[name], variant)
