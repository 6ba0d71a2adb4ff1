"""What a round of a loop computes to know where a load lies, so that another round can load it."""

from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.removal import is_read
from tilec.ir.structured import body_operations, clone_operation
from tilec.ir.values import makers_of
from tilec.passes.analysis.kernels import tiled_access

_COMPUTING = ("arith", "math")
_TILES = ("broadcast", "make_range", "permute", "reduce", "splat", "view", "yield_values")


def only_computes(op: Any) -> bool:
    """Tell whether `op` does nothing but to compute scalars and tiles from others."""
    dialect, _, name = op.name.partition(".")
    return dialect in _COMPUTING or (dialect in ("nv_tileaa", "nv_tileas") and name in _TILES)


def loads_in_any_order(op: Any) -> bool:
    """Tell whether threads load a tile or a number in `op`, and nothing has to wait for that."""
    _, _, kind = op.name.partition(".")
    if kind != "gather" and (kind != "tiled_load" or tiled_access(op).uses_tma):
        return False
    is_weak = ir.StringAttr(op.attributes["mem_semantic"]).value == "weak"
    return is_weak and not is_read(op.opview.token)


def place_in_round(load: Any, body: Any) -> list[Any] | None:
    """Return what a round computes to load a tile, in order; None if it is more than arithmetic.

    It may depend on the number of the round and on what is there before the loop.

    Args:
        load: The load.
        body: The body of the `scf.for` that it is in.
    """
    needed = makers_of(load.operands, lambda op: op.block == body)
    read = [value for op in (load, *needed) for value in op.operands]
    carried = list(body.arguments)[1:]
    if any(value in carried for value in read) or not all(map(only_computes, needed)):
        return None
    return [op for op in body_operations(body) if op in needed]


def clone_place(place: list[Any], mapping: dict[Any, Any]) -> None:
    """Compute at the insertion point where a load lies in another round.

    Args:
        place: What `place_in_round` returns.
        mapping: The number of that round, by that of the loop; takes what is computed.
    """
    for op in place:
        if op.results[0] not in mapping:
            clone_operation(op, mapping)
