"""Choose a schedule for each loop with products: which of its operations run a round later.

Before:  scf.for { %s = dot %q, %k; %p = softmax %s; %o = dot %p, %v, %acc }
After:   scf.for { %s = dot %q, %k {stage = 0}; %p = softmax %s {stage = 0}
                   %o = dot %p, %v, %acc {stage = 1} }

The attribute is the pipeline stage of an operation. The graph of the loop
(`passes/analysis/schedule`) says what its operations cost and which of them wait for which. The
scheduler (`tilec/plan/schedule.py`) derives stages from it. Only the consumers of a kernel with a
producer are scheduled, since their loads come through rings.

A loop stays as it is if rotating it gains little: where its products wait for nothing but their
accumulators, for example. A loop also stays as it is if threads copy an operand of a product to
shared memory, or stage one that they do not compute from another product of the round, or if it has
loops inside, because the time of those depends on how often they run. What they compute from
another product can be staged a round before it is multiplied (`nv-tileas-exchange-operands`): the
warpgroups then do not meet. The stages of such a loop keep the order of the program.

Where rings have one slot, no tile of stage 0 arrives after one of stage 1, for which a producer
would wait too long. Remark T0440 reports the time of a round and what bounds it, or why a loop in
which threads compute stays. The plan of the kernel gets an entry for each loop with products: its
operations with their stages, the time of a round, the schedules that lost, and why
(`docs/debugging.md#schedules-of-loops`). Consumers get more registers where the tiles of a round
leave too few of those that the plan gave them.

Options:
    rotate: 0 leaves all loops as they are, 1 rotates each one that can be.
    turns: 1 lets the warpgroups of rotated loops ping-pong, 0 does not (`nv-tileas-take-turns`).
    split_loops: 0 keeps rounds with and without a mask in one loop, 1 wants a loop that is split
        (`split-loops`).
"""

from typing import Any

from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import ir
from tilec.ir.structured import LOOPS, operations_inside
from tilec.passes.analysis.kernels import (
    kernel_operations,
    read_spec,
    reject,
    span_of,
    warpgroups_of_spec,
    write_spec,
)
from tilec.passes.analysis.mma.operands import (
    is_converted,
    is_copied_operand,
    is_exchanged,
    is_received,
    meets,
    stays_in_registers,
)
from tilec.passes.analysis.mma.product_loops import multiplies
from tilec.passes.analysis.mma.wgmma_support import why_not_wgmma
from tilec.passes.analysis.schedule.loop_graph import (
    exchanges,
    loop_graph,
    loop_operations,
    loops_of_tiles,
)
from tilec.passes.analysis.schedule.marks import (
    IN_ORDER,
    LEADING,
    ONE_SLOT,
    ROTATE,
    SPLIT,
    TURNS,
    set_stage,
)
from tilec.passes.analysis.schedule.op_costs import DOT, op_cost
from tilec.passes.analysis.schedule.record import (
    Entry,
    entry_of,
    record,
    record_loops,
    scheduled_entry,
)
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.plan import machine
from tilec.plan.graph import LoopGraph
from tilec.plan.overrides import PlanOverrides, parse_overrides
from tilec.plan.registers import role_registers
from tilec.plan.schedule import Choice, Schedule, schedule_loop, splits_loop
from tilec.support.diagnostics import remark
from tilec.support.fast_dataclasses import replace

NO_ROOM = "what warpgroups exchange would leave no room for loads of two rounds"
_HINT = "without the field, --emit plan shows what was chosen for each loop, and why"


@register_kernel_pass("nv-tileas-schedule-loops")
def schedule_loops(function: Any, context: PassContext) -> None:
    """Give the operations of each loop that is worth rotating their stages."""
    spec = read_spec(function) or {}
    fixed = _fixed(function, context)
    why = NO_ROOM if read_kernel_fact(function, ONE_SLOT, False) else None
    loops = [op for op in kernel_operations(function) if op.name in LOOPS and multiplies(op)]
    entries = [
        _schedule(loop, spec, fixed, context, why if exchanges(loop) else None) for loop in loops
    ]
    why_not = _conflict(entries, fixed)
    if why_not is not None:
        raise reject(loops[0] if loops else function, "T0421", why_not, _HINT)
    record_loops(function, entries)
    _choose_splits(function, loops, entries, fixed)
    if (fixed.producer_registers, fixed.consumer_registers) == (None, None):
        held = max((entry.get("registers", 0) for entry in entries), default=0)
        _make_room(function, spec, held, context)


def _fixed(function: Any, context: PassContext) -> PlanOverrides:
    """Return the fields that the user fixed, and what ptxas had too few registers for."""
    fixed = parse_overrides(context.overrides(function))
    disabled = read_kernel_fact(function, "disabled", [])
    if ROTATE in disabled and not fixed.turns:
        fixed = replace(fixed, rotate=False)
    return replace(fixed, split_loops=False) if SPLIT in disabled else fixed


def _conflict(entries: list[Entry], fixed: PlanOverrides) -> str | None:
    """Return what the user fixed that no loop can do, and why; None where one does it."""
    if not entries and (fixed.rotate or fixed.turns):
        return (
            f"{'rotate' if fixed.rotate else 'turns'} = true: the kernel has no loop with products"
        )
    if fixed.rotate and not any(entry["rotated"] for entry in entries):
        whys = dict.fromkeys(entry["why"] for entry in entries)
        return f"rotate = true: no loop can be rotated: {'; '.join(whys)}"
    if fixed.turns and not any(entry.get("turns", False) for entry in entries):
        rotated = any(entry["rotated"] for entry in entries)
        return f"turns = true: {'there is one warpgroup' if rotated else 'no loop is rotated'}"
    return None


def _choose_splits(
    function: Any, loops: list[Any], entries: list[Entry], fixed: PlanOverrides
) -> None:
    """Let rounds without a mask be a loop of their own, where they come before all others."""
    split = 0
    for loop, entry in zip(loops, entries, strict=True):
        leading = [op for op in operations_inside(loop) if LEADING in op.attributes]
        wanted = splits_loop(entry["rotated"], fixed.split_loops)
        split += len(leading) if wanted else 0
        for op in () if wanted else leading:
            del op.attributes[LEADING]
    if fixed.split_loops and not split:
        why = "no loop with products has rounds without a mask that come before all others"
        raise reject(function, "T0421", f"split_loops = true: {why}", _HINT)
    if split:
        record(function, **{SPLIT: True})


def _make_room(function: Any, spec: dict[str, Any], held: int, context: PassContext) -> None:
    """Give consumers more registers if `held` of them hold tiles in a round of a loop."""
    if not held:
        return
    target = context.target.share(spec.get("blocks_per_sm", 1))
    roles = role_registers(warpgroups_of_spec(spec), held, target)
    if roles.consumer <= spec["consumer_registers"]:
        return
    counts = {"producer_registers": roles.producer, "consumer_registers": roles.consumer}
    why = f"registers = {roles.producer} producer, {roles.consumer} consumer: "
    why += f"{held} hold tiles in a round of a loop"
    write_spec(function, {**spec, **counts})
    plan = read_kernel_fact(function, "plan", {})
    others = [item for item in plan.get("reasons", []) if not item.startswith("registers = ")]
    record(function, **counts, reasons=[*others, why])
    context.sink.emit(remark("T0431", f"plan: {why}", span_of(function)))


def _schedule(
    loop: Any, spec: dict[str, Any], fixed: PlanOverrides, context: PassContext, why: str | None
) -> Entry:
    """Give the operations of a loop their stages if it is rotated; return what was decided.

    Args:
        loop: The loop.
        spec: The spec of its kernel.
        fixed: What the user fixed.
        context: Takes the remark.
        why: Why it stays, if the plan of the kernel says so.
    """
    warpgroups = warpgroups_of_spec(spec)
    ops = loop_operations(loop)
    works = _has_work(ops, warpgroups)
    why = _why_not(loop, spec, warpgroups) or why
    if works and why is None and (spec.get("defer_stores") or spec.get("defer_work")):
        why = "the store of the tile before runs during its products"
    if why is None:
        graph = loop_graph(loop, warpgroups, spec.get("stages", 2))
        registers = spec["consumer_registers"] - machine.CONSUMER_OVERHEAD
        rotate = fixed.rotate if works else None
        choice = schedule_loop(graph, registers, rotate=rotate, turns=fixed.turns)
        _mark(loop, ops, graph, choice.best)
        entry = scheduled_entry(loop, ops, graph, choice, _why(graph, choice, works=works))
    else:
        entry = entry_of(loop, why)
    if works:
        context.sink.emit(remark("T0440", _described(entry), span_of(loop)))
    return entry


def _has_work(ops: list[Any], warpgroups: int) -> bool:
    """Tell whether threads compute in a loop what a product can hide."""
    return any(op.name != DOT and op_cost(op, warpgroups).cycles > 0 for op in ops)


def _why_not(loop: Any, spec: dict[str, Any], warpgroups: int) -> str | None:
    """Return why a loop gets no schedule; None where it gets one."""
    if not spec.get("producer_warps"):
        return "no producer warp loads its tiles"
    if spec.get("teams", 1) > 1:
        return "the consumers ping-pong: one multiplies while the other one stores"
    if loop.name != "scf.for":
        return "how often it runs depends on what it computes"
    if loops_of_tiles(loop):
        return "how long a round takes depends on how often the loop inside of it runs"
    dots = [op for op in loop_operations(loop) if op.name == DOT]
    if any(map(meets, dots)) and spec.get("blocks_per_sm", 1) > 1:
        return "another CTA of the SM multiplies while threads store an operand"
    whys = (_why_not_in_flight(dot, warpgroups, alone=len(dots) == 1) for dot in dots)
    return next(filter(None, whys), None)


def _why_not_in_flight(dot: Any, warpgroups: int, *, alone: bool) -> str | None:
    """Return why threads cannot compute while a product runs; None where they can.

    What threads stage in shared memory for a product that is `alone` in the round has one place,
    and barriers around it. So they may compute it while the product before it runs, if it needs no
    result of the round, but store it only afterwards. With other products, what is computed from
    them goes through a ring.
    """
    defect = why_not_wgmma(dot, warpgroups)
    if defect is not None:
        return f"threads compute a product: {defect}"
    in_slots = [is_received(dot, number) for number in (0, 1)]
    if in_slots[1] and (in_slots[0] or stays_in_registers(dot, 0)):
        return None
    others = [number for number in (0, 1) if not in_slots[number]]
    if alone and all(is_converted(dot, number) for number in others):
        return None
    if not alone and all(is_exchanged(dot, number) for number in others):
        return None
    number = 0 if in_slots[1] else 1
    verb = "copy" if is_copied_operand(dot, number) else "store"
    return f"threads {verb} operand {'AB'[number]} of a product into shared memory"


def _mark(loop: Any, ops: list[Any], graph: LoopGraph, best: Schedule) -> None:
    """Write the schedule of a loop that is rotated on its operations."""
    if not best.rotated:
        return
    for op, stage in zip(ops, best.stages, strict=True):
        set_stage(op, stage)
    if graph.in_order:
        loop.attributes[IN_ORDER] = ir.UnitAttr.get()
    if best.turns:
        loop.attributes[TURNS] = ir.UnitAttr.get()


def _why(graph: LoopGraph, choice: Choice, *, works: bool) -> str:
    """Return what happens with a loop that has a schedule, or why nothing does."""
    if not works:
        return "threads compute nothing in it that products could hide"
    if not choice.best.rotated:
        return choice.why_not_rotated
    products = [
        stage for op, stage in zip(graph.ops, choice.best.stages, strict=True) if op.asynchronous
    ]
    return (
        f"{sum(products)} of {len(products)} products run one round later, while threads compute"
        " what the next round needs"
    )


def _described(entry: Entry) -> str:
    """Return the remark about a loop."""
    if not entry["rotated"]:
        return f"loop is not rotated: {entry['why']}"
    (plain,) = (item for item in entry["runners_up"] if not any(item["product_stages"]))
    return (
        f"loop is rotated: {entry['why']}: about {entry['interval']} cycles a round instead of"
        f" {plain['interval']}; the {entry['binds']} take {entry['bound']};"
        f" {entry['registers']} registers hold tiles"
        + "; the warpgroups ping-pong"
        * entry["turns"]
    )
