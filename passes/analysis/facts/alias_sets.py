"""Alias sets: which accesses of a kernel may touch the same memory.

Distinct array parameters do not overlap unless the metadata puts them in one alias group. A view
whose array cannot be found may touch anything, so one such access merges all sets into one. An
acquire or a release orders the accesses of all arrays, so it belongs to every set.
"""

from typing import Any

from tilec.dialects.common.accesses import global_access, synchronises, writes_global
from tilec.dialects.cuda_tile import (
    AssumeOp,
    EntryOp,
    MakePartitionViewOp,
    MakeStridedViewOp,
    MakeTensorViewOp,
    SliceViewOp,
)
from tilec.ir.attributes import read_kernel_fact
from tilec.ir.bindings import ir
from tilec.ir.walks import walk_operations
from tilec.support.fast_dataclasses import dataclass, field


@dataclass
class AliasSet:
    """Accesses of a kernel that may touch the same memory.

    Attributes:
        accesses: Operations in program order; each one that synchronises is in all sets.
        is_written: Whether one of them writes to an array of this set.
    """

    accesses: list[Any] = field(default_factory=list)
    is_written: bool = False


def find_alias_sets(entry: EntryOp) -> list[AliasSet]:
    """Return the alias sets of a kernel, in order of first access."""
    keys = _argument_keys(entry)
    sets: dict[Any, AliasSet] = {}
    accesses = [op for op in walk_operations(entry.block) if global_access(op) is not None]
    ordered = [op for op in accesses if synchronises(op)]
    places: dict[Any, Any] = {}
    for op in accesses:
        argument = _base_argument(op.opview.view, entry)
        if argument is None:
            return [AliasSet(accesses, any(map(writes_global, accesses)))]
        places[op] = keys[argument]
        sets.setdefault(keys[argument], AliasSet()).is_written |= writes_global(op)
    for op in accesses:
        for key, members in sets.items():
            if places[op] == key or op in ordered:
                members.accesses.append(op)
    return list(sets.values())


def _argument_keys(entry: EntryOp) -> list[tuple[str, Any]]:
    """Return a key per kernel argument; arguments that may overlap have the same one."""
    arrays = read_kernel_fact(entry, "arrays", [])
    groups = {item["name"]: item.get("alias_group", -1) for item in arrays}
    params = read_kernel_fact(entry, "params", [])
    keys: list[tuple[str, Any]] = []
    for number in range(len(entry.arguments)):
        array = params[number].get("array") if number < len(params) else None
        group = groups.get(array, -1)
        if group >= 0:
            keys.append(("group", group))
        else:
            keys.append(("argument", number) if array is None else ("array", array))
    return keys


def _base_argument(view: Any, entry: EntryOp) -> int | None:
    """Return the number of the pointer argument that `view` looks at, or None."""
    value = view
    while not isinstance(value, ir.BlockArgument):
        owner = value.owner.opview
        if isinstance(owner, (MakePartitionViewOp, MakeStridedViewOp)):
            value = owner.tensor_view
        elif isinstance(owner, SliceViewOp):
            value = owner.view
        elif isinstance(owner, MakeTensorViewOp):
            value = owner.base
        elif isinstance(owner, AssumeOp):
            value = owner.value
        else:
            return None
    return value.arg_number if value.owner == entry.block else None
