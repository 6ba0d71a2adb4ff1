"""Into how many splits along K a launch divides the tiles of a product whose extents are written.

`auto` tiles are chosen for the sizes of a launch, and their splits with them (`rank_tiles`). The
extents that a user writes serve launches of any size. So the plan of such a kernel describes its
product, and each launch asks with its numbers of blocks and k-tiles. Pure Python.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from tilec.plan.gemm.candidates import GemmProblem, rank_tiles
from tilec.plan.overrides import PlanOverrides
from tilec.plan.products import ProductsTogether
from tilec.request.gpu import get_gpu
from tilec.request.target import TARGETS
from tilec.support.fast_dataclasses import replace
from tilec.support.mma_atoms import ProductTypes


def best_split(
    product: Mapping[str, Any], grid: Sequence[int], rounds: int, gpu: str, target: str = "sm_90a"
) -> int:
    """Return how many CTAs should share the k-tiles of a tile in a launch; 1 where none should.

    Args:
        product: The entry `k_splits` of the metadata, as `launch_product` describes a product.
        grid: Blocks along the axes of the grid, at least one.
        rounds: k-tiles of a tile.
        gpu: Name of the GPU, a key of `tilec.request.gpu.GPUS`.
        target: Its architecture.
    """
    (m, n, k), (a, b) = product["tile"], product["operands"]
    blocks = prod(grid)
    tiles_of_a, tiles_of_b = (prod(grid[axis] for axis in item["axes"]) for item in (a, b))
    rows, columns = blocks // tiles_of_b, blocks // tiles_of_a
    ranked = rank_tiles(
        GemmProblem(
            extents=(rows * m, columns * n, rounds * k),
            tile=(m, n, k),
            element_bytes=a["element_bytes"],
            output_bytes=product["result_bytes"],
            epilogue_bytes=product["epilogue_bytes"],
            batch=max(1, blocks // (rows * columns)),
            m_contiguous=a["strided"],
            n_contiguous=b["strided"],
            schedules=(False,),
            overrides=PlanOverrides(cluster=(1, 1), consumers=product["consumers"]),
            together=_together(product),
            product=ProductTypes(*product["types"]),
        ),
        replace(TARGETS[target], gpu=get_gpu(gpu)),
    )
    return ranked[0].tile.split_k if ranked else 1


def _together(product: Mapping[str, Any]) -> ProductsTogether:
    """Return how many products a k-tile has, and what is loaded for their operands."""
    (m, n, k), (a, b), count = product["tile"], product["operands"], product["products"]
    return ProductsTogether(
        products=count,
        a_tiles=count,
        b_tiles=count,
        loaded=(a["bytes"] / (count * m * k), b["bytes"] / (count * n * k)),
        computed=(a["computed"], b["computed"]),
    )
