"""Choose the hardware copy for each tiled load and store.

Before:  tiled_load %r[%i, %j] {coord_div_by = [128, 128], in_bounds = [false, false]}
After:   tiled_load %r[%i, %j] {atom = #cute.copy_atom<"sm90_tma_load_2d_bf16", ...>,
                                legal_atoms = [...]}

The registry (`dialects/cute/registry.py`) decides from compute capability, address space, tile
shape, element type and the facts of `nv-tileaa-infer-facts`. `atom` is the preferred legal atom,
`legal_atoms` are all of them. A tile that TMA cannot move gets the widest legal vector access, and
remark T0520 says why; so do the tiles of a kernel whose blocks reduce them once, if threads can
move 16 bytes at a time. The number in `sm90_ldg_128_f32` is bits per access.

TMA fills elements outside of an array with zeros. A TMA load with another padding value gets a
select after it, for the dims along which its tile may leave the array. So does a TMA load from a
slice, which ends anywhere in its array. If the tile is an operand of a product, it then goes
through registers, as a computed operand does; remark T0437 says so.
"""

from math import gcd
from typing import Any

from tilec.dialects.cute.copy_atom import CopyAtomAttr
from tilec.dialects.cute.registry import CopyAtom, CopyRequest, Interface, select_copy_atoms
from tilec.ir.attributes import elements_of, read_kernel_metadata
from tilec.ir.bindings import ir
from tilec.passes.analysis.facts.divisibility import UNKNOWN
from tilec.passes.analysis.facts.memory_tokens import follows_store
from tilec.passes.analysis.facts.slices import slice_starts, whole_array
from tilec.passes.analysis.kernels import (
    array_of_view,
    kernel_functions,
    kernel_operations,
    span_of,
    tiled_access,
)
from tilec.passes.analysis.reductions import reduces_once
from tilec.passes.analysis.tma.descriptor_recipe import descriptor_recipe
from tilec.passes.registry import PassContext, register_pass
from tilec.passes.transforms.nv_tileaa.fill_outside import fill_outside
from tilec.support.diagnostics import remark

COMPUTE_CAPABILITY = "nv_tileaa.compute_capability"
NAME = "nv-tileaa-select-copy-atoms"


@register_pass(NAME)
def assign_copy_atoms(module: Any, context: PassContext) -> None:
    """Choose the copy atom of every tiled load and store; remark on those that miss TMA."""
    for function in kernel_functions(module):
        capability = context.target.compute_capability
        if COMPUTE_CAPABILITY in function.attributes:
            capability = function.attributes[COMPUTE_CAPABILITY].value
        metadata = read_kernel_metadata(function)
        reduced = reduces_once(function)
        for op in kernel_operations(function):
            if op.name in ("nv_tileaa.tiled_load", "nv_tileaa.tiled_store"):
                recipe = descriptor_recipe(tiled_access(op).view, function, metadata)
                _assign(op, copy_request(op, capability, recipe, reduced), function, context)


def _assign(op: Any, request: CopyRequest, function: Any, context: PassContext) -> None:
    selection = select_copy_atoms(request)
    element = tiled_access(op).tile_type.element_type
    atoms = [_attribute(atom, request, element) for atom in selection.legal]
    op.attributes["atom"] = atoms[0]
    op.attributes["legal_atoms"] = ir.ArrayAttr.get(atoms)
    if atoms[0].is_tma and request.is_load:
        fill_outside(op)
    if selection.tma_obstacle is not None:
        array = array_of_view(tiled_access(op).view, function)
        verb = "load of" if request.is_load else "store to"
        message = f"{verb} '{array}' does not use TMA: {selection.tma_obstacle}"
        context.sink.emit(remark("T0520", message, span_of(op)))


def copy_request(
    op: Any, capability: int, recipe: dict[str, Any] | str, reduced: bool = False
) -> CopyRequest:
    """Return what a tiled load or store asks the registry for.

    Args:
        op: The load or store.
        capability: Compute capability, for example 90.
        recipe: What `descriptor_recipe` returns for its array.
        reduced: Whether the kernel reduces its tiles once.
    """
    access = tiled_access(op)
    view, memref = op.opview, access.view.owner.operation
    type_ = access.view.type
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
        padding=view.padding if access.is_load else "zero",
        mem_semantic=view.mem_semantic,
        allow_tma=view.allow_tma,
        not_describable=recipe if isinstance(recipe, str) else None,
        after_store=access.is_load and follows_store(op),
        reduced=reduced,
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
