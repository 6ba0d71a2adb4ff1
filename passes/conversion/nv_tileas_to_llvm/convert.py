"""Turn tiles into registers, roles into branches, and reverse coordinates to innermost first.

Before:  nv_tileaa.func @k(%A: !nv_tileaa.ptr<bf16>, ..., %desc: !nv_tileas.tma_desc<...>) {
           nv_tileas.roles { async_tiled_tma_load %desc, %slot[%row, %column], %bar } { consumer } }
After:   llvm.func @k(%A: !llvm.ptr<1>, ..., %desc: !llvm.ptr {llvm.byval, nvvm.grid_constant}) {
           barrier init; if (warpgroup == 0) {
             nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %desc, %bar, box[%column, %row]
           } else { consumer } }

Each operation has one rule, in one of the other files of this folder. A tile becomes as many values
as a thread holds registers of it; MLIR's one-to-one conversion cannot express this. Two 16-bit
floats that share a register are computed by one instruction if there is one (`add.rn.bf16x2`).
Functions of libdevice with slow paths (`sin`, `fmod`) are called if a kernel computes more than 16
registers of a thread with one, and copied otherwise. The coordinates of TMA operations are reversed
here and nowhere else. `scf` and scalar `arith` operations stay for the upstream passes that follow.

Roles become branches on the warp index (`docs/architecture.md#thread-map`): the producer is
warpgroup 0 if there is one, and one elected thread of it runs (and one thread of each warp with a
program of its own). The consumer warps follow. Before the roles start, `griddepcontrol` waits for
the kernel before (`docs/architecture.md#dependent-launch`).

A tile of 16-bit elements is stored as 8x8 matrices, one to four per instruction:

    Before:  store_shared %part, %slot      // an accumulator, 64x64xbf16, swizzle 128
    After:   stmatrix.x4 [%left], ...       // blocks of columns 0 to 3, rows 0 to 7 of the warp
             stmatrix.x4 [%left + 1024]     // rows 8 to 15
             stmatrix.x4 [%left ^ 64]       // blocks of columns 4 to 7
             stmatrix.x4 [(%left ^ 64) + 1024]

This needs a layout whose registers and lanes hold such matrices, and rows of 16 bytes in shared
memory. If the columns are 16 bytes there, as in a column-major result, `.trans` is used
(`tilec/layout/matrix_accesses.py`). A lane gives the address of one row. An instruction takes the
matrices that are nearest in memory: matrices inside one swizzle pattern would need an address each,
other matrices are an immediate away. A matrix is one access of 128 bytes over all banks, under any
swizzle. Other tiles are stored by each thread, in vectors of up to 16 bytes.

The fragments of `mma.sync` are loaded as matrices where that takes fewer instructions and passes of
shared memory than vectors (`tilec/layout/scratch.py`). Other tiles are not: matrices arrive at
once, and where threads compute with them, that begins later than with the first of many vectors.

    Before:  warp_mma %a, %b, %sums           // 16x16 and 16x16, bf16, N contiguous in %b
    After:   ldmatrix.x4 {%a0, %a1, %a2, %a3}, [%row_of_a]
             ldmatrix.x4.trans {%b0, %b1, %b2, %b3}, [%row_of_b]
             mma.sync {%s0, ...}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%s0, ...}
             mma.sync {%s4, ...}, {%a0, %a1, %a2, %a3}, {%b2, %b3}, {%s4, ...}

In a cluster, a release arrives in each CTA of the axis:

    Before:  ring_release %ring, %p {cluster = [2, 1], multicast_axes = [0]}
    After:   mapa.shared::cluster %remote, %empty, rank of peer n      // lane n of each warp
             mbarrier.arrive.shared::cluster [%remote]

Where CTAs compute a block together, each lane sends to one of them (`cluster_send`):

    mapa.shared::cluster %there, %slot, lane; mapa.shared::cluster %bar, %full, lane
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%there], %part, [%bar]

The rank of a CTA is its block index modulo the size of the cluster: row + column * rows. A
multicast copy gets the mask of the ranks along its axis: in a cluster of 2x2, `3 << 2 * column` for
a column and `5 << row` for a row. Barriers are initialised before a `barrier.cluster`, because
other CTAs use them.

Options:
    blocks_per_sm: CTAs whose registers must fit an SM together; becomes `minnctapersm` in PTX.
    stream_tail: 1 computes what comes before a store some vectors at a time, loads included.
"""

import re
from collections.abc import Sequence
from typing import Any

from tilec.dialects.nv_tileas.cluster_ops import AwaitClusterOp
from tilec.dialects.nv_tileas.epilogue_ops import WarpgroupIdOp
from tilec.dialects.nv_tileas.role_ops import PRODUCER_WARP, CtaIdOp, NumCtasOp, RolesOp, TeamIdOp
from tilec.ir import llvm_ops
from tilec.ir.attributes import KERNEL_ATTRIBUTE, read_kernel_fact, write_kernel_facts
from tilec.ir.bindings import ir, scf
from tilec.ir.integers import i32, i64
from tilec.ir.removal import erase
from tilec.ir.structured import enclosing_loops
from tilec.layout import Owner
from tilec.layout.modes import WARP_LANES, WARPGROUP_WARPS
from tilec.passes.analysis.kernels import (
    ctas_of_spec,
    function_body,
    kernel_functions,
    kernel_operations,
    read_spec,
)
from tilec.passes.analysis.schedule.marks import LOAD_AHEAD
from tilec.passes.conversion.nv_tileas_to_llvm import control_flow, emit, reports, shape, tails
from tilec.passes.conversion.nv_tileas_to_llvm.arithmetic import elementwise
from tilec.passes.conversion.nv_tileas_to_llvm.combine import combine_before, reduce, scan
from tilec.passes.conversion.nv_tileas_to_llvm.lowering import PASS_NAME, RULES, Lowering, Role
from tilec.passes.conversion.nv_tileas_to_llvm.memory import (
    copies,
    counting,
    elements,
    global_memory,
    measuring,
    prefetch,
    shared_memory,
    tma,
)
from tilec.passes.conversion.nv_tileas_to_llvm.products import mma, mma_waits, simt, split, warp_mma
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization import (
    barriers,
    cluster,
    sending,
    turns,
)
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.barriers import guarded, slot_barrier
from tilec.passes.conversion.nv_tileas_to_llvm.synchronization.timed_waits import make_debug_waits
from tilec.passes.registry import PassContext, register_pass
from tilec.plan.registers import entry_registers
from tilec.request.target import Target

RULE_MODULES = (
    barriers,
    cluster,
    combine_before,
    control_flow,
    copies,
    counting,
    elements,
    elementwise,
    global_memory,
    measuring,
    mma,
    mma_waits,
    prefetch,
    reduce,
    reports,
    scan,
    sending,
    shape,
    shared_memory,
    simt,
    warp_mma,
    split,
    tails,
    tma,
    turns,
)
"""Importing these registers every rule."""
SHARED_SYMBOL = "tilec_shared"
SHARED_ALIGNMENT = 1024
"""Alignment of shared memory in bytes, so that 128-byte swizzles start on their pattern
(PTX ISA, swizzling modes)."""
TENSOR_MAP_BYTES = 128
TENSOR_MAP_ALIGNMENT = 64
"""Size and alignment of a tensor map (cuda.h, CUtensorMap)."""


@register_pass(PASS_NAME)
def convert_nv_tileas_to_llvm(module: Any, context: PassContext) -> None:
    """Lower every kernel to the llvm and nvvm dialects."""
    functions = kernel_functions(module)
    with ir.InsertionPoint.at_block_begin(module.body), ir.Location.unknown():
        if functions:
            _declare_shared_memory()
    for function in functions:
        _convert(function, module, context.target)
        erase(function)


def _declare_shared_memory() -> None:
    array = ir.Type.parse("!llvm.array<0 x i8>")
    llvm_ops.external_array(SHARED_SYMBOL, array, emit.SHARED, SHARED_ALIGNMENT)


def _convert(function: Any, module: Any, machine: Target) -> None:
    source = function_body(function)
    with ir.InsertionPoint(module.body), function.location:
        target = _declare_kernel(function, source)
        types = [_parameter_type(argument.type) for argument in source.arguments]
        block = target.regions[0].blocks.append(*types, arg_locs=[function.location] * len(types))
    plan = read_kernel_fact(function, "plan", {})
    with ir.InsertionPoint(block), function.location:
        shared = llvm_ops.address_of(emit.pointer_type(emit.SHARED), SHARED_SYMBOL)
        lowering = Lowering(
            function,
            shared,
            module,
            registers=entry_registers(read_kernel_fact(function, "block_threads"), machine),
            stream_tail=plan.get("stream_tail", False),
        )
        for old, new in zip(source.arguments, block.arguments, strict=True):
            lowering.set(old, new)
        lowering.debug = make_debug_waits(function, block)
        lowering.prints = reports.make_counter(function)
        lowering.block(source)
        llvm_ops.return_()
    if lowering.loads_ahead:
        write_kernel_facts(target, plan=plan | {LOAD_AHEAD: True})


def _declare_kernel(function: Any, source: Any) -> Any:
    types = ", ".join(str(_parameter_type(argument.type)) for argument in source.arguments)
    kernel = llvm_ops.function(
        ir.StringAttr(function.attributes["sym_name"]).value,
        ir.Type.parse(f"!llvm.func<void ({types})>"),
        ir.ArrayAttr.get([_parameter_attributes(a.type) for a in source.arguments]),
    )
    kernel.attributes["nvvm.kernel"] = ir.UnitAttr.get()
    threads = read_kernel_fact(function, "block_threads")
    kernel.attributes["nvvm.reqntid"] = ir.DenseI32ArrayAttr.get([threads, 1, 1])
    # setmaxnreg needs the register count at entry, which ptxas derives from both bounds (C7508).
    blocks = read_kernel_fact(function, "plan", {}).get("blocks_per_sm", 1)
    kernel.attributes["nvvm.minctasm"] = i32(blocks)
    cluster = read_kernel_fact(function, "cluster")
    if cluster != [1, 1, 1]:
        kernel.attributes["nvvm.cluster_dim"] = ir.DenseI32ArrayAttr.get(cluster)
    kernel.attributes[KERNEL_ATTRIBUTE] = function.attributes[KERNEL_ATTRIBUTE]
    return kernel


def _parameter_type(type_: Any) -> Any:
    name = str(type_)
    if name.startswith("!nv_tileaa.ptr"):
        return emit.pointer_type(emit.GLOBAL)
    if name.startswith("!nv_tileas.tma_desc"):
        return emit.pointer_type()
    return type_


def _parameter_attributes(type_: Any) -> Any:
    if not re.match(r"!nv_tileas\.tma_desc", str(type_)):
        return ir.DictAttr.get({})
    return ir.DictAttr.get(
        {
            "llvm.align": i64(TENSOR_MAP_ALIGNMENT),
            "llvm.byval": ir.TypeAttr.get(ir.Type.parse(f"!llvm.array<{TENSOR_MAP_BYTES} x i8>")),
            "nvvm.grid_constant": ir.UnitAttr.get(),
        }
    )


@RULES.converts(CtaIdOp)
def lower_cta_id(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Read the flattened block index."""
    return [llvm_ops.special_register("ctaid.x")]


@RULES.converts(NumCtasOp)
def lower_num_ctas(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Read the size of the flattened grid; in a loop once more in each round.

    What an order of tiles computes from it would otherwise move out of the loop over tiles, and
    take registers during the products: LLVM moves nothing that needs the result of volatile PTX.
    """
    if enclosing_loops(op):
        return [emit.inline_ptx("mov.u32 $0, %nctaid.x;", "=r", [], emit.i32_type())]
    return [llvm_ops.special_register("nctaid.x")]


@RULES.converts(WarpgroupIdOp)
def lower_warpgroup_id(op: Any, lowering: Lowering) -> Sequence[Any]:
    """The index is known from the thread map."""
    return [emit.value(lowering.current_role.warpgroup)]


@RULES.converts(TeamIdOp)
def lower_team_id(op: Any, lowering: Lowering) -> Sequence[Any]:
    """The index is known from the thread map."""
    return [emit.value(lowering.current_role.team)]


@RULES.converts(RolesOp)
def lower_roles(op: Any, lowering: Lowering) -> Sequence[Any]:
    """Initialise the barriers, then branch to the code of this thread's role."""
    roles = op.opview
    thread = llvm_ops.special_register("tid.x")
    warp = emit.broadcast(emit.value(emit.divide(thread, WARP_LANES)))
    lane = emit.remainder(thread, WARP_LANES)
    _initialise_barriers(lowering, thread)
    _wait_for_the_kernel_before()
    measuring.fill_tables(lowering, thread)
    producer_warps, consumer_warps = roles.producer_warps.value, roles.consumer_warps.value
    ctas = ctas_of_spec(read_spec(lowering.function) or {})
    place = emit.add(warp, -producer_warps)
    team = emit.divide(place, consumer_warps) if roles.team_count > 1 else 0
    consumer = emit.remainder(place, consumer_warps) if roles.team_count > 1 else place
    ids = {
        Owner.LANE: lane,
        Owner.WARP: emit.remainder(consumer, WARPGROUP_WARPS),
        Owner.WARPGROUP: emit.divide(consumer, WARPGROUP_WARPS),
        Owner.CTA: cluster.rank_in_cluster((ctas, 1)) if ctas > 1 else 0,
    }
    first = emit.compare("eq", thread, producer_warps * WARP_LANES)
    own = emit.value(emit.add(thread, -producer_warps * WARP_LANES))
    if roles.team_count > 1:
        own = emit.value(emit.remainder(own, consumer_warps * WARP_LANES))
        first = emit.compare("eq", own, 0)
    leads = emit.compare("eq", emit.remainder(own, WARPGROUP_WARPS * WARP_LANES), 0)
    consumer_role = Role(consumer_warps, ids, own, first, leads, team, ctas)
    if not producer_warps:
        _run(lowering, consumer_role, roles.consumer)
        return ()
    branch = scf.IfOp(emit.compare("ult", warp, producer_warps), has_else=True)
    with ir.InsertionPoint(branch.then_block):
        _run_producer(lowering, roles.producer, warp)
        scf.YieldOp([])
    with ir.InsertionPoint(branch.else_block):
        _run(lowering, consumer_role, roles.consumer)
        scf.YieldOp([])
    return ()


def _wait_for_the_kernel_before() -> None:
    """Start the next kernel of the stream early, and do not touch memory before the last one ends.

    What comes before this overlaps the end of the kernel before; both instructions do nothing
    unless the launch allows it (PTX ISA, griddepcontrol; CUDA programming guide, programmatic
    dependent launch). Every kernel waits, so that waiting for one means waiting for all before it.
    """
    emit.inline_ptx("griddepcontrol.launch_dependents;", "~{memory}")
    emit.inline_ptx("griddepcontrol.wait;", "~{memory}")


def _run(lowering: Lowering, role: Role, region: Any) -> None:
    lowering.role = role
    lowering.block(region.blocks[0])
    lowering.role = None


def _run_producer(lowering: Lowering, region: Any, warp: Any) -> None:
    """Emit the producer: whole warps change registers, one thread of each program does the rest."""
    lowering.role = Role(0, {}, None, None, None)
    ops = [op.operation for op in region.blocks[0].operations]
    programs: dict[int, list[Any]] = {0: []}
    for op in ops:
        if op.name == "nv_tileas.set_registers":
            lowering.op(op)
        elif op.name == PRODUCER_WARP:
            body = op.opview.body.blocks[0]
            programs[op.opview.warp.value] = [inner.operation for inner in body.operations]
        else:
            programs[0].append(op)
    for number, program in programs.items():
        with guarded(emit.compare("eq", warp, number)):
            one = llvm_ops.value("nvvm.elect.sync", emit.i1_type())
            with guarded(one):
                for op in program:
                    if op.name != "nv_tileas.yield":
                        lowering.op(op)
    lowering.role = None


def _initialise_barriers(lowering: Lowering, thread: Any) -> None:
    """Let one thread prepare descriptors and mbarriers, and show them to everybody."""
    allocations = [
        op for op in kernel_operations(lowering.function) if op.name == "nv_tileas.alloc_mbarrier"
    ]
    descriptors = [
        lowering.get(argument)
        for argument in function_body(lowering.function).arguments
        if str(argument.type).startswith("!nv_tileas.tma_desc")
    ]
    if not allocations and not descriptors:
        return
    with guarded(emit.compare("eq", thread, 0)):
        for descriptor in descriptors:
            emit.inline_ptx("prefetch.tensormap [$0];", "l,~{memory}", [descriptor])
        for op in allocations:
            barrier = lowering.get(op.results[0])
            for slot in range(op.opview.slots.value):
                count = emit.value(op.opview.count.value)
                llvm_ops.operation("nvvm.mbarrier.init", [slot_barrier(barrier, slot), count])
        if allocations:
            llvm_ops.operation("nvvm.fence.mbarrier.init")
    ops = kernel_operations(lowering.function)
    if any(op.name == AwaitClusterOp.OPERATION_NAME for op in ops):
        cluster.arrive_in_cluster()
        rings = [op for op in ops if op.name == "nv_tileas.create_ring"]
        if any("multicast_axes" not in ring.attributes for ring in rings):
            llvm_ops.barrier()  # the CTA uses them before it waits for the others
    elif any("multicast_axes" in op.attributes for op in ops):
        cluster.synchronise_cluster()
    elif allocations:
        llvm_ops.barrier()
