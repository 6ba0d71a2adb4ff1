"""The planner's ranking of tiles for a matrix multiply, with the terms of the model.

Usage: python -m tilec.plan M N K [--batch B] [--element-bytes 2] [--output-bytes 2]
       [--n-contiguous] [--powers-of-two] [--cluster 2x1]... [--gpu H100] [--top 12]

What to compare with measurements when the model is calibrated. The cycles rank the tiles of one
problem; they are no prediction of a time.
"""

import argparse
from collections.abc import Sequence

from tilec.plan import machine
from tilec.plan.gemm.candidates import CLUSTERS, GemmProblem, rank_tiles
from tilec.plan.gemm.ranked_tile import RankedTile, tile_text
from tilec.request.gpu import DEFAULT_GPU, GPUS
from tilec.request.target import TARGETS, Target, get_target
from tilec.support.fast_dataclasses import replace

_COLUMNS = (
    ("tile", "BM x BN x BK, and the cluster if there is one"),
    ("cycles", "modelled cycles of the whole product"),
    ("vs best", "how many more cycles than the first row"),
    ("waves", "rounds of tiles on the machine"),
    ("full", "share of the slots of all rounds that have a tile"),
    ("k-tiles", "k-tiles of one tile"),
    ("tensor", "cycles of one k-tile: tensor cores"),
    ("shared", "cycles of one k-tile: shared memory"),
    ("L2", "cycles of one k-tile: L2"),
    ("outside", "cycles of one k-tile: TMA fills what lies outside of the arrays"),
    ("bubble", "cycles of one k-tile: tensor cores idle"),
    ("epilogue", "cycles of one tile: conversion and store"),
    ("start", "cycles until the first operands arrive"),
    ("power", "cycles of one k-tile: lost to the power of L2 traffic"),
    ("memory", "cycles of the whole product: the memory bus"),
    ("adding", "cycles in which the splits of a tile are added up"),
    ("WGs", "consumer warpgroups"),
    ("stages", "slots that fit"),
)


def table(ranked: Sequence[RankedTile], target: Target) -> str:
    """Return the ranking as text: a row for every tile, the planner's choice first."""
    best = ranked[0].cost.cycles
    rows = [tuple(name for name, _ in _COLUMNS)]
    rows += [_row(item, best, target) for item in ranked]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])],
        )
        for row in rows
    )


def _row(item: RankedTile, best: float, target: Target) -> tuple[str, ...]:
    cost, tile = item.cost, item.tile
    slots = cost.waves * target.sm_count
    terms = (
        cost.tensor,
        cost.shared,
        cost.l2,
        cost.outside,
        cost.bubble,
        cost.epilogue,
        cost.start,
        cost.power,
        cost.memory,
        cost.reduction,
    )
    return (
        tile_text(tile),
        f"{cost.cycles:.0f}",
        f"{cost.cycles / best - 1:+.1%}",
        str(cost.waves),
        f"{cost.ctas / slots:.2f}",
        str(cost.k_tiles),
        *(f"{term:.0f}" for term in terms),
        str(tile.consumers(target)),
        str(tile.stages(target)),
    )


def _positive(text: str) -> int:
    """Parse a positive integer."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not positive")
    return value


def _cluster(text: str) -> tuple[int, int]:
    """Parse `2x1`."""
    along_m, along_n = (_positive(part) for part in text.split("x"))
    if along_m * along_n > machine.MAX_CLUSTER_CTAS:
        raise argparse.ArgumentTypeError(
            f"a cluster has at most {machine.MAX_CLUSTER_CTAS} CTAs, not {along_m * along_n}"
        )
    return along_m, along_n


def _parser() -> argparse.ArgumentParser:
    legend = "\n".join(f"  {name:<9} {meaning}" for name, meaning in _COLUMNS)
    parser = argparse.ArgumentParser(
        prog="python -m tilec.plan",
        description="Rank the tiles of a matrix multiply by their modelled time.",
        epilog=f"columns:\n{legend}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("m", type=_positive, metavar="M")
    parser.add_argument("n", type=_positive, metavar="N")
    parser.add_argument("k", type=_positive, metavar="K")
    parser.add_argument("--batch", type=_positive, default=1, help="number of products")
    parser.add_argument("--element-bytes", type=int, default=2, choices=(1, 2, 4))
    parser.add_argument("--output-bytes", type=int, default=2, choices=(1, 2, 4))
    parser.add_argument("--n-contiguous", action="store_true", help="B is stored with N contiguous")
    parser.add_argument("--powers-of-two", action="store_true", help="no other extents")
    parser.add_argument(
        "--cluster",
        type=_cluster,
        action="append",
        metavar="CMxCN",
        help="cluster along M and N to compare; repeatable (default: what the planner considers)",
    )
    parser.add_argument("--target", default="sm_90a", choices=tuple(TARGETS))
    parser.add_argument("--gpu", default=DEFAULT_GPU, choices=tuple(GPUS), help="GPU")
    parser.add_argument(
        "--top", type=_positive, default=12, help="rows to print (default: %(default)s)"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the ranking for the problem on the command line; return the exit code."""
    options = _parser().parse_args(arguments)
    problem = GemmProblem(
        extents=(options.m, options.n, options.k),
        element_bytes=options.element_bytes,
        output_bytes=options.output_bytes,
        batch=options.batch,
        n_contiguous=options.n_contiguous,
        powers_of_two=options.powers_of_two,
        clusters=tuple(options.cluster or CLUSTERS),
        may_swap=True,
    )
    target = replace(get_target(options.target), gpu=GPUS[options.gpu])
    print(table(rank_tiles(problem, target)[: options.top], target))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
