"""Views, tiled loads and stores, tokens.

A tensor view becomes a memref with its dims in storage order, so that the axis whose stride is 1
comes last; the permutation shows up as `permute` after a load or before a store. Tile
indices become element coordinates.
"""

import re
from collections.abc import Sequence
from typing import Any

from tilec.dialects import cuda_tile
from tilec.dialects.common.element_access import COMBINE
from tilec.dialects.cuda_tile.types import ARRAY_PADDING, TileViewType
from tilec.dialects.nv_tileaa.memory_ops import (
    AssumeOp,
    CreateMemTokenOp,
    JoinMemTokenOp,
    MakeMemrefOp,
    PrefetchOp,
    SliceBaseOp,
    TiledLoadOp,
    TiledStoreOp,
)
from tilec.dialects.nv_tileaa.tile_ops import PermuteOp
from tilec.dialects.nv_tileaa.types import UNKNOWN_ALIAS_SCOPE, MemrefType
from tilec.ir.bindings import arith, ir
from tilec.ir.values import is_tile
from tilec.passes.analysis.facts.slices import array_coordinates, whole_array
from tilec.passes.conversion.cuda_tile_to_nv_tileaa.rules import (
    RULES,
    Conversion,
    View,
    constant,
    create,
    segments,
    text,
)

_SCOPES = {"tl_blk": "cta", "device": "gpu", "sys": "sys"}
_DIV_BY = re.compile(r"div_by<\s*(\d+)\s*>")
_CARRIED_ATTRIBUTES = ("allow_tma", "latency")


def storage_order(shape: Sequence[int | None], strides: Sequence[int | None]) -> tuple[int, ...]:
    """Return the dims of a tensor from the largest stride to the smallest.

    Strides read at run time cannot be compared: then only the dim with stride 1 is moved last,
    and the rest keeps its declared order. A dim of extent 1 may have any stride, so it is not
    the contiguous one when another dim has stride 1 too.
    """
    dims = range(len(shape))
    known = [stride for stride in strides if stride is not None]
    if len(known) == len(shape):
        return tuple(sorted(dims, key=lambda dim: _storage_rank(known[dim], shape[dim])))
    unit = [dim for dim in dims if strides[dim] == 1]
    if not unit:
        return tuple(dims)
    last = max(unit, key=lambda dim: (shape[dim] != 1, dim))
    return (*[dim for dim in dims if dim != last], last)


def _storage_rank(stride: int, extent: int | None) -> tuple[float, bool]:
    """Return the sort key of a dim with a known stride; broadcast dims (stride 0) come first."""
    return (-abs(stride) if stride else float("-inf")), extent != 1


def array_number(base: Any, metadata: dict[str, Any]) -> int | None:
    """Return the number of the array that pointer `base` points to, None if it is not known."""
    while not isinstance(base, ir.BlockArgument):
        owner = base.owner.operation
        if not owner.name.endswith(".assume"):
            return None
        base = owner.operands[0]
    params = metadata.get("params", [])
    name = params[base.arg_number].get("array") if base.arg_number < len(params) else None
    names = [array["name"] for array in metadata.get("arrays", [])]
    return names.index(name) if name in names else None


def alias_scope(number: int | None, metadata: dict[str, Any]) -> int:
    """Return the alias scope of an array.

    Arrays that may overlap (equal `alias_group`) get the number of the first of them, every
    other array its own number.
    """
    if number is None:
        return UNKNOWN_ALIAS_SCOPE
    groups = [array.get("alias_group", -1) for array in metadata["arrays"]]
    return number if groups[number] < 0 else groups.index(groups[number])


@RULES.converts(cuda_tile.MakeTensorViewOp)
def convert_tensor_view(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a tensor view as a memref in storage order.

    The view of an array that is the same as an earlier one becomes the memref of that one, so that
    all accesses to the array are known to be to one array.
    """
    (base,), sizes, strides = segments(op)
    type_ = op.results[0].type
    number = array_number(state.get(base), state.metadata)
    earlier = _same_array(number, type_, state)
    if earlier is not None:
        state.views[op.results[0]] = earlier
        return []
    order = storage_order(type_.shape, type_.strides)
    all_sizes = _fill_in(type_.shape, [state.get(size) for size in sizes])
    all_strides = _fill_in(type_.strides, [state.get(stride) for stride in strides])
    pointer = state.get(base)
    memref_type = MemrefType.of(
        type_.element_type,
        [type_.shape[dim] for dim in order],
        [type_.strides[dim] for dim in order],
        alias_scope(number, state.metadata),
    )
    memref = MakeMemrefOp.build(
        pointer,
        [all_sizes[dim] for dim in order if type_.shape[dim] is None],
        [all_strides[dim] for dim in order if type_.strides[dim] is None],
        memref_type,
    )
    view = state.views[op.results[0]] = View(memref, order, tuple(all_sizes))
    if number is not None:
        state.arrays.setdefault(state.metadata["arrays"][number]["name"], (type_, view))
    return []


def _same_array(number: int | None, type_: Any, state: Conversion) -> View | None:
    """Return the view of the array that an array is the same as, if both are viewed alike."""
    if number is None:
        return None
    other = state.metadata["arrays"][number].get("same_as")
    known, view = state.arrays.get(other, (None, None))
    return view if known == type_ else None


def _fill_in(extents: Sequence[int | None], values: list[Any]) -> list[Any]:
    """Return `extents` with each None replaced by the next of `values`."""
    rest = iter(values)
    return [next(rest) if extent is None else extent for extent in extents]


@RULES.converts(cuda_tile.SliceViewOp)
def convert_slice_view(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a slice as a memref that begins at its first element."""
    whole, (start, size) = state.views[op.operands[0]], map(state.get, list(op.operands)[1:])
    dim = op.opview.dim.value
    sizes = [size if number == dim else extent for number, extent in enumerate(whole.sizes)]
    type_ = op.results[0].type
    memref_type = MemrefType.of(
        type_.element_type,
        [type_.shape[number] for number in whole.order],
        [type_.strides[number] for number in whole.order],
        whole.memref.type.alias_scope,
    )
    # A thread whose element is outside reads the first one of the memref: an empty slice must not
    # begin after the end of its array.
    zero = constant(start.type, 0)
    is_empty = arith.cmpi(arith.CmpIPredicate.sle, size, zero)
    first = arith.select(is_empty, zero, start)
    memref = MakeMemrefOp.build(
        SliceBaseOp.build(whole.memref, first, whole.order.index(dim)),
        [sizes[number] for number in whole.order if type_.shape[number] is None],
        list(whole.memref.owner.opview.strides),
        memref_type,
    )
    state.views[op.results[0]] = View(memref, whole.order, tuple(sizes))
    return []


@RULES.converts(cuda_tile.MakePartitionViewOp, cuda_tile.MakeStridedViewOp)
def convert_tile_view(op: Any, state: Conversion) -> Sequence[Any]:
    """Forget how a view cuts an array into tiles: that is in the type of the original."""
    state.views[op.results[0]] = state.views[op.operands[0]]
    return []


@RULES.converts(cuda_tile.GetTensorShapeOp)
def convert_tensor_shape(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite the extents of a tensor view."""
    sizes = state.views[op.operands[0]].sizes
    return [
        constant(result.type, size) if isinstance(size, int) else size
        for size, result in zip(sizes, op.results, strict=True)
    ]


@RULES.converts(cuda_tile.GetIndexSpaceShapeOp)
def convert_index_space(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite the number of tiles along each dim: extents over steps, rounded up."""
    type_: TileViewType = op.operands[0].type
    sizes = state.views[op.operands[0]].sizes
    return [
        _count_tiles(sizes[dim], step, result.type)
        for dim, step, result in zip(type_.dim_map, type_.steps, op.results, strict=True)
    ]


def _count_tiles(size: Any, extent: int, type_: Any) -> Any:
    if isinstance(size, int):
        return constant(type_, -(-size // extent))
    if extent == 1:
        return size
    last = create("arith.addi", [type_], [size, constant(type_, extent - 1)]).result
    # Extents are below 2**31, so the unsigned sum does not wrap.
    return create("arith.divui", [type_], [last, constant(type_, extent)]).result


def _storage_dims(type_: TileViewType, view: View) -> list[int]:
    """Return the tile dim that belongs to each memref dim."""
    return [type_.dim_map.index(dim) for dim in view.order]


def _coordinates(
    op: Any, indices: list[Any], type_: TileViewType, dims: list[int], state: Conversion
) -> list[Any]:
    """Return the element coordinates of the tile that `op` accesses, in storage order."""
    if "element_offsets" in op.attributes:
        return [state.get(indices[dim]) for dim in dims]
    found = []
    for dim in dims:
        index, step = state.get(indices[dim]), type_.steps[dim]
        if step != 1:
            index = _limited(index, step, state)
            index = create("arith.muli", [index.type], [index, constant(index.type, step)]).result
        found.append(index)
    return found


def _limited(index: Any, step: int, state: Conversion) -> Any:
    """Return an index whose product with `step` does not come round to another tile.

    Arrays end below 2^31. A product from there to 2^32, or a negative one from -2^31 on, is a
    coordinate outside of every array in 32 bits, too. Every other index becomes -1, whose tile lies
    before the array.
    """
    width = index.type.width
    beyond, end = -(-(1 << (width - 1)) // step), (1 << width) // step - 1
    low, high = state.ranges.of(index)
    if -beyond < low and high <= end:
        return index
    minus_one = constant(index.type, -1)
    if low == high:
        return minus_one
    is_less = arith.cmpi(arith.CmpIPredicate.ult, index, constant(index.type, beyond))
    return arith.select(is_less, index, minus_one)


def copy_order(op: Any, target: Any) -> None:
    """Carry the memory order of a cuda_tile access over to its replacement."""
    scope: str | None = text(op, "scope")
    target.attributes["mem_semantic"] = ir.StringAttr.get(text(op, "ordering", "weak"))
    if scope is not None:
        target.attributes["mem_scope"] = ir.StringAttr.get(_SCOPES.get(scope, scope))


def _copy_hints(op: Any, target: Any) -> None:
    """Carry memory order and hints of a cuda_tile access over to its tiled operation."""
    copy_order(op, target)
    for name in _CARRIED_ATTRIBUTES:
        if name in op.attributes:
            target.attributes[name] = op.attributes[name]


@RULES.converts(cuda_tile.LoadViewTkoOp)
def convert_load(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a load; the tile comes in storage order and is permuted back."""
    (source,), indices, tokens = segments(op)
    view, type_ = state.views[source], source.type
    dims = _storage_dims(type_, view)
    memref, coords = view.memref, _coordinates(op, indices, type_, dims, state)
    if type_.padding == ARRAY_PADDING:
        memref, coords = whole_array(memref), array_coordinates(memref, coords)
    load = TiledLoadOp.build(
        memref,
        coords,
        [type_.tile[dim] for dim in dims],
        state.get(tokens[0]) if tokens else None,
        padding="zero" if type_.padding == ARRAY_PADDING else type_.padding,
    )
    _copy_hints(op, load)
    tile = load.tile
    if dims != sorted(dims):
        tile = PermuteOp.build(tile, [dims.index(dim) for dim in range(len(dims))])
    return [tile, load.token]


@RULES.converts(cuda_tile.StoreViewTkoOp)
def convert_store(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a store."""
    (value,), (target,), indices, tokens = segments(op)
    return [_store(op, value, target, indices, tokens, state)]


@RULES.converts(cuda_tile.AtomicRedViewTkoOp)
def convert_reduction(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a combination of a tile with an array: a store that combines."""
    (target,), indices, (value,), tokens = segments(op)
    token = _store(op, value, target, indices, tokens, state)
    token.owner.attributes[COMBINE] = op.attributes["mode"]
    return [token]


def _store(op: Any, value: Any, target: Any, indices: Any, tokens: Any, state: Conversion) -> Any:
    """Store a tile, which is permuted into storage order first; return the token."""
    view, type_ = state.views[target], target.type
    dims = _storage_dims(type_, view)
    tile = state.get(value)
    if dims != sorted(dims):
        tile = PermuteOp.build(tile, dims)
    token = TiledStoreOp.build(
        view.memref,
        tile,
        _coordinates(op, indices, type_, dims, state),
        state.get(tokens[0]) if tokens else None,
    )
    _copy_hints(op, token.owner)
    return token


@RULES.converts(cuda_tile.PrefetchViewOp)
def convert_prefetch(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a prefetch of a tile."""
    (source,), indices = segments(op)
    view, type_ = state.views[source], source.type
    dims = _storage_dims(type_, view)
    coords = _coordinates(op, indices, type_, dims, state)
    prefetch = PrefetchOp.build(view.memref, coords, [type_.tile[dim] for dim in dims])
    _copy_hints(op, prefetch)
    return []


@RULES.converts(cuda_tile.MakeTokenOp)
def convert_make_token(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a token that depends on nothing."""
    return [CreateMemTokenOp.build()]


@RULES.converts(cuda_tile.JoinTokensOp)
def convert_join_tokens(op: Any, state: Conversion) -> Sequence[Any]:
    """Rewrite a joined token; one token is forwarded, none is a fresh one."""
    tokens = list(dict.fromkeys(state.operands(op)))
    if not tokens:
        return [CreateMemTokenOp.build()]
    return tokens if len(tokens) == 1 else [JoinMemTokenOp.build(tokens)]


@RULES.converts(cuda_tile.AssumeOp)
def convert_assume(op: Any, state: Conversion) -> Sequence[Any]:
    """Keep a divisor of a scalar or pointer; other facts are not used below cuda_tile."""
    value = state.get(op.operands[0])
    match = _DIV_BY.fullmatch(text(op, "predicate", ""))
    if match is None or is_tile(value):
        return [value]
    return [AssumeOp.build(value, int(match[1]))]
