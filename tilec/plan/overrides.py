"""Plan fields that the user fixes, from `@kernel(...)` hints or `--plan`. Pure Python."""

from collections.abc import Mapping
from typing import Any

from tilec.plan import machine
from tilec.plan.failure import fail
from tilec.plan.fields import FIELDS
from tilec.support.diagnostics import CompileError, error
from tilec.support.fast_dataclasses import dataclass, field_names
from tilec.support.suggest import did_you_mean

PlanValue = bool | int | tuple[int, ...]
BY_USER = "fixed by the user"


@dataclass(frozen=True, slots=True)
class PlanOverrides:
    """The fields of a plan that can be fixed; None where the planner decides.

    `any_tile_extents` is no decision but a permission for the frontend: tiles of extents that are
    not powers of two. The planner of `auto` constants has it always.
    """

    stages: int | None = None
    tile_stages: int | None = None
    cluster: tuple[int, int] | None = None
    consumers: int | None = None
    specialize: bool | None = None
    worker_warps: int | None = None
    spread: int | None = None
    blocks_per_sm: int | None = None
    stream_tail: bool | None = None
    producer_registers: int | None = None
    consumer_registers: int | None = None
    persistent: bool | None = None
    order_tiles: bool | None = None
    tile_group: int | None = None
    balance_tiles: bool | None = None
    epilogue_slots: int | None = None
    share_slots: bool | None = None
    epilogue_batch: int | None = None
    epilogue_stages: int | None = None
    epilogue_pace: int | None = None
    slice_columns: int | None = None
    mma_pending: int | None = None
    copy_rounds: bool | None = None
    rotate: bool | None = None
    turns: bool | None = None
    split_loops: bool | None = None
    skip_hidden: bool | None = None
    pingpong: bool | None = None
    defer_stores: bool | None = None
    defer_work: bool | None = None
    stream_results: bool | None = None
    l2_promotion: int | None = None
    split_k: int | None = None
    snake_k: bool | None = None
    fill_gpu: bool | None = None
    share_rounds: bool | None = None
    share_tiles: bool | None = None
    dependent_launch: bool | None = None
    any_tile_extents: bool | None = None

    def asked(
        self, name: str, defect: str | None = None, hint: str | None = None
    ) -> tuple[Any, tuple[str, ...]] | None:
        """Return the value of a field and why, if the user fixed it; None if the planner decides.

        Args:
            name: The field.
            defect: Why the kernel cannot have what the field turns on; None if it can.
            hint: What else the user may do.

        Raises:
            CompileError: The user turned on what the kernel cannot have (T0421).
        """
        value = getattr(self, name)
        if value and defect is not None:
            fail("T0421", f"{self._shown(name)}: {defect}", hint)
        return None if value is None else (value, (self.fixed(name),))

    def fixed(self, name: str) -> str:
        """Return the reason for a field of the plan that the user fixed."""
        return f"{self._shown(name)}: {BY_USER}"

    def _shown(self, name: str) -> str:
        value = getattr(self, name)
        shown = str(value).lower() if isinstance(value, int) else " x ".join(map(str, value))
        return f"{name} = {shown}"


PLAN_FIELDS: tuple[str, ...] = field_names(PlanOverrides)
"""Names that `--plan` and `@kernel(...)` accept."""


def parse_overrides(values: Mapping[str, PlanValue]) -> PlanOverrides:
    """Check overrides and return them as a value.

    Raises:
        CompileError: A field is unknown (T0420) or its value impossible (T0421).
    """
    checked: dict[str, Any] = {}
    for name, value in values.items():
        if name not in PLAN_FIELDS:
            hint = did_you_mean(name, PLAN_FIELDS) or f"fields: {', '.join(PLAN_FIELDS)}"
            raise CompileError(error("T0420", f"the plan has no field '{name}'", hint=hint))
        checked[name] = _check(name, value)
    return PlanOverrides(**checked)


def _check(name: str, value: PlanValue) -> PlanValue:
    """Return `value` in the type of field `name`."""
    field = FIELDS[name]
    if name == "cluster":
        extents = value if isinstance(value, tuple | list) else (value, 1)
        extents = (*extents, 1) if len(extents) == 1 else extents
        whole = all(isinstance(e, int) and not isinstance(e, bool) and e >= 1 for e in extents)
        if len(extents) == 2 and whole and extents[0] * extents[1] <= machine.MAX_CLUSTER_CTAS:
            return extents
    elif field.is_flag:
        if isinstance(value, int) and value in (0, 1):
            return bool(value)
    elif field.allowed is not None and isinstance(value, int) and not isinstance(value, bool):
        is_warps = name == "worker_warps" and value > 4 and value % 4
        is_odd = name == "spread" and value not in machine.SPREADS
        if value in field.allowed and not is_warps and not is_odd:
            return value
    raise CompileError(error("T0421", f"{name} = {value!r}: expected {field.values}"))
