"""What tiles of a grid share: the axes along which their loops load the same, and the rounds."""

from collections.abc import Iterable
from math import prod
from typing import Any

from tilec.ir.attributes import integer, read_kernel_fact
from tilec.ir.structured import defining_operation, enclosing_loops, operations_inside
from tilec.passes.analysis.facts.element_accesses import is_element_access, is_repeatable
from tilec.passes.analysis.facts.growth import Growth
from tilec.passes.analysis.facts.memory_tokens import follows_store
from tilec.passes.analysis.facts.partitions import takes_a_part
from tilec.passes.analysis.facts.slices import slice_starts
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import TiledAccess, array_of_view, kernel_operations
from tilec.passes.analysis.tma.multicast import dependences
from tilec.plan.model import Reuse


def reuse_of(function: Any, accesses: Iterable[TiledAccess]) -> Reuse:
    """Return what the tiles of a kernel share, as far as its loops say.

    The bounds of a loop count only where blocks go through parts of a range: tiles that read the
    first part of the same keys share them. What the kernel itself has written is no input: loads
    that come after a store or an acquire do not count. Nor do single elements, which are few.

    Where such elements decide which rounds a tile has, as the numbers of documents do
    (`nv-tileaa-skip-rounds`), tiles that are next to each other have about as many. A CTA takes
    every n-th tile. Along a shared axis of 64 tiles, each of 132 CTAs takes tiles of a few places,
    and some have 1.5 times as much to do as others. So this axis is the slowest one then.
    """
    grid = read_kernel_fact(function, "grid") or []
    loads = [item for item in accesses if is_input(item)]
    ops = kernel_operations(function)
    ids = program_ids(ops)
    axes = [{ids[op] for op in block_numbers(load, set(ids))} for load in loads]
    used = set().union(*axes)
    for op in filter(is_element_access, ops):
        if enclosing_loops(op) and not is_repeatable(op):
            used |= {ids[found] for found in dependences(op.operands, set(ids), bounds=False)}
    shared = [axis for axis in range(len(grid)) if axis not in used]
    if not used or not shared or len(grid) < 2:
        return Reuse(once=bool(axes) and all(len(found) == len(grid) for found in axes))
    loops = dict.fromkeys(loop for load in loads for loop in enclosing_loops(load.op))
    growths = {axis: _growth(function, ids, axis, list(loops)) for axis in shared}
    growing = [axis for axis, growth in growths.items() if growth != 0]
    last = growing[0] if len(growing) == 1 and growths[growing[0]] is not None else shared[-1]
    order = [*sorted(used), *(axis for axis in shared if axis != last), last]
    arrays = dict.fromkeys(array_of_view(load.view, function) for load in loads)
    growth = growths[last] if growing == [last] else 0
    if not growth and any(map(_skips_rounds, loops)):
        order = [*(axis for axis in shared if axis != last), last, *sorted(used)]
    return Reuse(tuple(order), tuple(shared), growth or 0, tuple(arrays))


def _skips_rounds(loop: Any) -> bool:
    """Tell whether a loop has as many rounds as another one has counted by single elements."""
    count = defining_operation(loop.operands[1]) if loop.name == "scf.for" else None
    if count is None or count.name != "scf.for":
        return False
    return any(map(is_element_access, operations_inside(count)))


def program_ids(ops: Iterable[Any]) -> dict[Any, int]:
    """Return the axes of the grid of the operations that read the number of a block."""
    return {op: axis_of(op) for op in ops if op.name == "nv_tileas.get_program_id"}


def axis_of(program_id: Any) -> int:
    """Return the grid axis of a `get_program_id`."""
    return integer(program_id, "axis")


def has_own_tiles(function: Any, accesses: list[TiledAccess]) -> bool:
    """Tell whether blocks load no tile that all of them load, and store as large ones.

    None is loaded in a loop: spread loops that reduce tiles were not measured.
    """
    ids = set(program_ids(kernel_operations(function)))
    loads = [access for access in accesses if access.is_load]
    largest = max((prod(load.tile_type.shape) for load in loads), default=0)
    stored = max((prod(item.tile_type.shape) for item in accesses if not item.is_load), default=0)
    own = all(block_numbers(load, ids) and not enclosing_loops(load.op) for load in loads)
    return own and stored >= largest


def is_input(access: TiledAccess) -> bool:
    """Tell whether a loop loads a tile of what the kernel has not written."""
    return access.is_load and bool(enclosing_loops(access.op)) and not follows_store(access.op)


def block_numbers(load: TiledAccess, ids: set[Any]) -> set[Any]:
    """Return the operations of `ids` that decide what a load reads."""
    begin = [start.value for start in slice_starts(load.view)]
    loops = [loop for loop in enclosing_loops(load.op) if loop.name == "scf.for"]
    parts = {op for op in ids for loop in loops if takes_a_part(loop, op)}
    return parts | dependences([*load.coords, *begin], ids, bounds=False)


def _growth(function: Any, ids: dict[Any, int], axis: int, loops: list[Any]) -> int | None:
    """Return how the rounds of `loops` change along an axis; None where that is unknown."""
    if any(loop.name != "scf.for" for loop in loops):
        return None
    ranges = ValueRanges.of_kernel(function)
    return Growth({op for op, found in ids.items() if found == axis}, ranges).of_rounds(loops)
