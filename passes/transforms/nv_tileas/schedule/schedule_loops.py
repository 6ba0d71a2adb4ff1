"""Choose a schedule for each loop with products: which of its operations run a round later.

Before:  scf.for { %s = dot %q, %k; %p = softmax %s; %o = dot %p, %v, %acc }
After:   scf.for { %s = dot %q, %k {stage = 0}; %p = softmax %s {stage = 0}
                   %o = dot %p, %v, %acc {stage = 1} }

The attribute is the pipeline stage of an operation. The graph of the loop
(`passes/analysis/schedule`) says what its operations cost and which of them wait for which. The
scheduler (`tilec/plan/schedule.py`) derives stages from it. Only the consumers of a kernel with a
producer are scheduled, since their loads come through rings.

A loop stays as it is if rotating it gains little: where its products wait for nothing but their
accumulators, for example. It also does if threads stage an operand of a product, or if it has loops
inside: how long these take depends on how often they run. Remark T0440 reports the time of a round
and what bounds it.
"""

from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.structured import defining_operation, operations_inside, walk_operations
from tilec.layout.modes import WARPGROUP_WARPS
from tilec.passes.analysis.kernels import kernel_functions, kernel_operations, read_spec, span_of
from tilec.passes.analysis.mma.operands import loaded_operand, stays_in_registers
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.passes.analysis.schedule.loop_graph import loop_graph, loop_operations
from tilec.passes.analysis.schedule.marks import TURNS, set_stage
from tilec.passes.analysis.schedule.op_costs import DOT
from tilec.passes.registry import PassContext, register_pass
from tilec.plan import machine
from tilec.plan.graph import Engine, LoopGraph
from tilec.plan.schedule import schedule_loop
from tilec.support.diagnostics import remark

_RECEIVE = "nv_tileas.receive"
_LOOPS = ("scf.for", "scf.while")


@register_pass("nv-tileas-schedule-loops")
def schedule_loops(module: Any, context: PassContext) -> None:
    """Give the operations of each loop that is worth rotating their stages."""
    for function in kernel_functions(module):
        spec = read_spec(function) or {}
        if not spec.get("producer_warps") or spec.get("teams", 1) > 1:
            continue
        for roles in kernel_operations(function):
            if roles.name != "nv_tileas.roles":
                continue
            loops = walk_operations(roles.opview.consumer.blocks[0])
            for loop in (op for op in loops if op.name == "scf.for"):
                _schedule(loop, spec, context)


def _schedule(loop: Any, spec: dict[str, Any], context: PassContext) -> None:
    warpgroups = max(1, spec["consumer_warps"] // WARPGROUP_WARPS)
    ops = loop_operations(loop)
    dots = [op for op in ops if op.name == DOT]
    if not dots or not all(_can_stay_in_flight(dot, warpgroups) for dot in dots):
        return
    if any(inner.name in _LOOPS for inner in operations_inside(loop)):
        return
    graph = loop_graph(loop, warpgroups)
    if not _has_work(graph):
        return
    found = schedule_loop(graph, spec["consumer_registers"] - machine.CONSUMER_OVERHEAD)
    best, plain = found[0], next(schedule for schedule in found if not schedule.rotated)
    if not best.rotated:
        return
    for op, stage in zip(ops, best.stages, strict=True):
        set_stage(op, stage)
    if best.turns:
        loop.attributes[TURNS] = ir.UnitAttr.get()
    late = sum(op.asynchronous and stage for op, stage in zip(graph.ops, best.stages, strict=True))
    message = (
        f"loop: {late} of {len(dots)} products run one round later, while threads compute what the"
        f" next round needs: about {best.interval:.0f} cycles a round instead of"
        f" {plain.interval:.0f}; the {best.binds.value} take {best.bound:.0f};"
        f" {best.registers} registers hold tiles"
        + ("; the warpgroups issue their products in turns" if best.turns else "")
    )
    context.sink.emit(remark("T0440", message, span_of(loop)))


def _can_stay_in_flight(dot: Any, warpgroups: int) -> bool:
    """Tell whether threads may compute while a product runs.

    What threads have staged in shared memory for a product has one place, and barriers around it.
    """
    if why_not_wgmma(dot, warpgroups) is not None:
        return False
    a, b = (defining_operation(loaded_operand(dot.operands[number])) for number in (0, 1))
    in_slots = [source is not None and source.name == _RECEIVE for source in (a, b)]
    return in_slots[1] and (in_slots[0] or stays_in_registers(dot, 0))


def _has_work(graph: LoopGraph) -> bool:
    """Tell whether threads compute in the loop what a product can hide."""
    return graph.demand(Engine.VECTOR) + graph.demand(Engine.SPECIAL) > 0
