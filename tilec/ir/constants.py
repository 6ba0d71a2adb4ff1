"""Constant tiles whose elements are all equal."""

from typing import Any

from tilec.ir.bindings import arith, ir


def repeated(type_: Any, number: float) -> Any:
    """Return the attribute of a tile of type `type_` whose elements are all `number`."""
    element = type_.element_type
    is_float = isinstance(element, ir.FloatType)
    one = (
        ir.FloatAttr.get(element, number) if is_float else ir.IntegerAttr.get(element, int(number))
    )
    return ir.DenseElementsAttr.get_splat(type_, one)


def resized(splat: Any, type_: Any) -> Any:
    """Return the attribute of a tile of type `type_` that repeats the element of another one."""
    return ir.DenseElementsAttr.get_splat(type_, ir.DenseElementsAttr(splat).get_splat_value())


def full(type_: Any, number: float) -> Any:
    """Emit a tile of type `type_` whose elements are all `number`."""
    return arith.constant(type_, repeated(type_, number))
