"""Tiles of products one of whose operands threads copy."""

import pytest

from tilec.plan.gemm.candidates import GemmProblem, rank_tiles
from tilec.plan.gemm.model import gemm_cost
from tilec.plan.gemm.sharing import may_share
from tilec.plan.gemm.tile import GemmTile
from tilec.plan.products import ALONE
from tilec.plan.thread_operands import copy_cycles
from tilec.plan.tiles import TileUse, plan_tiles
from tilec.request.specialization import Specialization
from tilec.request.target import TARGETS
from tilec.support.fast_dataclasses import replace

HOPPER = TARGETS["sm_90a"]
ROWS = replace(ALONE, copied=(True, False))
TILE = GemmTile(128, 256, 64, 2, 2, together=ROWS)
EXTENTS = (8192, 2048, 4096)


def test_copies_lengthen_a_k_tile():
    costs = [gemm_cost(replace(TILE, together=item), EXTENTS, HOPPER) for item in (ROWS, ALONE)]
    assert TILE.copies == 128 * 64 * 2 / 16
    assert costs[0].bubble - costs[1].bubble == pytest.approx(copy_cycles(1024))


def test_the_ctas_of_a_cluster_share_what_tma_loads():
    assert replace(TILE, cluster=(2, 1)).sharing == (1, 2)
    assert replace(TILE, cluster=(1, 2)).sharing == (1, 1)
    alone = gemm_cost(TILE, EXTENTS, HOPPER)
    clusters = [replace(TILE, cluster=cluster) for cluster in ((2, 1), (1, 2))]
    shares = [may_share(tile, alone, EXTENTS, (False, False)) for tile in clusters]
    assert shares == [True, False]


def test_few_tiles_are_split():
    ranked = rank_tiles(GemmProblem((512, 4096, 7168), together=ROWS), HOPPER)
    assert any(item.tile.split_k > 1 for item in ranked[:3])


@pytest.mark.parametrize("copied", [(True, False), (False, True), (False, False)])
def test_consumers_do_not_ping_pong(copied):
    """They would at this size, if TMA loaded both operands."""
    extents = ("BM", "BN", "BK")
    roles = ("mma_m", "mma_n", "mma_k")
    together = replace(ALONE, copied=copied)
    uses = {
        name: TileUse(role, 2, extents, dim, 2, together=together)
        for name, role, dim in zip(extents, roles, "MNK", strict=True)
    }
    sizes = Specialization(sizes={"M": 4096, "N": 4096, "K": 512})
    choice = plan_tiles(uses, sizes)
    assert any("ping-pong" in item for item in choice.candidates) != any(copied)
