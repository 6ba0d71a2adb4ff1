"""What to compile instead of a plan that turned out to need too much."""

from collections.abc import Iterable
from typing import Any

from tilec.request.specialization import VECTOR_BYTES, Specialization
from tilec.support.diagnostics import CompileError
from tilec.support.fast_dataclasses import dataclass, replace

_OVER_BUDGET = {
    "T0423": "too many accumulators",
    "T0424": "too much shared memory",
    "T0551": "too much shared memory",
    "T0608": "spills",
}
"""Codes of plans that need too many registers or too much shared memory, or that spill."""
_REFUSED = ("T0421", "T0423", "T0424", "T0425")
"""Codes of fields of the plan that cannot be kept, alone or together."""
_FEW_REGISTERS = ("T0608", "T0609")
"""Codes of code whose threads have too few registers, by ptxas: spills, serialised products."""


SHARED_SM = "blocks_per_sm"
"""Field of the plan that is halved before it is given up."""
LEAST_SHARING = 2
"""Blocks that share an SM at least."""
_COSTS = {
    "split_loops": "to keep rounds without a mask in a loop of their own",
    "defer_work": "to compute from a tile that waits for the next one",
    "snake_k": "to visit k-tiles backwards",
    "defer_stores": "a tile that waits for the next one",
    "load_ahead": "to load all that the end of a block needs before it computes",
    "blocks_per_sm": "to make room for more blocks of an SM",
    "pingpong": "a tile that one consumer computes alone, in ping-pong with another,",
    "copy_rounds": "to copy tiles of later rounds of a loop",
    "load_rounds": "to load tiles of the next round of a loop",
    "rotate": "a loop whose rounds overlap",
    "read_early": "to read tiles from shared memory before a loop needs their elements",
}
"""What takes registers, by what the planner must do without (`KernelProblem`; most are fields of
the plan), in the order in which it is given up: what takes most, then what gains least."""
_DECIDED_BY = {
    "load_ahead": "stream_tail",
    "one_consumer": "consumers",
}
"""The field of the plan that decides it, where it has another name."""
_FIRST = {"one_consumer": "to let one consumer hold what two could share"}
"""The same, for what is given up first where no other tiles can be tried."""
_LAST_RESORT = {
    "persistent": "the state of a loop over tiles",
    "spread": "a part of a block that so few CTAs share",
}
"""The same, for what is given up where no other tiles can be tried. Without "spread", twice as many
CTAs share a block. After these, twice as many warps do."""
_MOST_WARPS = 16
"""Warps that may share a block: a CTA has at most 32, and four of them may be a producer."""


def loses_performance(failure: CompileError) -> bool:
    """Tell whether there is code, which spills or serialises products."""
    return failure.diagnostics[0].code in _FEW_REGISTERS


@dataclass(frozen=True)
class NextPlan:
    """The next plan to try, and why."""

    specialization: Specialization
    reason: str


def next_plan(
    failure: CompileError,
    module: Any,
    specialization: Specialization,
    in_vain: frozenset[str] = frozenset(),
) -> NextPlan | None:
    """Return what to compile after a plan that is over a budget; None if it was not ours.

    Args:
        failure: Why it cannot be compiled.
        module: The kernel, as far as it got; None for nothing.
        specialization: What it was compiled for.
        in_vain: Fields of the plan that were given up in vain. They come back, until nothing else
            can be given up.
    """
    code, message = failure.diagnostics[0].code, failure.diagnostics[0].message
    if module is not None and code in _REFUSED:
        relaxed = _relaxed(module, specialization, message)
        if relaxed is not None:
            return relaxed
    if module is None or code not in (*_OVER_BUDGET, *_FEW_REGISTERS):
        return None
    needed = max(_facts(module, "scratch_bytes", 0), default=0)
    if code == "T0551" and needed > specialization.scratch_bytes:
        reason = f"the scratch area takes {needed} bytes ({message}): planned again with them"
        return NextPlan(replace(specialization, scratch_bytes=needed), reason)
    planned = max((fact for fact in _facts(module, "planned_mma", 0)), default=0)
    if code in _FEW_REGISTERS:
        lighter = _with_more_registers(module, specialization, message, in_vain, bool(planned))
        if lighter is not None:
            return lighter
    if code not in _OVER_BUDGET or not planned:
        return None
    limit = planned * 3 // 4  # the next smaller tiles, in few steps
    reason = (
        f"k-tiles of {planned} multiply-adds do not fit ({message}): planned again with at most"
        f" {limit}"
    )
    return NextPlan(replace(specialization, mma_limit=limit), reason)


def _relaxed(module: Any, specialization: Specialization, message: str) -> NextPlan | None:
    """Return a plan that keeps no fixed field, for a kernel with an array that has no element.

    Such an array suits every plan but those for arrays that TMA cannot describe. A launch that is
    right with elements is right without them, too.
    """
    empty = [name for name, array in specialization.arrays.items() if array.empty]
    fixed = {**specialization.plan, **(_facts(module, "hints", {}) or [{}])[0]}
    relaxed = replace(specialization, relaxed=True)
    given_up = sorted(fixed.keys() - relaxed.fixed_fields(fixed))
    if specialization.relaxed or not (empty and given_up):
        return None
    reason = (
        f"{empty[0]} has no element, and the plan cannot keep what is fixed ({message}): planned"
        f" again without {', '.join(given_up)}"
    )
    return NextPlan(relaxed, reason)


def _with_more_registers(
    module: Any,
    specialization: Specialization,
    message: str,
    in_vain: frozenset[str],
    other_tiles: bool,
) -> NextPlan | None:
    """Return a plan that leaves threads more registers, with the same tiles."""
    costs = _COSTS if other_tiles else _FIRST | _COSTS | _LAST_RESORT
    given_up = specialization.disabled
    costly = _costly_fields(module, specialization, costs)
    costly = [field for field in costly if field not in in_vain]
    if costly:
        field, kept = costly[0], given_up - in_vain
        most = _fewer_blocks(module, specialization) if field == SHARED_SM else 0
        fewer = replace(specialization, disabled=kept, most_per_sm=most)
        without = replace(specialization, disabled=kept | {field})
        back = " and ".join(sorted(given_up & in_vain))
        reason = (
            f"{costs[field]} takes too many registers ({message}): planned again"
            f" {f'for at most {most}' if most else 'without'}"
            f"{f', and with {back}, which made no difference' if back else ''}"
        )
        return NextPlan(fewer if most else without, reason)
    if in_vain - given_up:
        reason = f"nothing else takes registers ({message}): planned again without all that does"
        return NextPlan(replace(specialization, disabled=given_up | in_vain), reason)
    if other_tiles:
        return None
    if not _may_double_warps(module, specialization):
        return _with_narrow_accesses(specialization, message)
    reason = f"so few warps have too few registers ({message}): planned again with twice as many"
    factor = 2 * specialization.warp_factor
    return NextPlan(replace(specialization, warp_factor=factor), reason)


def _fewer_blocks(module: Any, specialization: Specialization) -> int:
    """Return half as many blocks of an SM as were planned; 0 where that is one, or was tried."""
    blocks = max(plan.get(SHARED_SM, 1) for plan in _facts(module, "plan", {}))
    asked = specialization.most_per_sm or blocks
    return blocks // 2 if 2 * LEAST_SHARING <= blocks <= asked else 0


def _with_narrow_accesses(specialization: Specialization, message: str) -> NextPlan | None:
    """Return a plan whose threads access the elements of arrays that TMA cannot move one by one.

    A stencil of 27 points spills 764 bytes of a thread with vectors of 8 bytes, and 8 without (8
    warps, ptxas 13.0): ptxas holds more of what it loads.
    """
    narrow = {
        name: replace(array, alignment=1)
        for name, array in specialization.arrays.items()
        if 1 < array.alignment < VECTOR_BYTES
    }
    if not narrow:
        return None
    arrays = {**specialization.arrays, **narrow}
    reason = (
        f"vectors of few elements take too many registers ({message}): planned again without, for"
        f" {', '.join(narrow)}"
    )
    return NextPlan(replace(specialization, arrays=arrays), reason)


def describe_plan(module: Any, failure: CompileError) -> str:
    """Return what tells a plan from its runner-up: its constants, what takes registers, its fault.

    Args:
        module: The kernel, as far as it got.
        failure: Why it cannot be compiled.
    """
    facts = _facts(module, "constants", {})
    constants = [f"{name}={value}" for found in facts for name, value in found.items()]
    costly = [
        field for field in _COSTS if any(_has(plan, field) for plan in _facts(module, "plan", {}))
    ]
    fault = _OVER_BUDGET.get(failure.diagnostics[0].code or "", "lost performance")
    return " ".join([*constants, *costly, f"({fault})"])


def _costly_fields(module: Any, specialization: Specialization, costs: Iterable[str]) -> list[str]:
    """Return the fields of `costs` that the planner set, and could do without, unless asked for."""
    plans = _facts(module, "plan", {})
    return [
        field
        for field in costs
        if field not in specialization.disabled
        and any(_has(plan, field) for plan in plans)
        and not _is_asked(module, specialization, _DECIDED_BY.get(field, field))
    ]


def _may_double_warps(module: Any, specialization: Specialization) -> bool:
    """Tell whether the planner chose so few warps that twice as many may share a block."""
    few = [
        not plan.get("consumers", 1) and 2 * plan["consumer_warps"] <= _MOST_WARPS
        for plan in _facts(module, "plan", {})
    ]
    return any(few) and not _is_asked(module, specialization, "worker_warps")


def _is_asked(module: Any, specialization: Specialization, field: str) -> bool:
    """Tell whether the user fixed a field of the plan."""
    return any(field in asked for asked in (specialization.plan, *_facts(module, "hints", {})))


def _has(plan: dict[str, Any], field: str) -> bool:
    """Tell whether a plan has what `field` of the plan asks for."""
    if field == "load_ahead":  # products have registers of their own
        tight = plan.get("blocks_per_sm", 1) > 1 and not plan.get("consumer_registers", 0)
        return tight and plan.get(field, False)
    counts = {"pingpong": "teams", "blocks_per_sm": "blocks_per_sm", "spread": "spread"}
    return plan.get(counts[field], 1) > 1 if field in counts else plan.get(field, False)


def _facts(module: Any, name: str, default: Any) -> list[Any]:
    """Return an entry of the metadata of every operation at the top of a module."""
    from tilec.ir.attributes import read_kernel_fact

    operations = module.operation.regions[0].blocks[0].operations
    return [read_kernel_fact(op, name, default) for op in operations]
