"""A tile of a matrix multiply and what the model says about it. Pure Python."""

from typing import Any

from tilec.plan import machine
from tilec.plan.copies import PROMOTION, WIDE_PROMOTION
from tilec.plan.gemm.model import GemmCost
from tilec.plan.gemm.tile import GemmTile
from tilec.request.gpu import Gpu
from tilec.support.fast_dataclasses import dataclass, replace
from tilec.support.numbers import is_power_of_two

POWER_OF_TWO_MARGIN = 1.03
"""How much better tiles of other extents must be: the model knows less of them (calibrated). Not so
up to `KNOWN_ROWS` of swapped tiles: 24x64x128 took 5 and 7% less than 64x64x64 at 17x24576x4096 and
24x7168x18432, but 184x64x64 11% more than 64x112x64 at 180x2112x7168 (bf16, H100, 2026-11-25)."""
KNOWN_ROWS = 80
"""72x128x64 took 6 and 7% less than 128x128x64 at 67x16384x3072 and 72x13824x5120. With 96 and 128,
the choices of 3 and 11 of 335 products would change, for the worse (bf16, H100, 2026-11-26)."""
LOADED_MARGIN = 1.25
"""The same for them where consumers ping-pong and the epilogue loads tiles: with bias, GELU and a
residual at 4096^3, 128x160 tiles took 27% longer than 128x128 ones (bf16, H200, 2026-11-22)."""
THREE_SLICES, ONE_TURN_MARGIN = 3 * machine.MMA_ROWS, 1.01
"""The same for swapped tiles of so many rows in ping-pong where a CTA has one of them: 72x192x64 in
2x1 took 3% longer than with three consumers at 130x10240x8192 (bf16, H100, 2026-11-26)."""
SPLIT_MARGIN = 1.01  # the same for tiles that are split along K


@dataclass(frozen=True, slots=True)
class RankedTile:
    """A tile and what the model says about it; a lower score is better.

    Attributes:
        tile: The tile.
        cost: What the product costs with it.
        gpu: The GPU of that cost.
    """

    tile: GemmTile
    cost: GemmCost
    gpu: Gpu

    @property
    def score(self) -> float:
        """Modelled cycles, times the margins for what the model knows less about."""
        rows, columns = self.tile.m, self.tile.n
        most = KNOWN_ROWS if self.cost.placement.whole else machine.MMA_ROWS
        few = self.tile.is_swapped and (rows <= most or self.tile.cluster[0] > 1)
        plain = (few or is_power_of_two(rows)) and is_power_of_two(columns)
        in_turn = self.tile.pingpong and self.tile.epilogue_bytes
        margin = 1.0 if plain else LOADED_MARGIN if in_turn else POWER_OF_TWO_MARGIN
        one_turn = self.tile.pingpong and self.tile.is_swapped and self.cost.waves == 1
        margin *= ONE_TURN_MARGIN if one_turn and self.tile.rows == THREE_SLICES else 1
        return self.cost.cycles * margin * (SPLIT_MARGIN if self.tile.split_k > 1 else 1)

    @property
    def early_score(self) -> float:
        """The same after an early start."""
        return self.score * (1 + self.cost.late_start_saves / self.cost.cycles)

    @property
    def is_new(self) -> bool:
        """Whether it relies on where its CTAs start, of which the model knows less."""
        few = self.cost.placement.idle >= machine.ROOM_FOR_NEXT and self.tile.split_k == 1
        return self.cost.placement.gathered or few

    def is_kin(self, other: "RankedTile") -> bool:
        """Tell whether it differs from another one in the cluster and the consumers at most."""
        same = replace(self.tile, cluster=other.tile.cluster, pingpong=other.tile.pingpong)
        return same == other.tile

    @property
    def l2_promotion(self) -> int:
        """Bytes that TMA should bring into L2 at a time."""
        narrow = self.gpu.narrow_streams and self.cost.memory > self.cost.computing
        return WIDE_PROMOTION if self.cost.reads_on and not narrow else PROMOTION

    @property
    def plan_fields(self) -> dict[str, Any]:
        """What the plan of the kernel should have besides the tile, by the field of it."""
        return {
            "l2_promotion": self.l2_promotion,
            "dependent_launch": not self.cost.late_start_saves,
            "share_tiles": not self.cost.placement.gathered,
            "fill_gpu": self.cost.fills_gpu,
            "defer_stores": self.cost.deferred,
            "snake_k": self.cost.outgrows_l2,
        }

    def __str__(self) -> str:
        """Return the tile and how its cycles come about, in one line."""
        cost = self.cost
        slowest = max(cost.tensor, cost.shared, cost.l2, cost.outside, cost.threads)
        reduction = f" + {cost.reduction:.0f} reduction" if self.tile.split_k > 1 else ""
        return (
            f"{tile_text(self.tile)}: {cost.cycles:.0f} cycles = {cost.waves} "
            f"wave{'s' * (cost.waves > 1)} of [{cost.k_tiles} k-tiles of "
            f"({slowest:.0f} {cost.bound} + {cost.bubble:.0f} bubble + {cost.power:.0f} power) + "
            f"{cost.epilogue:.0f} epilogue] + {cost.start:.0f} start{reduction}"
        )


def tile_text(tile: GemmTile) -> str:
    """Return `128x256x64`, with the cluster and the schedule where they are no usual ones."""
    text = f"{tile.m}x{tile.n}x{tile.k}"
    if tile.cluster != (1, 1):
        text += f" in {tile.cluster[0]}x{tile.cluster[1]}"
    if tile.split_k > 1:
        text += f" in {tile.split_k} splits"
    return f"{text} in ping-pong" if tile.pingpong else text
