"""Split each kernel into a producer role and a consumer role.

Before:  %r = scf.for ... { %a = tiled_load <tma>; %b = tiled_load <tma>; %d = dot %a, %b, %acc }
         tiled_store %r
After:   nv_tileas.roles
           producer: scf.for ... { %a = tiled_load <tma>; send %a {channel = 0}
                                   %b = tiled_load <tma>; send %b {channel = 1} }
           consumer: %r = scf.for ... { %a = receive {channel = 0}; %b = receive {channel = 1}
                                        %d = dot %a, %b, %acc }
                     tiled_store %r

The producer holds the TMA loads, the consumer everything that has an effect. Each role is the
backward slice of these operations, so index arithmetic and control flow are computed in both roles.
Uniform scalars and handles stay above the roles. Tiles cross only through channels, which
`nv-tileas-insert-rings` implements. Without a producer (no loads in a loop), the consumers send to
themselves.

A TMA load waits for no memory token: `nv-tileaa-select-copy-atoms` gives no TMA atom to a load that
must come after a store of the same kernel (T0570). A store that must come after a load takes the
token of the load after the receive:

    Before:  %a, %t = tiled_load %A <tma>; %s = tiled_store %A, %x, %t
    After:   consumer: %a = receive {channel = 0}; %t = receive_token %a
                       %s = tiled_store %A, %x, %t

Loads of an epilogue in slices (`nv-tileas-slice-tiles`), and the other loads of the same block, get
a producer warp with a program of its own:

    producer: scf.for %tile { scf.for %k { ... } }
              producer_warp {warp = 1} { scf.for %tile { %r0 = tiled_load; send %r0; %r1 = ... } }

The slot of a slice becomes free while the epilogue runs. At that time the k-tiles of the next tile
should already be in flight, and one thread cannot do both. A separate warp requests the first
slices of a tile as soon as the tile before has released their slots.

So do loads of a tile before a loop that loads more, where a CTA loops over tiles. Their slots
become free when consumers begin the last round of the tile before, and slots of the loop at other
times:

    producer: scf.for %tile { scf.for %k { %y = tiled_load; send %y } }
              producer_warp {warp = 1} { scf.for %tile { %x = tiled_load; send %x } }

Options:
    specialize: 0 makes the consumers load for themselves.
    consumers: Warpgroups of the consumer role.
    worker_warps: Warps of the consumer role, in a kernel without products on the tensor cores.
"""

from typing import Any

from tilec.dialects.common.accesses import global_access
from tilec.dialects.common.effects import has_effect
from tilec.dialects.nv_tileas import (
    JoinMemTokenOp,
    ProducerWarpOp,
    ReceiveOp,
    ReceiveTokenOp,
    RolesOp,
    SendOp,
    YieldOp,
)
from tilec.dialects.nv_tileas.measure_ops import DealItemsOp, OrderItemsOp, TabulateOp
from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import ir
from tilec.ir.integers import i64
from tilec.ir.likeness import like
from tilec.ir.removal import erase, is_read
from tilec.ir.sequences import opens_loop
from tilec.ir.structured import (
    CloneHook,
    Slice,
    backward_slice,
    body_operations,
    clone_operation,
    clone_slice,
    operations_inside,
    terminator,
)
from tilec.ir.values import is_tile
from tilec.passes.analysis.epilogue.slice_groups import copy_slice, slice_group
from tilec.passes.analysis.facts.memory_tokens import follows_store, is_token, trace_token
from tilec.passes.analysis.kernels import (
    function_body,
    is_tiled_access,
    kernel_operations,
    read_spec,
    reject,
    tiled_access,
)
from tilec.passes.analysis.schedule.marks import set_stage, stage_of
from tilec.passes.registry import PassContext, register_kernel_pass

SECOND_WARP = 1
"""Warp of the producer role that loads what tiles need outside of their loop."""
TABLES = tuple(op.OPERATION_NAME for op in (DealItemsOp, OrderItemsOp, TabulateOp))
"""Operations that fill a table before the roles start."""


@register_kernel_pass("nv-tileas-partition-roles")
def partition_roles(function: Any, context: PassContext) -> None:
    """Clone a kernel's body into a producer and a consumer region."""
    spec = read_spec(function) or {}
    block = function_body(function)
    loads = [op for op in kernel_operations(function) if _is_tma_load(op)]
    _check_order(loads)
    effects = [op for op in kernel_operations(function) if has_effect(op)]
    channels = {op: number for number, op in enumerate(loads)}
    uniform = _uniform_operations(block)
    originals = [op for op in body_operations(block)[:-1] if op not in uniform]
    with ir.InsertionPoint(terminator(block)), function.location:
        roles = RolesOp.build(spec["producer_warps"], spec["consumer_warps"], spec.get("teams", 1))
    specialised = spec["producer_warps"] > 0
    consumed = backward_slice(effects, block)
    produced = [op for op in loads if specialised and op in consumed.ops]
    apart = _loaded_apart(produced, tile_loop=read_kernel_fact(function, "persistent", False))
    producer = backward_slice([op for op in produced if op not in apart], block, is_token)
    hook = _receive_hook(channels) if specialised else _send_and_receive_hook(channels)
    programs = [
        (roles.producer, producer, _producer_hook(channels)),
        (roles.consumer, consumed, hook),
    ]
    for region, kept, role_hook in programs:
        kept.ops -= uniform
        _fill_role(region, block, kept, role_hook)
    if apart:
        kept = backward_slice(apart, block, is_token)
        kept.ops -= uniform
        with ir.InsertionPoint(terminator(roles.producer.blocks[0])), function.location:
            warp = ProducerWarpOp.build(SECOND_WARP)
        _fill_role(warp.body, block, kept, _producer_hook(channels))
    for op in reversed(originals):
        erase(op)


def _loaded_apart(loads: list[Any], *, tile_loop: bool) -> list[Any]:
    """Return the loads that wait for other slots than those of the loop in a tile.

    Args:
        loads: All loads of the producer.
        tile_loop: Whether a CTA loops over tiles.
    """
    sliced = {op.block for op in loads if slice_group(op) is not None}
    others = set(loads)
    return [op for op in loads if op.block in sliced or (tile_loop and opens_loop(op, others))]


def _check_order(loads: list[Any]) -> None:
    """Refuse TMA loads that a token orders after a store: nothing makes a producer wait for that.

    Raises:
        CompileError: T0570 for one in IR that was written or edited by hand.
    """
    for load in loads:
        if follows_store(load):
            raise reject(
                load,
                "T0570",
                "this load uses TMA, but its memory token orders it after a store of the kernel",
                "give it an atom of vector accesses, as 'legal_atoms' lists them, or another token",
            )


def _fill_role(region: Any, source: Any, kept: Slice, hook: CloneHook) -> None:
    """Fill the empty region of a role or producer warp with the operations of `kept`."""
    target = region.blocks.append()
    with ir.InsertionPoint(target):
        clone_slice(source, kept, {}, hook)
        YieldOp(loc=region.owner.location)


def _is_tma_load(op: Any) -> bool:
    if not is_tiled_access(op):
        return False
    access = tiled_access(op)
    return access.is_load and access.uses_tma


def _uniform_operations(block: Any) -> set[Any]:
    """Return the operations of `block` that every thread can compute before the roles split.

    They handle no tiles, and nothing that they use comes from an operation that does.
    """
    uniform: set[Any] = set()
    split: set[Any] = set()
    for op in body_operations(block):
        nested = [op, *operations_inside(op)]
        waits = op.name in TABLES  # until the kernel before this one has ended
        if (not waits and any(map(_touches_tiles, nested))) or any(
            operand in split for inner in nested for operand in inner.operands
        ):
            split.update(op.results)
        else:
            uniform.add(op)
    return uniform


def _touches_tiles(op: Any) -> bool:
    # Code above the roles runs before the kernel before this one has ended: no access stands there.
    if global_access(op) is not None or op.name == "nv_tileas.prefetch":
        return True
    values = [*op.results, *op.operands]
    return any(is_tile(value) for value in values)


def _producer_hook(channels: dict[Any, int], *, is_producer: bool = True) -> Any:
    def hook(op: Any, mapping: dict[Any, Any]) -> bool:
        if op in channels:
            load = _clone_load(op, mapping)
            _send(load.results[0], channels[op], op)
            return True
        if is_producer and global_access(op) is not None:
            _clone_load(op, mapping)
            return True
        return False

    return hook


def _receive_hook(channels: dict[Any, int]) -> Any:
    def hook(op: Any, mapping: dict[Any, Any]) -> bool:
        if op not in channels:
            return False
        tile = _receive(op, channels[op])
        mapping[op.results[0]] = tile
        if is_read(op.results[1]):
            mapping[op.results[1]] = _token(op, tile, mapping)
        return True

    return hook


def _token(load: Any, tile: Any, mapping: dict[Any, Any]) -> Any:
    """Return what comes after `load`, whose tile is received: what came before it included."""
    token = ReceiveTokenOp.build(tile, loc=load.location)
    after = load.opview.after
    if after is None or not trace_token(after).origins:
        return token
    return JoinMemTokenOp.build([token, mapping.get(after, after)], loc=load.location)


def _send_and_receive_hook(channels: dict[Any, int]) -> Any:
    send = _producer_hook(channels, is_producer=False)
    receive = _receive_hook(channels)

    def hook(op: Any, mapping: dict[Any, Any]) -> bool:
        return send(op, mapping) and receive(op, mapping)

    return hook


def _clone_load(op: Any, mapping: dict[Any, Any]) -> Any:
    """Clone a load of the producer without its token: it waits for nothing that consumers do."""
    load = clone_operation(op, mapping)
    set_stage(load, None)  # a producer runs ahead of the stages of its consumers
    if op.opview.after is None:
        return load
    sizes = ir.DenseI32ArrayAttr.get([*list(load.attributes["operandSegmentSizes"])[:-1], 0])
    bare = like(load, list(load.operands)[:-1], operandSegmentSizes=sizes)
    erase(load)
    mapping.update(zip(op.results, bare.results, strict=True))
    return bare


def _send(tile: Any, channel: int, op: Any) -> None:
    copy_slice(op, SendOp(tile=tile, channel=i64(channel), loc=op.location))


def _receive(op: Any, channel: int) -> Any:
    receive = ReceiveOp(
        tile=op.results[0].type,
        channel=i64(channel),
        shared_layout=op.attributes["shared_layout"],
        loc=op.location,
    )
    copy_slice(op, receive)
    set_stage(receive.operation, stage_of(op))
    return receive.tile
