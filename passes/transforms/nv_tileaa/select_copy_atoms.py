"""Choose the hardware copy for each tiled load and store.

Before:  tiled_load %r[%i, %j] {coord_div_by = [128, 128], in_bounds = [false, false]}
After:   tiled_load %r[%i, %j] {atom = #cute.copy_atom<"sm90_tma_load_2d_bf16", ...>,
                                legal_atoms = [...]}

The registry (`dialects/cute/registry.py`) says which atoms are legal, from compute capability,
address space, tile shape, element type and the facts of `nv-tileaa-infer-facts`. `legal_atoms` are
all of them, `atom` is the one that moves the tile: TMA, unless `tilec/plan/copies.py` has a reason
for threads. A tile that TMA cannot or should not move gets the widest legal vector access, and
remark T0520 says why. The number in `sm90_ldg_128_f32` is bits per access. Threads that access
narrow elements one by one may still load runs of them by vectors (`passes/analysis/facts/runs.py`).
Threads also load tiles of one array that overlap, as in a stencil or a depthwise convolution: they
find in the L1 cache what they load again.

TMA fills elements outside of an array with zeros. A TMA load with another padding value gets a
select after it, for the dims along which its tile may leave the array. So does a TMA load from a
slice, which ends anywhere in its array. If the tile is an operand of a product, it then goes
through registers, as a computed operand does; remark T0437 says so.
"""

from math import gcd, prod
from typing import Any

from tilec.dialects.common.accesses import combination
from tilec.dialects.cute.copy_atom import CopyAtomAttr
from tilec.dialects.cute.registry import (
    ELEMENT_BITS,
    CopyAtom,
    CopyRequest,
    Interface,
    Selection,
    select_copy_atoms,
)
from tilec.ir.attributes import elements_of, read_kernel_metadata
from tilec.ir.bindings import ir
from tilec.ir.structured import enclosing_loops
from tilec.layout.shared import MAX_BOX_EXTENT
from tilec.passes.analysis.facts.divisibility import UNKNOWN
from tilec.passes.analysis.facts.memory_tokens import follows_store
from tilec.passes.analysis.facts.overlaps import overlapping_loads
from tilec.passes.analysis.facts.runs import RUN_BYTES, run_elements
from tilec.passes.analysis.facts.slices import slice_starts, whole_array
from tilec.passes.analysis.kernels import array_of_view, kernel_operations, span_of, tiled_access
from tilec.passes.analysis.reductions import waits_for_tiles, warps_meet
from tilec.passes.analysis.tma.descriptor_recipe import descriptor_recipe
from tilec.passes.registry import PassContext, register_kernel_pass
from tilec.passes.transforms.nv_tileaa.fill_outside import fill_outside
from tilec.passes.transforms.nv_tileaa.infer_facts import TILED
from tilec.plan.copies import (
    why_overlaps_stay,
    why_threads_copy,
    why_threads_load,
    why_threads_store,
)
from tilec.support.diagnostics import Diagnostic, remark
from tilec.support.dtypes import DTYPES
from tilec.support.fast_dataclasses import dataclass, replace

COMPUTE_CAPABILITY = "nv_tileaa.compute_capability"
NAME = "nv-tileaa-select-copy-atoms"


@dataclass(frozen=True)
class _KernelKind:
    """Facts of a whole kernel.

    Attributes:
        waits_for_tiles: Whether its steps wait for their tiles.
        warps_meet: Whether the warps of such a step wait for each other.
        has_products: Whether the tensor cores multiply.
        share_by_threads: How many tiles of an array threads have to load, and of how many.
        overlapping: Tiles of the array that overlap, which are loaded together with this one.
    """

    waits_for_tiles: bool
    warps_meet: bool
    has_products: bool
    share_by_threads: tuple[int, int] | None = None
    overlapping: int = 0


@register_kernel_pass(NAME)
def assign_copy_atoms(function: Any, context: PassContext) -> None:
    """Choose the copy atom of every tiled load and store; remark on those that miss TMA."""
    capability = context.target.compute_capability
    if COMPUTE_CAPABILITY in function.attributes:
        capability = function.attributes[COMPUTE_CAPABILITY].value
    metadata = read_kernel_metadata(function)
    operations = kernel_operations(function)
    has_products = any(op.name == "nv_tileaa.dot" for op in operations)
    kind = _KernelKind(waits_for_tiles(function), warps_meet(function), has_products)
    accesses = []
    for op in operations:
        if op.name in TILED:
            recipe = descriptor_recipe(tiled_access(op).view, function, metadata)
            accesses.append((op, copy_request(op, capability, recipe)))
    loads = [op for op, item in accesses if item.is_load and not item.is_prefetch]
    shares = {} if has_products else _shares_by_threads(accesses)
    overlaps = {} if has_products else overlapping_loads(loads)
    for op, request in accesses:
        of_array = {"share_by_threads": shares.get(op), "overlapping": overlaps.get(op, 0)}
        why = _assign(op, request, replace(kind, **of_array))
        if why is not None:
            context.sink.emit(_lost_tma(op, why, function))


def _shares_by_threads(accesses: list[tuple[Any, CopyRequest]]) -> dict[Any, tuple[int, int]]:
    """Return how many tiles of its array threads have to load, of how many, for each load.

    Loads in loops do not count, as those of the next round overlap the work of this one.
    """
    tiles: dict[Any, list[tuple[Any, bool]]] = {}
    for op, request in accesses:
        if request.is_load and not request.is_prefetch and not enclosing_loops(op):
            by_threads = select_copy_atoms(request).tma_obstacle is not None
            tiles.setdefault(tiled_access(op).view, []).append((op, by_threads))
    return {
        op: (sum(by_threads for _, by_threads in found), len(found))
        for found in tiles.values()
        for op, _ in found
    }


def _assign(op: Any, request: CopyRequest, kind: _KernelKind) -> str | None:
    """Give an access its atoms; return why TMA does not move the tile, None if it does."""
    selection = select_copy_atoms(request)
    chosen, why = _choose(op, selection, request, kind)
    element = tiled_access(op).tile_type.element_type
    atoms = {atom: _attribute(atom, request, element) for atom in selection.legal}
    op.attributes["atom"] = atoms[chosen]
    op.attributes["legal_atoms"] = ir.ArrayAttr.get(list(atoms.values()))
    if why is None and request.is_load and not request.is_prefetch:
        fill_outside(op)
    return why


def _copies(request: CopyRequest) -> tuple[int, int]:
    """Return the bytes of one TMA copy of a tile, and how many it takes."""
    box = prod(min(extent, MAX_BOX_EXTENT) for extent in request.tile)
    return box * ELEMENT_BITS[request.element] // 8, -(-prod(request.tile) // box)


def _choose(
    op: Any, selection: Selection, request: CopyRequest, kind: _KernelKind
) -> tuple[CopyAtom, str | None]:
    """Return the atom that moves a tile, and why it is not TMA."""
    if selection.tma_obstacle is not None or Interface.PREFETCH in selection.legal[0].interfaces:
        return selection.legal[0], selection.tma_obstacle
    threads = next(atom for atom in selection.legal if _is_by_threads(atom))
    if request.is_prefetch:
        return selection.legal[0], None
    waits, meet = kind.waits_for_tiles, kind.warps_meet
    width = threads.vector_bits
    if request.is_load and run_elements(op, width):
        width = 8 * RUN_BYTES
    why = why_threads_copy(waits, width, *_copies(request), warps_meet=meet)
    if why is None and kind.share_by_threads is not None:
        why = why_threads_load(width, *kind.share_by_threads)
    if why is None and request.is_load:
        why = why_overlaps_stay(width, kind.overlapping)
    if why is None and not request.is_load:
        tile_bytes = prod(request.tile) * ELEMENT_BITS[request.element] // 8
        why = why_threads_store(kind.has_products, tile_bytes)
    return (selection.legal[0] if why is None else threads), why


def _is_by_threads(atom: CopyAtom) -> bool:
    """Tell whether threads copy through their registers."""
    return not atom.interfaces & (Interface.TMA | Interface.ASYNC_COPY | Interface.PREFETCH)


def _lost_tma(op: Any, why: str, function: Any) -> Diagnostic:
    access = tiled_access(op)
    message = f"{access.noun} '{array_of_view(access.view, function)}' does not use TMA: {why}"
    return remark("T0520", message, span_of(op))


def copy_request(op: Any, capability: int, recipe: dict[str, Any] | str) -> CopyRequest:
    """Return what a tiled load or store asks the registry for.

    Args:
        op: The load or store.
        capability: Compute capability, for example 90.
        recipe: What `descriptor_recipe` returns for its array.
    """
    access = tiled_access(op)
    view, memref = op.opview, access.view.owner.operation
    type_, is_load = access.view.type, access.is_load and not access.is_prefetch
    return CopyRequest(
        is_load=access.is_load,
        compute_capability=capability,
        address_space=type_.address_space,
        tile=tuple(access.tile_type.shape),
        element=str(type_.element_type),
        sizes=type_.shape,
        strides=type_.strides,
        base_div_by=_base_divisor(memref),
        size_div_by=_divisors(memref, "size_div_by", type_.rank),
        stride_div_by=_divisors(memref, "stride_div_by", type_.rank),
        coord_div_by=_divisors(op, "coord_div_by", type_.rank),
        in_bounds=view.in_bounds,
        padding=view.padding if is_load else "zero",
        mem_semantic=view.mem_semantic,
        allow_tma=view.allow_tma,
        not_describable=recipe if isinstance(recipe, str) else None,
        after_store=is_load and follows_store(op),
        is_prefetch=access.is_prefetch,
        combine=combination(op),
        is_unsigned=not isinstance(recipe, str) and not DTYPES[recipe["dtype"]].signed,
        **_slice_facts(access.view),
    )


def _slice_facts(view: Any) -> dict[str, Any]:
    """Return what the registry has to know of a slice besides what it knows of an array."""
    starts = slice_starts(view)
    if not starts:
        return {}
    divisors = [0] * view.type.rank
    for start in starts:
        divisors[start.dim] = gcd(divisors[start.dim], start.op.attributes["start_div_by"].value)
    array = whole_array(view).owner.operation
    return {"array_div_by": _base_divisor(array), "start_div_by": tuple(divisors)}


def _base_divisor(memref: Any) -> int:
    attribute = memref.attributes.get("base_div_by")
    return UNKNOWN if attribute is None else attribute.value


def _divisors(op: Any, name: str, rank: int) -> tuple[int, ...]:
    """Return the divisors that `nv-tileaa-infer-facts` wrote; nothing is known without it."""
    attribute = op.attributes.get(name)
    return (UNKNOWN,) * rank if attribute is None else tuple(elements_of(attribute))


def _attribute(atom: CopyAtom, request: CopyRequest, element: Any) -> CopyAtomAttr:
    rank = request.rank if Interface.TMA in atom.interfaces else 1
    return CopyAtomAttr.of(atom.name_for(request), atom.kind, rank, atom.vector_bits, element)
