"""Rules for clusters: ranks, addresses in other CTAs, the common start and end.

The grid is flattened, so the CTAs of a cluster are neighbours in `blockIdx.x`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from tilec.dialects.nv_tileas.cluster_ops import (
    AwaitClusterOp,
    ClusterCoordOp,
    ClusterIdOp,
    ClusterSyncOp,
    NumClustersOp,
    cluster_of,
)
from tilec.ir import llvm_ops
from tilec.ir.bindings import arith, ir
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering


def rank_in_cluster(cluster: tuple[int, int]) -> emit.Index:
    """Emit this CTA's rank in its cluster."""
    return emit.remainder(llvm_ops.special_register("ctaid.x"), cluster[0] * cluster[1])


def coordinate(axis: int, cluster: tuple[int, int]) -> emit.Index:
    """Emit this CTA's row (axis 0) or column (axis 1) in its cluster."""
    rank, rows = rank_in_cluster(cluster), cluster[0]
    return emit.remainder(rank, rows) if axis == 0 else emit.divide(rank, rows)


def multicast_mask(axis: int, cluster: tuple[int, int]) -> Any:
    """Emit the i16 mask of the CTAs that differ from this one along `axis` alone."""
    rows, columns = cluster
    if axis == 0:
        mask = (1 << rows) - 1
        shift = emit.multiply(coordinate(1, cluster), rows)
    else:
        mask = sum(1 << column * rows for column in range(columns))
        shift = coordinate(0, cluster)
    shifted = arith.shli(emit.value(mask), emit.value(shift))
    return arith.trunci(ir.IntegerType.get_signless(16), shifted)


def peer_rank(number: emit.Index, cluster: tuple[int, int], axes: Iterable[int]) -> Any:
    """Emit the rank of peer `number` of this CTA; see `ring_peers`, up to the order.

    Peers are counted along the rows first, when they are shared; each is met once.
    """
    rows, columns = cluster
    row, column = coordinate(0, cluster), coordinate(1, cluster)
    if tuple(axes) == (0,):
        return emit.value(emit.add(number, emit.multiply(column, rows)))
    if tuple(axes) == (1,):
        return emit.value(emit.add(row, emit.multiply(number, rows)))
    in_column = emit.add(number, emit.multiply(column, rows))
    step = emit.add(emit.add(number, column), 1 - rows)  # 1.. columns - 1 columns to the right
    other = emit.add(row, emit.multiply(emit.remainder(step, columns), rows))
    own = emit.compare("slt", number, rows)
    return arith.select(own, emit.value(in_column), emit.value(other))


def synchronise_cluster() -> None:
    """Let all threads of the cluster that still run meet (PTX ISA, barrier.cluster)."""
    emit.inline_ptx("barrier.cluster.arrive;\nbarrier.cluster.wait;", "~{memory}")


def arrive_in_cluster() -> None:
    """Tell the other CTAs that this one's barriers are initialised; `AwaitClusterOp` waits.

    The fence after the initialisation orders it, so the arrival need not (PTX ISA, barrier.cluster
    and fence.mbarrier_init): a release would flush all that the CTA has written.
    """
    emit.inline_ptx("barrier.cluster.arrive.relaxed;", "~{memory}")


@RULES.converts(AwaitClusterOp)
def lower_await_cluster(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Wait for the arrivals before the roles."""
    emit.inline_ptx("barrier.cluster.wait;", "~{memory}")
    return ()


@RULES.converts(ClusterIdOp)
def lower_cluster_id(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Neighbouring blocks make up a cluster."""
    rows, columns = cluster_of(op)
    return [emit.value(emit.divide(llvm_ops.special_register("ctaid.x"), rows * columns))]


@RULES.converts(NumClustersOp)
def lower_num_clusters(op: Any, lowering: Lowering) -> Sequence[Any]:
    """The grid is a whole number of clusters."""
    rows, columns = cluster_of(op)
    return [emit.value(emit.divide(llvm_ops.special_register("nctaid.x"), rows * columns))]


@RULES.converts(ClusterCoordOp)
def lower_cluster_coord(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Rows run first."""
    return [emit.value(coordinate(op.opview.axis.value, cluster_of(op)))]


@RULES.converts(ClusterSyncOp)
def lower_cluster_sync(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Every thread that runs the role arrives and waits."""
    synchronise_cluster()
    return ()
