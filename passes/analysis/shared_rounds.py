"""Loops whose rounds the CTAs of a cluster can share, each some of them.

Such a loop only combines tiles, such as `total += load(...)`, and reductions of the same kind come
after it. So each CTA combines the tiles of its rounds, and reduces what it has; the results of all
CTAs are combined at the end (`nv-tileas-gather-in-clusters`).
"""

from collections.abc import Callable
from math import prod
from typing import Any

from tilec.dialects.common.accesses import must_happen
from tilec.dialects.nv_tileas.cluster_ops import SENT_BITS
from tilec.dialects.nv_tileas.tile_ops import ReduceOp
from tilec.dialects.nv_tileas.tma_ops import element_bits
from tilec.ir.structured import body_operations, defining_operation, operations_inside, terminator
from tilec.ir.values import is_tile, users_of
from tilec.passes.analysis.facts.constants import number_of
from tilec.passes.analysis.facts.element_accesses import is_element_access
from tilec.passes.analysis.facts.host_texts import rounds_text
from tilec.passes.analysis.facts.memory_tokens import follows_store
from tilec.passes.analysis.facts.value_ranges import ValueRanges
from tilec.passes.analysis.kernels import (
    TiledAccess,
    function_body,
    is_tiled_access,
    kernel_operations,
    tiled_access,
)
from tilec.passes.analysis.spreading import SPREADABLE
from tilec.plan import machine

ACROSS_CTAS = "across_ctas"
"""Unit attribute of a reduction whose operand each CTA of a cluster has computed in its rounds."""
_SUMS = {"arith.addf": "arith.addf", "arith.addi": "arith.addi", "math.fma": "arith.addf"}
"""What adds to a carried tile, which must begin with zeros, by what a reduction then does."""
_EXTREMES = frozenset(
    f"arith.{name}"
    for name in ("maximumf", "minimumf", "maxnumf", "minnumf", "maxsi", "minsi", "maxui", "minui")
)
"""What may combine a carried tile with its first value once for each CTA."""
_ADDEND = 2
"""Operand of a fused operation that is added."""
_LARGEST = 2**31 - 1
_TOKENS = ("nv_tileas.create_mem_token", "nv_tileas.join_mem_token")
_SHARED = SPREADABLE | {"nv_tileas.permute"}
"""Operations of nv_tileas that all CTAs may perform: each has whole tiles, so it may turn them."""


def rounds_to_share(function: Any) -> dict[str, Any]:
    """Return what the planner needs to know: why there is no such loop, or its rounds.

    Args:
        function: The kernel, before roles.
    """
    why_not = _why_not(function)
    if why_not is not None:
        return {"why_not_share_rounds": why_not}
    ranges = ValueRanges.of_kernel(function)
    counter = list(shared_loop(function).operands)[:3]
    (first, _), (_, end), (least, most) = map(ranges.of, counter)
    if end + machine.SPREADS[-1] * most > _LARGEST:
        return {"why_not_share_rounds": "the counter of its loop could exceed 31 bits"}
    return {
        "why_not_share_rounds": None,
        "rounds": max(0, -(-(end - first) // max(1, least))),
        "rounds_text": rounds_text(function, counter),
        "cut_rows": any(map(_cuts_rows, operations_inside(shared_loop(function)))),
        "exchanged_bytes": sum(map(_sent_bytes, reductions_after(shared_loop(function)))),
    }


def _sent_bytes(reduction: Any) -> int:
    """Return the bytes of what a CTA sends to each other one: elements of 32 bits at least."""
    tile = reduction.results[0].type
    return prod(tile.shape) * max(SENT_BITS[0], element_bits(tile.element_type)) // 8


def _cuts_rows(op: Any) -> bool:
    """Tell whether a load by TMA ends some rows of an array inside of a tile; False if unknown."""
    if not is_tiled_access(op) or not tiled_access(op).uses_tma:
        return False
    access = tiled_access(op)
    extent, size = access.tile_type.shape[-1], access.view.type.shape[-1]
    return size is not None and size % extent != 0


def shared_loop(function: Any) -> Any:
    """Return the only loop or branch of a kernel's block, if it is a counted loop; else None."""
    nested = [op for op in body_operations(function_body(function)) if op.name.startswith("scf.")]
    return nested[0] if len(nested) == 1 and nested[0].name == "scf.for" else None


def reductions_after(loop: Any) -> list[Any]:
    """Return the reductions of what such a loop has combined."""
    return [user for result in loop.results for user in users_of(result)]


def _why_not(function: Any) -> str | None:
    """Return why the CTAs of a cluster cannot share the rounds of the loop of a kernel, or None."""
    for op in kernel_operations(function):
        if op.name.startswith("nv_tileas.") and op.name not in _SHARED:
            return f"each CTA would perform '{op.name.removeprefix('nv_tileas.')}'"
        if is_element_access(op) and (must_happen(op) or follows_store(op)):
            return "each CTA would perform an access that is performed once"
        if is_tiled_access(op) and _follows(tiled_access(op)):
            return "an access comes after one of the same array, maybe by another CTA"
        if is_tiled_access(op) and _is_stored_by_tma_alone(op):
            return "only TMA may store a tile, which each CTA would do"
    loop = shared_loop(function)
    if loop is None:
        return "it has no loop that runs once in a block and loads"
    if any(is_tiled_access(op) and not tiled_access(op).is_load for op in operations_inside(loop)):
        return "its loop stores tiles"
    if not loop.results:
        return "its loop combines nothing"
    wrong = next((n for n in range(len(loop.results)) if not _is_combined(loop, n)), None)
    if wrong is None:
        return None
    return "what its loop carries is not combined and then reduced by the same operation"


def _is_stored_by_tma_alone(op: Any) -> bool:
    """Tell whether threads may not store a tile; one CTA has to store it, by threads."""
    return not tiled_access(op).is_load and all(atom.is_tma for atom in op.opview.legal_atoms)


def _follows(access: TiledAccess) -> bool:
    """Tell whether an access waits for one that stores, or a store for any other one."""
    token = access.token
    maker = None if token is None else defining_operation(token)
    if access.is_load:
        return follows_store(access.op)
    return maker is not None and maker.name not in _TOKENS


def _is_combined(loop: Any, number: int) -> bool:
    """Tell whether a carried value is a tile that rounds combine and the same operation reduces."""
    block = loop.regions[0].blocks[0]
    carried, result = block.arguments[number + 1], loop.results[number]
    op = defining_operation(terminator(block).operands[number])
    if op is None or op.block != block or not is_tile(result):
        return False
    places = [use.operand_number for use in carried.uses]
    if users_of(carried) != [op] or len(list(op.results[0].uses)) != 1:
        return False
    if op.name == "math.fma" and places != [_ADDEND]:
        return False
    if op.name in _SUMS and number_of(loop.operands[number + 3]) != 0:
        return False
    function = _SUMS.get(op.name, op.name if op.name in _EXTREMES else None)
    return function is not None and all(map(_reduces_by(function), users_of(result)))


def _reduces_by(function: str) -> Callable[[Any], bool]:
    """Return what tells whether an operation reduces a single tile by `function`."""

    def tells(op: Any) -> bool:
        if op.name != ReduceOp.OPERATION_NAME or len(op.operands) != 1:
            return False
        combined, *rest = body_operations(op.opview.block)
        arguments = list(op.opview.block.arguments)
        both = sorted(arguments.index(value) for value in combined.operands if value in arguments)
        return combined.name == function and both == [0, 1] and len(rest) == 1

    return tells
