"""Rules for rings, mbarriers, role barriers and fences.

A ring position is (slot, phase). The consumer waits for `phase` of the full barrier; the producer
waits for the other parity of the empty barrier, so that its first round falls through a fresh
barrier (PTX ISA, mbarrier.try_wait.parity: true when the phase of that parity has completed).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tilec.dialects.nv_tileas.barrier_ops import (
    BarrierOp,
    FenceProxyOp,
    MBarrierArriveExpectTxOp,
    OrderMemoryOp,
)
from tilec.dialects.nv_tileas.cluster_ops import cluster_of
from tilec.dialects.nv_tileas.epilogue_ops import is_per_warpgroup
from tilec.dialects.nv_tileas.ring_ops import (
    CreateRingOp,
    RingAcquireOp,
    RingAdvanceOp,
    RingBarrierOp,
    RingPublishOp,
    RingReleaseOp,
    RingReleaseUntilOp,
    RingSkipOp,
    RingStartOp,
    RingWaitOp,
)
from tilec.dialects.nv_tileas.role_ops import SetRegistersOp, SleepOp
from tilec.dialects.nv_tileas.tma_ops import BulkCommitOp, BulkWaitOp
from tilec.ir import llvm_ops
from tilec.ir.attributes import integer, read_kernel_fact
from tilec.ir.bindings import arith, ir, scf
from tilec.layout import Owner
from tilec.passes.analysis.protocol.counts import ring_peers
from tilec.passes.conversion.nv_tileas_to_llvm import emit
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import RULES, Lowering
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.cluster import peer_rank
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.timed_waits import next_round
from tilec.passes.transforms.nv_tileas.resources.assign_buffers import MBARRIER_BYTES, WHOLE_CTA
from tilec.support.fast_dataclasses import dataclass

WAIT_HINT_NS = 10_000_000
"""Time that one try_wait may sleep before it looks again (PTX ISA, mbarrier.try_wait)."""
WARPGROUP_THREADS = 128


@dataclass
class Ring:
    """Addresses of a ring's barriers, and the CTAs of a cluster that fill each other's slots."""

    full: Any
    empty: Any
    stages: int
    cluster: tuple[int, int] = (1, 1)
    axes: tuple[int, ...] = ()


def role_barrier(lowering: Lowering, op: Any) -> None:
    """Synchronise the threads of the current role with the named barrier that `op` was given."""
    identity = integer(op, "id")
    role = lowering.current_role
    if is_per_warpgroup(op):
        number = emit.value(emit.add(role.consumer, identity))
        llvm_ops.barrier(number, emit.value(WARPGROUP_THREADS))
    elif identity == WHOLE_CTA:
        llvm_ops.barrier()
    else:
        threads = emit.value(role.threads)
        number = emit.value(emit.add(role.team, identity))
        llvm_ops.barrier(number, threads)


def in_one_thread(
    lowering: Lowering, op: Any, text: str, constraints: str = "", operands: Sequence[Any] = ()
) -> None:
    """Emit one PTX instruction that a single thread of the role (or warpgroup) executes for `op`.

    It is predicated, not branched around: a branch that only some threads take keeps ptxas from
    using uniform registers after it (measured: 21 R2UR moves between the wgmma of a GEMM loop).
    """
    predicated(lowering.current_role.elected_for(op), text, constraints, operands)


def predicated(
    predicate: Any, text: str, constraints: str = "", operands: Sequence[Any] = ()
) -> None:
    """Emit one PTX instruction under an i1 predicate (None: always)."""
    parts = [part for part in (constraints, "~{memory}") if part]
    if predicate is None:
        emit.inline_ptx(text, ",".join(parts), operands)
        return
    parts.insert(len(parts) - 1, "r")
    body = f"{{ .reg .pred p; setp.ne.b32 p, ${len(operands)}, 0; @p {text} }}"
    emit.inline_ptx(body, ",".join(parts), [*operands, emit.flag(predicate)])


@contextmanager
def guarded(predicate: Any) -> Iterator[None]:
    """Emit into the body of `if predicate`; None emits in place."""
    if predicate is None:
        yield
        return
    with ir.InsertionPoint(scf.IfOp(predicate).then_block):
        yield
        scf.YieldOp([])


@RULES.converts(CreateRingOp)
def lower_create_ring(op: Any, lowering: Lowering) -> Sequence[Any]:
    """A ring is the addresses of its barriers."""
    empty = lowering.get(op.opview.empty) if op.opview.empty is not None else None
    axes = tuple(op.attributes["multicast_axes"]) if "multicast_axes" in op.attributes else ()
    full = lowering.get(op.opview.full)
    ring = Ring(full, empty, op.opview.stages.value, cluster_of(op), axes)
    return [ring]


@RULES.converts(RingStartOp)
def lower_ring_start(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Start at slot 0 in phase 0."""
    return [(0, 0)]


@RULES.converts(RingAdvanceOp)
def lower_ring_advance(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Step on; past the last slot, wrap around and flip the phase."""
    ring, (slot, phase) = lowering.get(op.operands[0]), lowering.get(op.operands[1])
    count = op.opview.count.value
    rounds, count = divmod(count, ring.stages)
    phase_value = emit.value(phase)
    if rounds:
        phase_value = _next_phase(lowering, phase_value, rounds)
    if count:
        stepped = emit.value(emit.add(slot, count))
        wraps = emit.compare("sge", stepped, ring.stages)
        wrapped = arith.subi(stepped, emit.value(ring.stages))
        slot = arith.select(wraps, wrapped, stepped)
        flipped = _next_phase(lowering, phase_value)
        phase_value = arith.select(wraps, flipped, phase_value)
        if lowering.current_role.thread is not None:
            slot = emit.broadcast(slot)
    return [(slot, phase_value)]


@RULES.converts(RingSkipOp)
def lower_ring_skip(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Step on by the rounds of the loop in as many tiles as are skipped."""
    ring, (slot, phase), tiles, lower, upper, step = map(lowering.get, op.operands)
    distance = arith.maxsi(arith.subi(upper, lower), emit.value(0))
    whole = arith.addi(distance, arith.subi(step, emit.value(1)))
    rounds = arith.muli(arith.divui(whole, step), tiles)
    count = emit.multiply(rounds, op.opview.count.value)
    reached = emit.value(emit.add(slot, count))
    laps = emit.divide(reached, ring.stages)
    slot = emit.remainder(reached, ring.stages)
    if lowering.debug is not None:
        phase = arith.addi(emit.value(phase), emit.value(laps))
    else:
        odd = emit.value(emit.remainder(laps, 2))
        phase = arith.xori(emit.value(phase), odd)
    return [(emit.broadcast(emit.value(slot)), phase)]


def slot_barrier(barriers: Any, slot: emit.Index) -> Any:
    """Return the address of the barrier of a slot."""
    return emit.byte_offset(barriers, emit.multiply(slot, MBARRIER_BYTES))


def _next_phase(lowering: Lowering, phase: Any, rounds: int = 1) -> Any:
    if lowering.debug is not None:
        return next_round(phase, rounds)
    return arith.xori(phase, emit.value(1)) if rounds % 2 else phase


def _wait(lowering: Lowering, op: Any, barrier: Any, parity: emit.Index) -> None:
    if lowering.debug is not None:
        lowering.debug.wait(lowering, op, barrier, parity)
        return
    operands = [barrier, emit.value(parity), emit.value(WAIT_HINT_NS)]
    llvm_ops.operation("nvvm.mbarrier.try_wait.parity", operands)


@RULES.converts(RingAcquireOp)
def lower_ring_acquire(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Wait until consumers have released the slot's previous tile."""
    ring, (slot, phase) = lowering.get(op.operands[0]), lowering.get(op.operands[1])
    parity = 1 - phase if isinstance(phase, int) else arith.xori(phase, emit.value(1))
    _wait(lowering, op, slot_barrier(ring.empty, slot), parity)
    return ()


@RULES.converts(RingWaitOp)
def lower_ring_wait(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Wait until the slot is filled."""
    ring, (slot, phase) = lowering.get(op.operands[0]), lowering.get(op.operands[1])
    _wait(lowering, op, slot_barrier(ring.full, slot), phase)
    return ()


@RULES.converts(RingReleaseOp)
def lower_ring_release(op: Any, lowering: Lowering) -> Sequence[Any]:
    """One lane of each warp arrives once the whole warp is done with the slot."""
    ring, (slot, _) = lowering.get(op.operands[0]), lowering.get(op.operands[1])
    condition = None if op.opview.when is None else lowering.get(op.opview.when)
    if condition is not None and lowering.debug is not None:
        condition = arith.andi(condition, lowering.debug.on_course())
    _release(lowering, ring, slot, condition)
    return ()


@RULES.converts(RingPublishOp)
def lower_ring_publish(op: Any, lowering: Lowering) -> Sequence[Any]:
    """One lane of each warp arrives once the whole warp has stored."""
    ring, (slot, _) = lowering.get(op.operands[0]), lowering.get(op.operands[1])
    condition = None if lowering.debug is None else lowering.debug.on_course()
    llvm_ops.operation("nvvm.bar.warp.sync", [emit.value(-1)])
    _arrive(lowering, ring.full, slot, condition)
    return ()


@RULES.converts(RingReleaseUntilOp)
def lower_ring_release_until(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Release the slot unless it is the one to keep: one of another number or of another round."""
    ring, held, kept = (lowering.get(operand) for operand in op.operands)
    differs = emit.compare("ne", *(emit.value(place) for place in (held[0], kept[0])))
    if ring.stages == 1:
        differs = emit.compare("ne", *(emit.value(place) for place in (held[1], kept[1])))
    if lowering.debug is not None:
        differs = arith.andi(differs, lowering.debug.on_course())
    _release(lowering, ring, held[0], differs)
    return [kept]


def _release(lowering: Lowering, ring: Ring, slot: emit.Index, condition: Any) -> None:
    """Arrive at the slot's empty barrier, where `condition` (None: always) holds.

    Where other CTAs fill the slot too, one lane each arrives at their barriers.
    """
    llvm_ops.operation("nvvm.bar.warp.sync", [emit.value(-1)])
    if ring.axes:
        _release_in_cluster(ring, slot, lowering.current_role.ids[Owner.LANE], condition)
        return
    _arrive(lowering, ring.empty, slot, condition)


def _arrive(lowering: Lowering, barriers: Any, slot: emit.Index, condition: Any) -> None:
    """Arrive with the first lane of each warp, where `condition` (None: always) holds."""
    lane = lowering.current_role.ids[Owner.LANE]
    text = "mbarrier.arrive.shared::cta.b64 _, [$0];"
    arrives = emit.both(emit.compare("eq", lane, 0), condition)
    predicated(arrives, text, "r", [slot_barrier(barriers, slot)])


def _release_in_cluster(ring: Ring, slot: emit.Index, lane: Any, condition: Any) -> None:
    """Arrive at the slot's empty barrier in every CTA that fills the slot, a lane for each.

    The default scope is the CTA. A release at cluster scope would cost a fence of the whole GPU in
    every round (measured: 0.71 instead of 1.0 of cuBLAS at 8192^3), and there is nothing for it to
    order: only wgmma has read the slot, and its group has been waited for.
    """
    text = (
        "{ .reg .pred p; .reg .b32 a; setp.ne.b32 p, $2, 0; "
        "@p mapa.shared::cluster.u32 a, $0, $1; "
        "@p mbarrier.arrive.shared::cluster.b64 _, [a]; }"
    )
    peers = len(ring_peers(ring.cluster, ring.axes, 0))
    rank = peer_rank(lane, ring.cluster, ring.axes)
    arrives = emit.both(emit.compare("slt", lane, peers), condition)
    operands = [slot_barrier(ring.empty, slot), rank, emit.flag(arrives)]
    emit.inline_ptx(text, "r,r,r,~{memory}", operands)


@RULES.converts(RingBarrierOp)
def lower_ring_barrier(op: Any, lowering: Lowering) -> Sequence[Any]:
    """The full barrier of a slot."""
    ring, (slot, _) = lowering.get(op.operands[0]), lowering.get(op.operands[1])
    return [slot_barrier(ring.full, slot)]


@RULES.converts(MBarrierArriveExpectTxOp)
def lower_arrive_expect_tx(op: Any, lowering: Lowering) -> Sequence[Any]:
    """One thread arrives and announces the bytes to come."""
    barrier = lowering.get(op.operands[0])
    count = op.opview.tx_count.value
    text = f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], {count};"
    in_one_thread(lowering, op, text, "r", [barrier])
    return ()


@RULES.converts(BarrierOp)
def lower_barrier(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Synchronise the role."""
    role_barrier(lowering, op)
    return ()


@RULES.converts(FenceProxyOp)
def lower_fence_proxy(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Order this thread's ordinary accesses against the async proxy."""
    if op.opview.space.value == "shared":
        llvm_ops.fence_proxy("async.shared", "cta")
    else:
        llvm_ops.fence_proxy("async.global")
    return ()


@RULES.converts(OrderMemoryOp)
def lower_order_memory(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Finish bulk stores, fence global memory across proxies, synchronise the role.

    All threads wait for their own stores: one thread of each warpgroup may have some. A kernel
    without tensor maps accesses global memory through one proxy only and needs the barrier alone.
    """
    if read_kernel_fact(lowering.function, "tensor_maps", ()) and not op.opview.is_by_threads:
        emit.inline_ptx("cp.async.bulk.wait_group 0;", "~{memory}")
        llvm_ops.fence_proxy("async.global")
    role_barrier(lowering, op)
    return ()


@RULES.converts(BulkCommitOp)
def lower_bulk_commit(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Close the group of bulk stores."""
    in_one_thread(lowering, op, "cp.async.bulk.commit_group;")
    return ()


@RULES.converts(BulkWaitOp)
def lower_bulk_wait(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Wait for bulk stores."""
    suffix = ".read" if op.opview.read.value else ""
    text = f"cp.async.bulk.wait_group{suffix} {op.opview.pending.value};"
    in_one_thread(lowering, op, text)
    return ()


@RULES.converts(SleepOp)
def lower_sleep(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Rest for a while."""
    llvm_ops.operation("nvvm.nanosleep", [lowering.get(op.operands[0])])
    return ()


@RULES.converts(SetRegistersOp)
def lower_set_registers(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Set the registers of the role's warpgroups."""
    llvm_ops.set_max_register(op.opview.count.value, op.opview.action.value)
    return ()
