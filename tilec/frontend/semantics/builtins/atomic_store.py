"""Builtins that combine tiles with arrays, each element in one step: `atomic_store_add`, ..."""

from tilec.frontend.semantics.builtins.atomic import STORE_TYPES, check_type, mode_of
from tilec.frontend.semantics.builtins.memory import (
    access_attributes,
    index_scalars,
    place_and_tile,
    record_write,
    stored_view,
)
from tilec.frontend.semantics.builtins.table import Argument, Call, builtin
from tilec.frontend.semantics.element_access import note_access
from tilec.frontend.semantics.values import AnyValue, NoneValue

_SUMMARIES = {
    "add": "Add a tile to the array",
    "max": "Store the larger one of each element of the array and of a tile",
    "min": "Store the smaller one of each element of the array and of a tile",
}


def _combine(
    call: Call,
    operation: str,
    array: Argument,
    index: Argument | None,
    tile: Argument | None,
    offset: Argument | None,
    allow_tma: Argument | None,
) -> AnyValue:
    place, tile = place_and_tile(call, index, tile, offset)
    value = call.tile(tile, "expected the tile to combine with the array")
    view = stored_view(call, array, value, tile)
    check_type(call, view.array, STORE_TYPES[operation], array)
    indices = index_scalars(call, place, view.array, counts_tiles=offset is None)
    attributes = access_attributes(call, offset, allow_tma)
    attributes["mode"] = mode_of(operation, view.array.dtype)
    note_access(call, view.array, "read", "write")
    record_write(call, "atomic_red_view_tko", tile, view, indices, attributes)
    return NoneValue()


def _register(operation: str) -> None:
    def combine(
        call: Call,
        array: Argument,
        index: Argument | None = None,
        tile: Argument | None = None,
        *,
        offset: Argument | None = None,
        allow_tma: Argument | None = None,
    ) -> AnyValue:
        return _combine(call, operation, array, index, tile, offset, allow_tma)

    bitwise = f"Store the bitwise `{operation}` of each element of the array and of a tile"
    combine.__doc__ = f"""{_SUMMARIES.get(operation, bitwise)} at tile index `index` or at element
    `offset`.

    Each element changes in one atomic step (relaxed, for the whole device), in any order; elements
    outside the array are dropped. The tile has the element type of the array. Nothing is returned.
    """
    builtin(f"atomic_store_{operation}", STORE_TYPES[operation], "atomic_red_view_tko")(combine)


for _operation in ("add", "max", "min", "and", "or", "xor"):
    _register(_operation)
