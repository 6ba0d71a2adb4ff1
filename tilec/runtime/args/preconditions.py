"""What a compiled variant assumes about its arguments, checked before it is launched.

The metadata of a kernel states every assumption twice: as facts (strides, alignment, divisors)
and as readable sentences. The facts are checked here; a sentence adds something only when it is
an expression over dims and scalars, such as `K % 64 == 0`. Address and strides of an array without
elements may be anything, since nothing is read or written there.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tilec.request.specialization import VECTOR_BYTES
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.args.arrays import ArrayView
from tilec.runtime.launch.expressions import ExpressionError, evaluate

_STATED_AS_FACT = re.compile(r"\w+\.strides\[\d+\] == \d+|\w+ is \d+-byte aligned\b.*")


def broken_preconditions(metadata: Mapping[str, Any], arguments: BoundArguments) -> Iterator[str]:
    """Yield what the arguments break, one sentence each.

    Args:
        metadata: The `tilec.kernel` dictionary of a compiled kernel.
        arguments: Arguments that satisfy the kernel's interface.
    """
    for declared in metadata["arrays"]:
        yield from _array_facts(declared, arguments.arrays[declared["name"]])
    environment = {**metadata.get("constants", {}), **arguments.environment()}
    yield from _divisors(metadata, arguments)
    for text in metadata.get("preconditions", ()):
        if _STATED_AS_FACT.fullmatch(text):
            continue
        try:
            holds = bool(evaluate(text, environment))
        except ExpressionError as failure:
            yield f"'{text}' cannot be checked: {failure}"
            continue
        if not holds:
            yield f"it was compiled for {text}{_values(text, environment)}"


def _array_facts(declared: Mapping[str, Any], array: ArrayView) -> Iterator[str]:
    name = declared["name"]
    if array.dtype != declared["dtype"] and (array.dtype, declared["dtype"]) != ("f32", "tf32"):
        yield f"{name} has element type {array.dtype}, but it was compiled for {declared['dtype']}"
    if 0 in array.shape:
        return
    stepped = [axis for axis, extent in enumerate(array.shape) if extent != 1]
    strides = declared["strides"]
    for axis in stepped:
        if 0 <= strides[axis] != array.strides[axis]:
            yield (
                f"{name}.strides[{axis}] is {array.strides[axis]} elements, but it was compiled "
                f"for {strides[axis]}"
            )
    run_time_axes = [axis for axis in stepped if strides[axis] < 0]
    yield from _alignment(name, array, run_time_axes, _alignment_of(declared))


def _alignment_of(declared: Mapping[str, Any]) -> int:
    """Return the alignment that was compiled in; packages of format 2 know 16 bytes alone."""
    return declared.get("alignment", VECTOR_BYTES if declared.get("aligned", False) else 1)


def _alignment(
    name: str, array: ArrayView, run_time_axes: Iterable[int], alignment: int
) -> Iterator[str]:
    if array.pointer % alignment:
        yield f"the address of {name}, {array.pointer:#x}, is not a multiple of {alignment}"
    which = "positive multiples" if alignment == VECTOR_BYTES else "multiples"
    for axis in run_time_axes:
        pitch = array.strides[axis] * array.item_bytes
        if pitch % alignment or (pitch <= 0 and alignment == VECTOR_BYTES):
            yield (
                f"{name}.strides[{axis}] is {pitch} bytes, but it was compiled for {which} of "
                f"{alignment}"
            )


def _divisors(metadata: Mapping[str, Any], arguments: BoundArguments) -> Iterator[str]:
    """Check `div_by` of every parameter: bytes for pointers, else units of the value."""
    known = {item["name"]: _alignment_of(item) for item in metadata["arrays"]}
    empty = {name for name, array in arguments.arrays.items() if 0 in array.shape}
    for item in metadata["params"]:
        divisor = item.get("div_by", 1)
        if divisor <= 1 or item["kind"] == "grid":
            continue
        if item["kind"] in ("pointer", "stride") and item["array"] in empty:
            continue
        if _follows_from(known.get(item.get("array"), 1), item, divisor, arguments):
            continue
        if item["kind"] == "scalar":
            name, value = item["name"], arguments.scalars[item["name"]]
        else:
            array = arguments.arrays[item["array"]]
            axis = item.get("axis", 0)
            if item["kind"] == "pointer":
                name, value = f"the address of {item['array']}", array.pointer
            elif item["kind"] == "dim":
                name, value = item["name"], array.shape[axis]
            elif array.shape[axis] == 1:
                continue
            else:
                name, value = f"{item['array']}.strides[{axis}]", array.strides[axis]
        if value % divisor:
            yield f"{name} is {value}, but it was compiled for multiples of {divisor}"


def _follows_from(
    alignment: int, item: Mapping[str, Any], divisor: int, arguments: BoundArguments
) -> bool:
    """Tell whether the alignment of an array, which is checked for itself, implies a divisor."""
    if item["kind"] == "pointer":
        return alignment % divisor == 0
    return item["kind"] == "stride" and (
        alignment % (divisor * arguments.arrays[item["array"]].item_bytes) == 0
    )


def _values(text: str, environment: Mapping[str, Any]) -> str:
    used = [name for name in environment if re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text)]
    return f", but {', '.join(f'{name} is {environment[name]}' for name in used)}" if used else ""
