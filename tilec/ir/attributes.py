"""Conversion between MLIR attributes and plain Python values.

Kernel metadata (`tilec.kernel`) lives in the IR as one dictionary attribute, so that a dumped
stage can be resumed exactly. Passes and the artifact writer read and write it through here.
"""

import functools
import marshal
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.integers import i64

PlainValue = bool | int | float | str | list["PlainValue"] | dict[str, "PlainValue"]

KERNEL_ATTRIBUTE = "tilec.kernel"


def integer(op: Any, name: str) -> int:
    """Return the number that attribute `name` of an operation is."""
    return ir.IntegerAttr(op.attributes[name]).value


def integer_or(op: Any, name: str, default: Any) -> Any:
    """Return the same, or `default` where the operation has no such attribute."""
    return integer(op, name) if name in op.attributes else default


def to_attribute(value: PlainValue | Sequence[Any] | Mapping[str, Any]) -> Any:
    """Return `value` as an attribute: bool, i64, f64, string, array or dictionary."""
    if isinstance(value, bool):
        return ir.BoolAttr.get(value)
    if isinstance(value, int):
        return i64(value)
    if isinstance(value, float):
        return ir.FloatAttr.get(ir.F64Type.get(), value, loc=ir.Location.unknown())
    if isinstance(value, str):
        return ir.StringAttr.get(value)
    if isinstance(value, Mapping):
        return ir.DictAttr.get({key: to_attribute(item) for key, item in value.items()})
    return ir.ArrayAttr.get([to_attribute(item) for item in value])


def elements_of(attribute: Any) -> list[Any]:
    """Return the elements of an array attribute, dense or not, or the entries of a dictionary.

    They are read by number, since the bindings end an iteration with a C++ exception, which takes
    longer than reading a short array: 3.7 us against 0.8 us for two elements.
    """
    return [attribute[index] for index in range(len(attribute))]


def to_python(attribute: Any) -> Any:
    """Return the plain value of an attribute that `to_attribute` can make."""
    convert = _CONVERSIONS.get(type(attribute))
    if convert is None:
        raise TypeError(f"no plain value for attribute {attribute}")
    return convert(attribute)


def _dictionary(attribute: Any) -> dict[str, Any]:
    return {item.name: to_python(item.attr) for item in elements_of(attribute)}


def _array(attribute: Any) -> list[Any]:
    return [to_python(item) for item in elements_of(attribute)]


_CONVERSIONS: dict[type, Callable[[Any], Any]] = {
    **dict.fromkeys(
        (ir.BoolAttr, ir.IntegerAttr, ir.FloatAttr, ir.StringAttr), attrgetter("value")
    ),
    **dict.fromkeys(
        (ir.DenseI64ArrayAttr, ir.DenseI32ArrayAttr, ir.DenseBoolArrayAttr), elements_of
    ),
    ir.ArrayAttr: _array,
    ir.DictAttr: _dictionary,
}
"""By class: every pass reads the metadata of a kernel, a hundred attributes."""


def read_kernel_metadata(op: Any) -> dict[str, Any]:
    """Return the `tilec.kernel` dictionary of a kernel operation (empty when it has none)."""
    if KERNEL_ATTRIBUTE not in op.attributes:
        return {}
    entries = elements_of(op.attributes[KERNEL_ATTRIBUTE])
    return {item.name: _fact(item.attr) for item in entries}


def read_kernel_fact(op: Any, key: str, default: Any = None) -> Any:
    """Return one entry of the `tilec.kernel` dictionary; `default` when there is none."""
    if KERNEL_ATTRIBUTE not in op.attributes or key not in op.attributes[KERNEL_ATTRIBUTE]:
        return default
    return _fact(op.attributes[KERNEL_ATTRIBUTE][key])


def _fact(attribute: Any) -> Any:
    """Return a plain value that is the caller's own."""
    is_nested = type(attribute) in (ir.ArrayAttr, ir.DictAttr)
    return marshal.loads(_marshalled(attribute)) if is_nested else to_python(attribute)


@functools.lru_cache(maxsize=256)
def _marshalled(attribute: Any) -> bytes:
    """Return the value of an attribute as bytes, of which a value is made in a tenth of the time.

    Attributes that are equal are the same object, and passes read the same ones again and again.
    """
    return marshal.dumps(to_python(attribute))


def write_kernel_metadata(op: Any, metadata: Mapping[str, Any]) -> None:
    """Replace the `tilec.kernel` dictionary of a kernel operation."""
    op.attributes[KERNEL_ATTRIBUTE] = to_attribute(metadata)


def write_kernel_facts(op: Any, **facts: Any) -> None:
    """Set entries of the `tilec.kernel` dictionary of a kernel operation; the others stay."""
    known = op.attributes.get(KERNEL_ATTRIBUTE, ())
    entries = {item.name: item.attr for item in elements_of(known)}
    entries |= {name: to_attribute(value) for name, value in facts.items()}
    op.attributes[KERNEL_ATTRIBUTE] = ir.DictAttr.get(entries)
