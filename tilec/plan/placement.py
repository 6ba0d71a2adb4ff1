"""Where the CTAs of a product start: next to each other, and before the kernel before has ended.

Where memory bounds a product and its tiles are fewer than the SMs, both change how fast the same
CTAs stream, without changing what they read (docs/measurements/2026-11-26-skinny-clusters.md).

*Neighbours*: of few rows, each CTA reads columns of B that no other one reads. In clusters, CTAs
with neighbouring columns start together, in one GPC, and go through K at the same time. They gain
although they share nothing, and lose where they wait for each other to share the rows of A.

*An early start* (`dependent_launch`): CTAs of the next kernel take SMs that this one leaves idle,
before it has ended, and the rest of them those that become free. So they are not spread evenly over
the chip, as they are where it is empty, and stream more slowly. Where the whole next kernel fits on
the idle SMs, it spreads over these.

Nor do CTAs with neighbouring numbers then start in one GPC, as they do where the GPU is empty. If
those read the same bytes, what they ask for in one GPC costs little more than one of them does, but
spread over the GPCs nearly as much as each of them alone
(docs/measurements/2026-11-26-late-starts.md). Pure Python.
"""

from tilec.plan import machine
from tilec.plan.gemm.tile import GemmTile
from tilec.support.fast_dataclasses import dataclass

GATHERINGS = ((1, 4), (4, 1))
"""Clusters of neighbours along M and N. Eight of them took as long as four (H100, 2026-11-26)."""


def gathers(tile: GemmTile, extents: tuple[int, ...]) -> bool:
    """Tell whether the CTAs of a cluster lie along an operand of which each reads its own part."""
    (m, n, _), (along_m, along_n) = extents, tile.cluster
    along_b = m <= tile.m and along_m == 1
    along_a = n <= tile.n and along_n == 1
    return tile.cluster in GATHERINGS and (along_b or along_a)


def may_gather(tile: GemmTile, extents: tuple[int, ...]) -> bool:
    """Tell whether a tile's cluster gathers neighbours, and no cluster lacks a CTA."""
    tiles = zip(extents, (tile.m, tile.n), tile.cluster, strict=False)
    whole = all(-(-extent // size) % peers == 0 for extent, size, peers in tiles)
    return whole and gathers(tile, extents)


@dataclass(frozen=True, slots=True)
class Placement:
    """How many CTAs a product has, and where they start.

    Attributes:
        ctas: Tiles of the result, rounded up to whole clusters; each split of a tile counts.
        waves: Rounds of tiles on the machine.
        idle: Share of the SMs that have no CTA, on average over the waves.
        gathered: Whether clusters gather neighbours, which share nothing.
        whole: Whether a tile has all rows of the product, of which K is contiguous.
    """

    ctas: int
    waves: int
    idle: float
    gathered: bool
    whole: bool = False

    @property
    def l2_share(self) -> float:
        """What L2 takes, as a share of what it takes without neighbours.

        Few CTAs start next to those of the launch before: neighbours gain nothing then. 64x32x128
        tiles took 16% less alone than in 1x4 at 52x2048x2048 (bf16, H100, 2026-11-27).
        """
        near = self.gathered and self.idle < machine.ROOM_FOR_NEXT
        return machine.NEIGHBOUR_SHARE if near else 1.0

    @property
    def memory_share(self) -> float:
        """What streaming takes after an early start, as a share of what the rate of memory says."""
        if self.idle >= machine.ROOM_FOR_NEXT:
            half = self.idle < machine.LESS_THAN_HALF
            single = machine.HALF_WITH_ROOM if half else machine.CTAS_WITH_ROOM
            return machine.CLUSTERS_WITH_ROOM if self.gathered else single
        uneven = machine.MANY_IDLE_SHARE if self.idle >= machine.MANY_IDLE else 1.0
        return uneven * self.l2_share

    @property
    def late_start_cycles(self) -> float:
        """What it costs that a kernel starts when the one before has ended."""
        room = self.idle >= machine.ROOM_FOR_NEXT
        return machine.LATE_WITH_ROOM_CYCLES if room else machine.LAUNCH_CYCLES
