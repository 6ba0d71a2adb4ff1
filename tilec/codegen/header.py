"""The comment block at the top of the PTX: all that others need to launch the kernel.

The launch conditions of a kernel are invisible in PTX (which parameter is which array, how the
tensor maps are encoded, how many blocks), so they are written down where the code is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

from tilec.codegen.artifact import Artifact, KernelImage, Workspace
from tilec.request.prints import BUFFER_BYTES, HEADER_BYTES, PRINT_BUFFER
from tilec.request.wait_records import DEBUG_BUFFER, RECORD_BYTES

_RULE = "// " + "-" * 77
_STRIDE_TYPE = "i64"
_EXTENT_TYPE = "i32"
_TENSOR_MAP_BYTES = 128
"""Size of a CUtensorMap (cuda.h)."""
_TENSOR_MAP_ALIGNMENT = 64
_HIDDEN = {
    DEBUG_BUFFER: f"address of {RECORD_BYTES} zero bytes; not zero after a failure",
    PRINT_BUFFER: f"address of {BUFFER_BYTES} bytes, the first {HEADER_BYTES} of them zero",
}
_BLOCK = re.compile(rf"\A{re.escape(_RULE)}\n(?://[^\n]*\n)*?{re.escape(_RULE)}\n")


def header_comment(artifact: Artifact) -> str:
    """Return the comment block for the PTX of `artifact`, ending in a line break."""
    lines: list[str] = []
    for position, image in enumerate(artifact.kernels):
        lines += _kernel_lines(artifact, image, position)
    if artifact.workspaces:
        lines += ["", *(line for item in artifact.workspaces for line in _workspace_lines(item))]
    commented = (f"// {line}".rstrip() for line in lines)
    return "\n".join([_RULE, *commented, _RULE]) + "\n"


def strip_header(ptx: str) -> str:
    """Return `ptx` without a comment block of `header_comment` at its top."""
    return _BLOCK.sub("", ptx, count=1)


def _kernel_lines(artifact: Artifact, image: KernelImage, position: int) -> Iterator[str]:
    metadata = image.metadata
    if position:
        yield ""
    place = f" ({position + 1} of {len(artifact.kernels)})" if len(artifact.kernels) > 1 else ""
    source = f" from {metadata['source']}" if metadata.get("source") else ""
    yield (
        f"kernel {image.name}{place}, compiled{source} for {artifact.target}"
        f" by tilec {artifact.compiler}"
    )
    if metadata.get("variant"):
        yield f"planned for: {metadata['variant']} (any launch is right)"
    constants = metadata.get("constants") or {}
    if constants:
        yield "constants: " + ", ".join(f"{name} = {value}" for name, value in constants.items())
    yield "parameters, in order:"
    yield from _parameter_lines(artifact, metadata)
    yield from _tensor_map_lines(metadata)
    yield f"grid: {_grid(metadata)}"
    yield f"block: {metadata.get('block_threads', '?')} threads"
    cluster = metadata.get("cluster") or [1, 1, 1]
    allowed = ", which the kernel must be allowed (cuFuncSetAttribute)" * (prod(cluster) > 8)
    yield f"cluster: {' x '.join(map(str, cluster))} blocks{allowed}"
    if metadata.get("dependent_launch"):
        yield "launch: may overlap the kernel before (programmatic dependent launch); optional"
    if metadata.get("cooperative_launch"):
        yield "launch: cooperative, as blocks wait for each other: all must run at the same time"
    yield f"dynamic shared memory: {metadata.get('shared_bytes', 0)} bytes"
    yield from _list_lines("preconditions", metadata.get("preconditions") or ())


def _parameter_lines(artifact: Artifact, metadata: Mapping[str, Any]) -> Iterator[str]:
    arrays = {item["name"]: item for item in metadata.get("arrays", ())}
    rows = [_describe_parameter(item, arrays, metadata) for item in metadata.get("params", ())]
    for index, recipe in enumerate(metadata.get("tensor_maps", ())):
        kind = f"{_TENSOR_MAP_BYTES} bytes aligned to {_TENSOR_MAP_ALIGNMENT}"
        rows.append((f"tensor map {index}", kind, f"of {recipe['array']}, see below"))
    hidden = {item.name: "address of device memory, see below" for item in artifact.workspaces}
    hidden |= _HIDDEN
    rows += [
        (item.name, item.dtype, hidden.get(item.name, "")) for item in artifact.hidden_parameters
    ]
    names = max((len(name) for name, _, _ in rows), default=0)
    kinds = max((len(kind) for _, kind, _ in rows), default=0)
    for index, (name, kind, detail) in enumerate(rows):
        yield f"  {index:>2}  {name:<{names}}  {kind:<{kinds}}  {detail}".rstrip()


def _describe_parameter(
    item: Mapping[str, Any], arrays: Mapping[str, Mapping[str, Any]], metadata: Mapping[str, Any]
) -> tuple[str, str, str]:
    """Return name, type and remark of one parameter."""
    kind = item["kind"]
    divisor = item.get("div_by", 1)
    multiple = f"a multiple of {divisor}" if divisor > 1 else ""
    if kind == "pointer":
        array = arrays.get(item["array"], {})
        access = {"read": "read", "write": "written", "readwrite": "read and written"}
        detail = _join(multiple, access.get(array.get("access", ""), ""))
        return item["array"], f"address of {array.get('dtype', '?')}", detail
    if kind == "stride":
        detail = _join("in elements", multiple)
        return f"{item['array']}.strides[{item['axis']}]", _STRIDE_TYPE, detail
    if kind == "dim":
        places = (metadata.get("dims") or {}).get(item["name"]) or [[item["array"], item["axis"]]]
        equal = " = ".join(f"{array}.shape[{axis}]" for array, axis in places)
        return item["name"], _EXTENT_TYPE, _join(equal if equal != item["name"] else "", multiple)
    if kind == "grid":
        return f"grid[{item['axis']}]", _EXTENT_TYPE, "blocks along this axis"
    if kind == "scalar":
        return item["name"], item["dtype"], multiple
    return str(item.get("name", kind)), str(item.get("dtype", "?")), kind


def _tensor_map_lines(metadata: Mapping[str, Any]) -> Iterator[str]:
    recipes = metadata.get("tensor_maps") or ()
    if not recipes:
        return
    yield "tensor maps, by cuTensorMapEncodeTiled: the strides are those of the array, interleave"
    yield "none, out-of-bounds elements zero; axes outermost first here, last for the call:"
    for index, recipe in enumerate(recipes):
        array = recipe["array"]
        axes = ", ".join(f"{array}.shape[{axis}]" for axis in recipe["axes"])
        use = "load" if recipe.get("load", True) else "store"
        yield f"  {index}: {use} of {array}, {recipe['dtype']}, extents ({axes}),"
        steps = recipe.get("element_strides") or [1] * len(recipe["box"])
        yield (
            f"     box {_tuple(recipe['box'])}, element strides {_tuple(steps)},"
            f" swizzle {_bytes(recipe['swizzle'])},"
            f" L2 promotion {_bytes(recipe.get('l2_promotion', 0))}"
        )


def _grid(metadata: Mapping[str, Any]) -> str:
    extents: Sequence[str] = metadata.get("grid") or ()
    cluster: Sequence[int] = metadata.get("cluster_tiles") or (1, 1)
    first = len(extents) - len(cluster)
    whole = [
        f"cdiv({text}, {size}) * {size}" if size > 1 else text
        for text, size in zip(extents[first:], cluster, strict=False)
    ]
    tiles = [*extents[:first], *whole] if first >= 0 else extents
    product = " * ".join(f"({text})" if len(tiles) > 1 else text for text in tiles)
    ctas = prod(metadata.get("cluster") or (1,))
    together = ctas // prod(metadata.get("cluster_tiles") or (ctas,))
    if extents and together > 1:
        product = f"({product}) * {together}"
    if metadata.get("persistent"):
        work = f"{product} tiles" if extents else "the tiles of the grid that the caller gives"
        if metadata.get("split_k", 1) > 1:
            work = f"{metadata['split_k']} splits of {work}"
        each = (metadata.get("plan") or {}).get("blocks_per_sm", 1)
        unit = "one block per SM" if each == 1 else f"{each} blocks per SM"
        unit += " in whole clusters" * (prod(cluster) > 1)
        return f"gridDim.x = at most {unit}; the blocks loop over {work}"
    if not extents:
        return "given by the caller, flattened into gridDim.x"
    return f"gridDim.x = {product}"


def _workspace_lines(workspace: Workspace) -> Iterator[str]:
    yield f"{workspace.name}: {workspace.size} bytes aligned to {workspace.alignment}"
    if workspace.zeroed:
        yield "  zeros before the first launch; every launch leaves zeros for the next one"
    else:
        yield "  of any content"
    yield "  of one launch at a time"


def _list_lines(title: str, items: Sequence[str]) -> Iterator[str]:
    yield f"{title}:" if items else f"{title}: none"
    yield from (f"  {item}" for item in items)


def _tuple(values: Sequence[int]) -> str:
    return f"({', '.join(map(str, values))})"


def _bytes(count: int) -> str:
    return f"{count} bytes" if count else "none"


def _join(*parts: str) -> str:
    return ", ".join(part for part in parts if part)
