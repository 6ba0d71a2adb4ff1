"""What the metadata of a kernel (`tilec.kernel`) must look like where it comes from a file.

`LAUNCHED` is for a package: whatever a launch reads is there. `DUMPED` is for a dump, which has the
less, the earlier its stage. Names that are not here are for people and for passes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tilec.codegen.schema import (
    SchemaError,
    anything,
    boolean,
    both,
    integer,
    nullable,
    one_of,
    record,
    row,
    scalar,
    sequence,
    table,
    text,
)
from tilec.request.specialization import ALIGNMENTS
from tilec.support.dtypes import DTYPES

_MAX_RANK = 32
_MAX_MAP_RANK = 5
"""Axes of a tensor map (cuda.h, cuTensorMapEncodeTiled)."""
_MAX_EXPRESSION = 4096
_NAME = text(1024)
_EXPRESSION = text(_MAX_EXPRESSION)
_DTYPE = one_of(tuple(DTYPES))
_AXIS = integer(0, _MAX_RANK - 1)
_VALUE = integer(-(2**63), 2**63 - 1)
_DIVISOR = integer(1, 2**62)
_ROWS = sequence(_VALUE, 0, _MAX_RANK)
_DIM = row(_NAME, _AXIS)

_ARRAY = record(
    {
        "name": _NAME,
        "dtype": _DTYPE,
        "rank": integer(0, _MAX_RANK),
        "strides": _ROWS,
        "access": one_of(("read", "write", "readwrite")),
    },
    {"alignment": one_of(ALIGNMENTS), "alias_group": _VALUE, "same_as": _NAME},
    closed=False,
)
_OF_ARRAY = {"array": _NAME, "axis": _AXIS}
_PARAMETERS = {
    kind: record({"kind": _NAME, **names}, {"div_by": _DIVISOR}, closed=True)
    for kind, names in {
        "pointer": {"array": _NAME},
        "stride": _OF_ARRAY,
        "dim": {"name": _NAME, **_OF_ARRAY},
        "grid": {"axis": integer(0, 2)},
        "scalar": {"name": _NAME, "dtype": _DTYPE},
    }.items()
}
_MAP_AXES = sequence(_AXIS, 1, _MAX_MAP_RANK)
_MAP_GRANULE = 16
"""Bytes of which the rows of a box are a multiple; they are no longer than the swizzle (cuda.h,
`cuTensorMapEncodeTiled`)."""
_TENSOR_MAP = record(
    {
        "array": _NAME,
        "dtype": _DTYPE,
        "axes": _MAP_AXES,
        "box": sequence(integer(1, 256), 1, _MAX_MAP_RANK),
        "swizzle": one_of((0, 32, 64, 128)),
    },
    {
        "element_strides": sequence(integer(1, 8), 1, _MAX_MAP_RANK),
        "l2_promotion": one_of((0, 64, 128, 256)),
        "load": boolean,
    },
    closed=False,
)
_WAIT = record(
    {
        "barrier": one_of(("empty", "full", "partials")),
        "role": _NAME,
        "first_thread": integer(0, 1024),
        "line": text(),
        "span": nullable(row(text(), *[integer(0, 2**31 - 1)] * 4)),
    },
    {"ring": _VALUE},
    closed=False,
)

_ASSERTION = record(
    {"message": text(), "line": text(), "span": sequence(scalar, 0, 5)}, {}, closed=True
)

_PRINT = record(
    {
        "template": text(),
        "dtype": one_of(("", *DTYPES)),
        "shape": sequence(integer(1, 1 << 20), 0, 8),
        "starts": boolean,
    },
    {},
    closed=True,
)


def _parameter(value: Any, place: str) -> None:
    record({"kind": one_of(tuple(_PARAMETERS))}, {}, closed=False)(value, place)
    _PARAMETERS[value["kind"]](value, place)


_OPERAND = record(
    {
        "bytes": integer(1, 1 << 20),
        "element_bytes": one_of((1, 2, 4, 8)),
        "axes": sequence(integer(0, 2), 0, 3),
        "strided": boolean,
        "computed": boolean,
    },
    {},
    closed=True,
)
_PRODUCT = record(
    {
        "rounds": _EXPRESSION,
        "tile": sequence(integer(1, 1 << 20), 3, 3),
        "types": sequence(text(), 3, 3),
        "products": integer(1, 1 << 10),
        "consumers": integer(1, 8),
        "result_bytes": one_of((1, 2, 4, 8)),
        "epilogue_bytes": integer(0, 1 << 10),
        "operands": sequence(_OPERAND, 2, 2),
    },
    {},
    closed=True,
)
"""What `tilec.passes.analysis.mma.launch_product` says of a product."""

WORKSPACE = record(
    {"name": _NAME, "size": _EXPRESSION},
    {"alignment": one_of(tuple(1 << shift for shift in range(21))), "zeroed": boolean},
    closed=True,
)
HIDDEN_PARAMETER = record({"name": _NAME}, {"dtype": one_of(("u64",))}, closed=True)

_LIMIT, _WAITS = {"limit": _VALUE}, {"waits": sequence(_WAIT)}
_NAMED = {"name": _NAME}
_READ_BY_LAUNCHES = {
    "arrays": sequence(_ARRAY, 0, 1024),
    "params": sequence(_parameter, 0, 4096),
    "block_threads": integer(1, 1024),
}
_OPTIONAL = {
    "source": text(),
    "constants": table(scalar),
    "dims": table(sequence(_DIM)),
    "static_shape": table(_ROWS),
    "grid": sequence(_EXPRESSION, 1, 3),
    "preconditions": sequence(text()),
    "tensor_maps": sequence(_TENSOR_MAP, 0, 1024),
    "workspaces": sequence(WORKSPACE, 0, 1024),
    "hidden_parameters": sequence(HIDDEN_PARAMETER, 0, 1024),
    "assertions": sequence(_ASSERTION, 0, 1 << 20),
    "prints": sequence(_PRINT, 0, 1 << 16),
    "cluster": sequence(integer(1, 16), 3, 3),
    "block_cycles": _EXPRESSION,
    "few_blocks": integer(1, 1 << 20),
    "most_blocks": integer(1, 1 << 20),
    "splits": integer(1, 1 << 20),
    "k_splits": _PRODUCT,
    "disabled": sequence(text()),
    "variant": text(),
    "shared_rounds": record({"rounds": _EXPRESSION, "least": integer(1, 1 << 31)}, {}, closed=True),
    "cluster_tiles": sequence(integer(1, 16), 2, 2),
    "shared_bytes": integer(0, 1 << 20),
    "split_k": integer(1, 1 << 20),
    "persistent": boolean,
    "dependent_launch": boolean,
    "cooperative_launch": boolean,
    "plan": table(anything),
    "hints": table(anything),
    "gpu": text(),
    "tile_reasons": sequence(text()),
    "tile_candidates": sequence(text()),
}

LAUNCH_FACTS = ("few_blocks", "shared_rounds", "k_splits", "constants", "grid")
LAUNCH_RULES = record({}, {name: _OPTIONAL[name] for name in LAUNCH_FACTS}, closed=True)
"""What says which launches take other variants (`tilec/runtime/launch_variants.py`)."""


def _references(value: Mapping[str, Any], place: str) -> None:
    """Check that arrays and axes that are named exist."""
    ranks: dict[str, int] = {}
    arrays = value.get("arrays", ())
    for index, item in enumerate(arrays):
        ranks[item["name"]] = item["rank"]
        if len(item["strides"]) != item["rank"]:
            where = f"{place}.arrays[{index}]"
            raise SchemaError(f"{where} has rank {item['rank']} and {len(item['strides'])} strides")
    if len(ranks) < len(arrays):
        raise SchemaError(f"{place}.arrays names an array twice")
    for where, array, axes in _named_axes(value):
        if array not in ranks:
            raise SchemaError(f"{place}.{where} names an array '{array[:80]}' that does not exist")
        if any(axis >= ranks[array] for axis in axes):
            raise SchemaError(f"{place}.{where} names an axis that '{array[:80]}' does not have")
    _check_lengths(value, ranks, place)


def _check_lengths(value: Mapping[str, Any], ranks: Mapping[str, int], place: str) -> None:
    """Check that lists with an entry for each axis have the same length."""
    for name, extents in value.get("static_shape", {}).items():
        if len(extents) != ranks.get(name, len(extents)):
            raise SchemaError(f"{place}.static_shape.{name[:80]} has {len(extents)} extents")
    for index, item in enumerate(value.get("tensor_maps", ())):
        lists = [item[name] for name in ("axes", "box", "element_strides") if name in item]
        if len(set(map(len, lists))) > 1:
            raise SchemaError(f"{place}.tensor_maps[{index}] has lists of different lengths")
        row_bytes = item["box"][-1] * DTYPES[item["dtype"]].bytes
        if row_bytes % _MAP_GRANULE or 0 < item["swizzle"] < row_bytes:
            raise SchemaError(f"{place}.tensor_maps[{index}] has a box with rows that TMA refuses")


def _named_axes(value: Mapping[str, Any]) -> Iterator[tuple[str, str, Sequence[int]]]:
    """Yield every mention of an array: where it stands, the array, and its axes."""
    for index, item in enumerate(value.get("params", ())):
        if "array" in item:
            yield f"params[{index}]", item["array"], [item["axis"]] if "axis" in item else []
    for name, places in value.get("dims", {}).items():
        for array, axis in places:
            yield f"dims.{name}", array, [axis]
    for index, item in enumerate(value.get("tensor_maps", ())):
        yield f"tensor_maps[{index}]", item["array"], item["axes"]


LAUNCHED = both(
    record(
        {**_NAMED, **_READ_BY_LAUNCHES},
        {**_OPTIONAL, "debug_waits": record({**_LIMIT, **_WAITS}, {}, closed=False)},
        closed=False,
    ),
    _references,
)
"""The check of the metadata in a package."""
DUMPED = both(
    record(
        _NAMED,
        {
            **_READ_BY_LAUNCHES,
            **_OPTIONAL,
            "debug_waits": record(_LIMIT, _WAITS, closed=False),
        },
        closed=False,
    ),
    _references,
)
"""The check of the metadata in a dump."""
