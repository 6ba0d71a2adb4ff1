"""What the scheduler decided about a loop, in plain values: an entry of the kernel's plan."""

from pathlib import PurePath
from typing import Any

from tilec.ir.attributes import read_kernel_fact, write_kernel_facts
from tilec.ir.structured import body_operations
from tilec.passes.analysis.kernels import function_body, span_of
from tilec.plan.graph import LoopGraph
from tilec.plan.schedule import Choice, Schedule, TileSchedule

Entry = dict[str, Any]


def entry_of(loop: Any, why: str) -> Entry:
    """Return the entry of a loop that stays as it is, and why."""
    return {**_place(loop, loop), "rotated": False, "why": why}


def scheduled_entry(loop: Any, ops: list[Any], graph: LoopGraph, choice: Choice, why: str) -> Entry:
    """Return the entry of a loop that was scheduled.

    Args:
        loop: The loop.
        ops: Its operations.
        graph: Its graph, with as many operations.
        choice: Its schedule.
        why: The decision in words.
    """
    best = choice.best
    return {
        **_place(loop, loop),
        "rotated": best.rotated,
        "why": why,
        **_estimate(best),
        "bound": round(best.bound),
        "binds": best.binds.value,
        "operations": [
            {**_place(ops[n], loop), **_operation(graph, n, best)}
            for n in best.order
            if _counts(graph, n)
        ],
        "runners_up": [
            {"product_stages": _product_stages(graph, item.schedule), **_estimate(item.schedule)}
            | {"why": item.why}
            for item in choice.lost
        ],
    }


def tile_entry(function: Any, schedule: TileSchedule) -> Entry:
    """Return the entry of the loop over the tiles of a CTA, whose runners-up are other cuts."""
    ops = body_operations(function_body(function))[:-1]
    graph, choice = schedule.graph, schedule.choice
    why = choice.why_not_rotated
    if choice.best.rotated:
        work = "computed and stored" if schedule.defers_work else "stored"
        why = f"a tile is {work} while the products of the next one run"
    entry = scheduled_entry(function, ops, graph, choice, why)
    for item, lost in zip(entry["runners_up"], choice.lost, strict=True):
        del item["product_stages"]
        item["carried"] = lost.schedule.carried
    return {"over": "tiles", **entry, "carried": schedule.waiting}


def record_loops(function: Any, entries: list[Entry]) -> None:
    """Add what was decided about loops to the plan of a kernel."""
    plan = read_kernel_fact(function, "plan") or {}
    record(
        function,
        rotate=any(entry["rotated"] for entry in entries),
        turns=any(entry.get("turns", False) for entry in entries),
        loops=[*plan.get("loops", []), *entries],
    )


def record(function: Any, **fields: Any) -> None:
    """Set fields of the plan of a kernel; nothing where it has no plan, as in a test of a pass."""
    plan = read_kernel_fact(function, "plan")
    if plan is not None:
        write_kernel_facts(function, plan={**plan, **fields})


def _place(op: Any, loop: Any) -> Entry:
    """Return the line of the source that an operation is from, and the file if it is another one.

    Functions of the library are in other files than a loop.
    """
    span, around = span_of(op), span_of(loop)
    if span is None:
        return {}
    elsewhere = around is not None and span.file != around.file
    file = "/".join(PurePath(span.file).parts[-2:])  # without the folder of this installation
    return {"line": span.line} | ({"file": file} if elsewhere else {})


def _estimate(schedule: Schedule) -> Entry:
    return {
        "interval": round(schedule.interval),
        "registers": schedule.registers,
        "turns": schedule.turns,
    }


def _counts(graph: LoopGraph, n: int) -> bool:
    """Tell whether an operation takes time."""
    return graph.ops[n].cycles + graph.ops[n].latency > 0


def _operation(graph: LoopGraph, n: int, schedule: Schedule) -> Entry:
    node = graph.ops[n]
    return {
        "operation": node.name,
        "engine": node.engine.value,
        "cycles": _figure(node.cycles),
        "latency": _figure(node.latency),
        "stage": schedule.stages[n],
    }


def _figure(cycles: float) -> float:
    """Return cycles with one decimal, where they need it."""
    rounded = round(cycles, 1)
    return int(rounded) if rounded.is_integer() else rounded


def _product_stages(graph: LoopGraph, schedule: Schedule) -> list[int]:
    """Return the stages of the products, in program order."""
    return [stage for op, stage in zip(graph.ops, schedule.stages, strict=True) if op.asynchronous]
