"""Plans that differ from a given one in a single field: what a search by measurement tries next.

Only fields that trade one resource for another, so that the planner may have guessed wrong. Fields
that only take performance away (`specialize`, `split_loops`), and those that follow from others
(registers, slots of an epilogue), are left alone. Pure Python.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tilec.plan.overrides import PlanValue, parse_overrides
from tilec.support.diagnostics import CompileError

_Plan = Mapping[str, Any]
_CLUSTERS = ((1, 1), (2, 1), (1, 2))


def neighbours(plan: _Plan) -> Iterator[dict[str, PlanValue]]:
    """Yield single fields with other values than a plan has.

    Not every one can be compiled: what does not fit together, the planner rejects.

    Args:
        plan: The fields of the plan, as `CompiledKernel.plan` has them.
    """
    steps = _WITH_PRODUCTS if plan["consumers"] else _WITHOUT_PRODUCTS
    for name, other in (steps | _ALWAYS).items():
        for value in other(plan):
            if _is_allowed(name, value):
                yield {name: value}


def _is_allowed(name: str, value: PlanValue) -> bool:
    try:
        parse_overrides({name: value})
    except CompileError:
        return False
    return True


def _flip(name: str) -> Callable[[_Plan], tuple[PlanValue, ...]]:
    """Return what yields the other value of a flag."""
    return lambda plan: (int(not plan[name]),)


def _scale(name: str) -> Callable[[_Plan], tuple[PlanValue, ...]]:
    """Return what yields half and twice a number."""
    return lambda plan: (plan[name] * 2, *((plan[name] // 2,) if plan[name] > 1 else ()))


def _clusters(plan: _Plan) -> tuple[PlanValue, ...]:
    return tuple(shape for shape in _CLUSTERS if shape != tuple(plan["cluster"][:2]))


def _rotations(plan: _Plan) -> tuple[PlanValue, ...]:
    return (0,) if any(loop["rotated"] for loop in plan["loops"]) else ()


def _turns(plan: _Plan) -> tuple[PlanValue, ...]:
    rotated = [loop for loop in plan["loops"] if loop["rotated"]]
    return (int(not any(loop["turns"] for loop in rotated)),) if rotated else ()


_ALWAYS: dict[str, Callable[[_Plan], tuple[PlanValue, ...]]] = {
    "persistent": _flip("persistent"),
    "blocks_per_sm": _scale("blocks_per_sm"),
    "stages": lambda plan: (plan["stages"] - 1, plan["stages"] + 1),
}
_WITH_PRODUCTS: dict[str, Callable[[_Plan], tuple[PlanValue, ...]]] = {
    "cluster": _clusters,
    "pingpong": lambda plan: (int(plan["teams"] == 1),),
    "split_k": _scale("split_k"),
    "tile_group": lambda plan: _scale("tile_group")(plan) if plan["tile_group"] else (),
    "snake_k": _flip("snake_k"),
    "defer_stores": lambda plan: (0,) if plan["defer_stores"] else (),
    "rotate": _rotations,
    "turns": _turns,
}
_WITHOUT_PRODUCTS: dict[str, Callable[[_Plan], tuple[PlanValue, ...]]] = {
    "worker_warps": _scale("consumer_warps"),
    "spread": _scale("spread"),
    "stream_tail": _flip("stream_tail"),
}
