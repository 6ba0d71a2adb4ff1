"""Measures the tiles of one matrix product against each other and against the planner's model.

Usage: python -m tools.bench.tiles M N K [--layout NN] [--dtype bfloat16] [--top 16] [--all]
       [--tile 192x160x64]... [--rounds 5] [--seconds 0.05] [--jobs 8] [--json FILE]

The planner's choice comes first; every other tile is shown relative to it, as the model and as the
clock see it. Each tile is checked against an f32 product before it is timed. `--all` takes every
tile with three stages, also the ones that the planner leaves out because the columns of a
contiguous B are no whole swizzle spans.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from ml_dtypes import bfloat16

import tilec
from tilec.diagnostics import TileError
from tilec.plan.gemm_candidates import GemmProblem, RankedTile, rank_tiles, tile_text
from tilec.plan.gemm_model import GemmTile, gemm_cost
from tilec.runtime.jit import Kernel
from tilec.target import get_target
from tools.bench.gemm import EXAMPLES, LAYOUTS, Case, check, operands
from tools.bench.measure import Samples, gpu_state, interleave, operand_sets

TARGET = get_target("sm_90a")
_NUMPY = {"bfloat16": bfloat16, "float16": np.float16}


def any_tile_kernel() -> Kernel:
    """Return the example kernel, allowed to use tiles that are not powers of two."""
    text = tilec.load(EXAMPLES / "matmul.tile").matmul.text
    return Kernel(text, "matmul", {"any_tile_extents": True})


def tiles_to_measure(
    case: Case, top: int, every: bool, extra: Sequence[tuple[int, int, int]]
) -> list[RankedTile]:
    """Return the planner's choice for a case, then the tiles to compare with it."""
    problem = GemmProblem((case.m, case.n, case.k), n_contiguous=case.layout[1] == "N")
    ranked = rank_tiles(problem, TARGET)
    if every:
        seen = {item.tile for item in ranked}
        others = rank_tiles(replace(problem, n_contiguous=False), TARGET)
        ranked += [item for item in others if item.tile not in seen]
        ranked[1:] = sorted(ranked[1:], key=lambda item: item.cost.clocks)
    else:
        ranked = ranked[:top]
    seen = {item.tile for item in ranked}
    for m, n, k in extra:
        tile = GemmTile(m, n, k, problem.element_bytes, problem.output_bytes)
        if tile not in seen:
            ranked.append(RankedTile(tile, gemm_cost(tile, problem.extents, TARGET)))
    return ranked


def constants(tile: GemmTile) -> dict[str, int]:
    """Return the constants of the kernel that select `tile`."""
    return {"BM": tile.m, "BN": tile.n, "BK": tile.k}


def compile_into_cache(case: Case, tile: GemmTile) -> str | None:
    """Compile one tile into the disk cache, without a GPU; return why that failed, if it did."""

    def empty(rows: int, columns: int, order: str) -> Any:
        shape = (rows, columns) if order == "N" else (columns, rows)
        data = np.empty(shape, _NUMPY[case.dtype])
        return data if order == "N" else data.T

    a, b = empty(case.m, case.k, case.layout[0]), empty(case.k, case.n, case.layout[1])
    try:
        any_tile_kernel().compile(a, b, empty(case.m, case.n, "N"), **constants(tile))
    except TileError as failure:
        return str(failure).splitlines()[0]
    return None


def compile_all(case: Case, tiles: Sequence[GemmTile], jobs: int) -> dict[GemmTile, str]:
    """Compile tiles in parallel; return the reason of each that cannot be compiled."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        reasons = pool.map(compile_into_cache, [case] * len(tiles), tiles)
        return {tile: why for tile, why in zip(tiles, reasons, strict=True) if why is not None}


def measure(
    torch: Any, case: Case, tiles: Sequence[GemmTile], rounds: int, seconds: float
) -> dict[str, Samples]:
    """Check and time tiles, and cuBLAS, in turn; a tile with a wrong result is left out."""
    kernel = any_tile_kernel()
    size = torch.finfo(getattr(torch, case.dtype)).bits // 8
    total = size * (case.m * case.k + case.k * case.n + case.m * case.n)
    data = list(operands(torch, case, operand_sets(total)))
    calls: dict[str, Any] = {}
    for tile in tiles:
        run = partial(kernel, **constants(tile))
        try:
            check(torch, run, *data[0])
        except (SystemExit, TileError) as wrong:
            print(f"{tile_text(tile)}: {wrong}", file=sys.stderr)
            continue
        calls[tile_text(tile)] = lambda i, run=run: run(*data[i])
    calls["cuBLAS"] = lambda i: torch.mm(data[i][0], data[i][1], out=data[i][2])
    return interleave(torch, calls, len(data), rounds, seconds)


def report(
    case: Case, ranked: Sequence[RankedTile], samples: dict[str, Samples]
) -> list[dict[str, Any]]:
    """Return a row for every measured tile: modelled and measured time relative to the choice."""
    choice = ranked[0]
    base = samples[tile_text(choice.tile)]
    rows = []
    for item in ranked:
        own = samples.get(tile_text(item.tile))
        if own is None:
            continue
        rows.append(
            {
                "tile": tile_text(item.tile),
                "clocks": round(item.cost.clocks),
                "modelled": item.cost.clocks / choice.cost.clocks,
                "measured": 1 / statistics.median(own.ratios(base)),
                "milliseconds": own.median,
                "tflops": 2e-9 * case.m * case.n * case.k / own.median,
                "cublas": statistics.median(own.ratios(samples["cuBLAS"])),
                "waves": item.cost.waves,
                "bound": item.cost.bound,
            }
        )
    return rows


def print_table(rows: Sequence[dict[str, Any]]) -> None:
    """Print the rows in the order of their measured time."""
    print(f"{'tile':<14}{'model':>8}{'clock':>8}{'TFLOP/s':>9}{'cuBLAS':>8}{'waves':>7}  bound")
    for row in sorted(rows, key=lambda row: row["measured"]):
        print(
            f"{row['tile']:<14}{row['modelled']:8.3f}{row['measured']:8.3f}{row['tflops']:9.1f}"
            f"{row['cublas']:8.3f}{row['waves']:7}  {row['bound']}"
            f"{'  <- choice' if row is rows[0] else ''}"
        )


def tile_of(text: str) -> tuple[int, int, int]:
    """Parse `192x160x64`."""
    m, n, k = (int(part) for part in text.split("x"))
    return m, n, k


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Tiles of one matrix product: model and clock")
    for name in ("m", "n", "k"):
        parser.add_argument(name, type=int, metavar=name.upper())
    parser.add_argument("--layout", default="NN", choices=LAYOUTS)
    parser.add_argument("--dtype", default="bfloat16", choices=sorted(_NUMPY))
    parser.add_argument("--top", type=int, default=16, help="tiles of the planner's ranking")
    parser.add_argument("--all", action="store_true", help="every tile with three stages")
    parser.add_argument("--tile", type=tile_of, action="append", default=[], help="one more tile")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.05, help="of each tile in each round")
    parser.add_argument("--jobs", type=int, default=8, help="compilers at a time")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def main() -> int:
    """Compile, check and time the tiles; print the table."""
    options = parse_options()
    case = Case(options.m, options.n, options.k, options.dtype, options.layout)
    ranked = tiles_to_measure(case, options.top, options.all, options.tile)
    tiles = [item.tile for item in ranked]
    for tile, why in compile_all(case, tiles, options.jobs).items():
        print(f"{tile_text(tile)}: {why}", file=sys.stderr)
        tiles.remove(tile)
    if not tiles or tiles[0] != ranked[0].tile:
        print("the planner's choice does not compile", file=sys.stderr)
        return 1
    import torch  # pyright: ignore[reportMissingImports] - only a benchmark needs it

    samples = measure(torch, case, tiles, options.rounds, options.seconds)
    if tile_text(ranked[0].tile) not in samples:
        return 1
    print(case)
    rows = report(case, ranked, samples)
    print_table(rows)
    if options.json:
        result = {"case": str(case), "gpu": gpu_state(), "rows": rows}
        options.json.write_text(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
