"""Tiles of two products in a loop, where threads compute A of the second one from the first result.

Attention is one: scores = Q K^T, weights = softmax(scores), result += weights V. A tile has M rows
of A and N columns of the first product, which are the K of the second one. The first result and
what becomes of it stay in registers, so both limit M and N. The model is the time of all rounds of
all tiles along M. A round has a part that does not grow with its columns: threads multiply the
result so far, meet, and wait for products. More warpgroups hide more of it. Pure Python.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from tilec.plan import machine
from tilec.plan.demotion import MIN_OPERAND_SLOTS
from tilec.plan.gemm.model import LARGE_EXTENT
from tilec.plan.gemm.tile import GemmTile
from tilec.plan.overrides import PlanOverrides
from tilec.plan.registers import accumulator_limit, accumulator_registers
from tilec.plan.shared_memory import leaves_stages
from tilec.request.target import Target
from tilec.support.fast_dataclasses import dataclass
from tilec.support.numbers import is_power_of_two

CONSUMERS = (1, 2, 3)
"""Warpgroups to consider, with 64 rows each."""
ROUND_CYCLES, WARPGROUP_CYCLES = 1363.0, 174.0
"""Cycles of a round that do not grow with its columns, and how much less each warpgroup makes them.
This and the next two: fitted to ten tiles of attention, with errors of up to 4.5 % (H200,
docs/measurements/2026-11-24-attention.md)."""
TENSOR_SHARE = 0.652
"""Cycles of a round for each cycle of the tensor cores: threads compute in the meantime."""
SCORE_CYCLES = 0.054
"""Cycles of a round for each element of the first result."""
UNHIDDEN, HIDDEN = 2.38, 0.917
"""Cycles of a round for each cycle that the special functions of its elements take longer than the
tensor cores, and how much less each warpgroup makes them. Fitted to three tiles with operands of 8
bits and depth 64, with errors of up to 4 % (H100, docs/measurements/2026-11-25-attention-heads.md).
"""
MASK_CYCLES = 0.05
"""The same, where a round has a mask to compute: a comparison and a select (estimate)."""
DIAGONAL_CYCLES = 0.22
"""The same in a staircase, where the tensor cores take longer than the special functions: the
rounds of its end run in a loop of their own, too short to overlap products. Set on six causal rows
of bf16, depth 128 and 256: the choice loses 0.9 % to the best of the tiles that were measured in
one run, with `MASK_CYCLES` 1.8 %; nearly all of it with 4096 tokens. Elsewhere it would choose
192x96 for depth 64, which is 1 to 4 % slower than 192x128 (H100,
docs/measurements/2026-11-25-attention-forward.md)."""
CROWDED_REGISTERS, CROWDED = 200, 1.05
"""In a staircase, where the tensor cores take longer than the special functions: registers of a
thread, for both results and the operand, beyond which rounds take so many times the cycles. Their
loop is split in two, and warpgroups run less apart in it. 128x192 takes 208, and 1.05 times the
cycles that its rounds take without a mask; 128x176 takes 196, and no more than without (H100,
docs/measurements/2026-11-26-causal-profile.md)."""
STORE_CYCLES = 0.05
"""Cycles of a tile for each element of its result that threads store from registers, in vectors for
which lanes swap. By the prices of layouts 0.037. With 1024 and 2048 tokens and depth 256, 128x80
had 1.005 to 1.016 and 1.024 of the speed of 128x64, whose result is staged; the model says 1.009
and 1.033 (H100, docs/measurements/2026-11-25-attention-forward.md)."""
SECOND_SLOT_CYCLES = 2000.0
"""Cycles of a tile less where A of the first product has two slots. With heads of 128, 1024 tokens
gained 6 % and causal 4 %: 1950 and 970 cycles by this model. With 2048 tokens, 128x128 with two
slots is 2.7 % faster than 128x192 with one, which takes 1950 cycles to say (H100,
docs/measurements/2026-11-26-tile-boundaries.md)."""
TILE_CYCLES = 5000.0
"""Cycles of a tile besides its rounds: the first loads and the epilogue (sequences of 1024)."""


@dataclass(frozen=True, slots=True)
class ChainProblem:
    """Two products to choose a tile for.

    Attributes:
        tile: M, N and K of the first product; None for what is to be chosen.
        columns: N of the second product, whose M is that of the first and whose K is its N.
        element_bytes: Size of an operand element.
        rows: All rows that tiles of M cover; None where nobody knows.
        inner: All columns of the first product that the rounds of a loop cover; None likewise.
        staircase: Whether the first tile has the fewest rounds and the last one all of them.
        powers_of_two: Whether to consider only extents that are powers of two.
    """

    tile: tuple[int | None, int | None, int]
    columns: int
    element_bytes: int
    rows: int | None = None
    inner: int | None = None
    staircase: bool = False
    powers_of_two: bool = False


@dataclass(frozen=True, slots=True)
class RankedChain:
    """A tile and its modelled time.

    Attributes:
        tile: M, N and K of the first product.
        score: Cycles of all tiles along M, for each row.
        round_cycles: Cycles of a round.
        rounds: Rounds of a tile, on average.
        slots: Slots of the ring that fit.
        tile_cycles: Cycles of a tile besides its rounds.
    """

    tile: GemmTile
    score: float
    round_cycles: float
    rounds: float
    slots: int
    tile_cycles: float

    @property
    def plan_fields(self) -> dict[str, Any]:
        """As of a `RankedTile`: nothing, as registers are full, so no tile waits for the next."""
        return {}

    def __str__(self) -> str:
        """Return the tile and how its time comes about, in one line."""
        return (
            f"{self.tile.m}x{self.tile.n}x{self.tile.k}: {self.score:.0f} cycles a row = "
            f"({self.rounds:.1f} rounds of {self.round_cycles:.0f} + {self.tile_cycles:.0f}) / "
            f"{self.tile.m} rows, {self.slots} slots"
        )


def rank_chains(
    problem: ChainProblem, target: Target, limit: int | None, overrides: PlanOverrides
) -> list[RankedChain]:
    """Return the tiles that fit the machine, best first; none where no tile does.

    Args:
        problem: The products.
        target: Machine.
        limit: Most multiply-adds of the first product of a round; None for any number.
        overrides: Fields of the plan that the user fixed.
    """
    found = []
    for m, n in _candidates(problem):
        tile = GemmTile(m, n, problem.tile[2], problem.element_bytes, 4)
        slots, tile_cycles = _slots(problem, tile, target)
        asked = overrides.consumers in (None, m // machine.MMA_ROWS)
        small = limit is None or tile.volume <= limit
        if (
            asked
            and small
            and slots >= MIN_OPERAND_SLOTS
            and _fits_registers(problem, tile, target)
        ):
            found.append(_ranked(problem, tile, slots, tile_cycles))
    return sorted(found, key=lambda item: item.score)


def _candidates(problem: ChainProblem) -> Iterator[tuple[int, int]]:
    m, n, _ = problem.tile
    rows = [m] if m else [machine.MMA_ROWS * consumers for consumers in CONSUMERS]
    # They are the K of the second product, of which an instruction takes MMA_K_BYTES.
    step = max(2 * machine.MMA_COLUMN_STEP, machine.MMA_K_BYTES // problem.element_bytes)
    least = max(step, 4 * machine.MMA_COLUMN_STEP)
    columns = [n] if n else range(least, machine.MMA_MAX_COLUMNS + 1, step)
    for pair in product(rows, columns):
        plain = all(map(is_power_of_two, pair))
        if pair[0] // machine.MMA_ROWS in CONSUMERS and (plain or not problem.powers_of_two):
            yield pair


def _fits_registers(problem: ChainProblem, tile: GemmTile, target: Target) -> bool:
    consumers = tile.m // machine.MMA_ROWS
    return _registers(problem, tile) <= accumulator_limit(consumers, target)


def _registers(problem: ChainProblem, tile: GemmTile) -> int:
    """Return the registers of a thread for both results and the operand of the second product."""
    consumers = tile.m // machine.MMA_ROWS
    first, second = (
        accumulator_registers(tile.m, columns, tile.accumulator_bytes, consumers)
        for columns in (tile.n, problem.columns)
    )
    return first + second + accumulator_registers(tile.m, tile.n, tile.element_bytes, consumers)


def _slots(problem: ChainProblem, tile: GemmTile, target: Target) -> tuple[int, float]:
    """Return the slots of the ring next to A of the first product, and cycles besides its rounds.

    Where staging the result leaves too few slots, threads store it from registers
    (`tilec/plan/demotion.py`).
    """
    operands = (tile.k + problem.columns) * tile.n * tile.element_bytes
    outside = tile.m * tile.k * tile.element_bytes
    outside += tile.m * tile.accumulator_bytes  # a sum of each row
    free = target.shared_memory_bytes - machine.SHARED_RESERVE_BYTES - outside
    staging = tile.m // machine.MMA_ROWS * machine.EPILOGUE_PART_BYTES
    slots = max(0, free - staging) // operands
    cycles = TILE_CYCLES
    if slots < MIN_OPERAND_SLOTS:
        slots, staging = max(0, free) // operands, 0
        cycles += STORE_CYCLES * tile.m * problem.columns
    second = max(0, free - staging - tile.m * tile.k * tile.element_bytes) // operands
    if leaves_stages(slots, second):
        return second, cycles - SECOND_SLOT_CYCLES
    return slots, cycles


def _ranked(problem: ChainProblem, tile: GemmTile, slots: int, each_tile: float) -> RankedChain:
    """Return a tile and its time; `each_tile` are its cycles besides its rounds."""
    rows, inner = problem.rows or LARGE_EXTENT, problem.inner or LARGE_EXTENT
    tiles = -(-rows // tile.m)
    rounds, masked = 0, 0
    for number in range(tiles):
        last = min(inner, (number + 1) * tile.m) if problem.staircase else inner
        whole = min(inner, number * tile.m) if problem.staircase else inner
        rounds += -(-last // tile.n)
        masked += -(-last // tile.n) - whole // tile.n
    volume = tile.m * tile.n * (tile.k + problem.columns)
    each = ROUND_CYCLES - WARPGROUP_CYCLES * (tile.m // machine.MMA_ROWS)
    tensor, scores = volume / tile.rate, tile.m * tile.n
    each += TENSOR_SHARE * tensor + SCORE_CYCLES * scores
    special = scores / machine.SPECIAL_PER_CYCLE
    each += max(0.0, special - tensor) * (UNHIDDEN - HIDDEN * (tile.m // machine.MMA_ROWS))
    each = max(each, special)
    products_bind = problem.staircase and tensor > special
    if products_bind and _registers(problem, tile) > CROWDED_REGISTERS:
        each *= CROWDED
    mask_cycles = DIAGONAL_CYCLES if products_bind else MASK_CYCLES
    cycles = rounds * each + masked * mask_cycles * tile.m * tile.n + tiles * each_tile
    return RankedChain(tile, cycles / rows, each, rounds / tiles, slots, each_tile)
