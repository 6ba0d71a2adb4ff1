"""Integers in the IR: attributes of 64 bits, as operations have them, and constants."""

from typing import Any

from tilec.ir.bindings import arith, ir


def i32(number: int) -> Any:
    """Return an attribute of type i32."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), number)


def i64(number: int) -> Any:
    """Return an attribute of type i64."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)


def constant(number: int, width: int = 32) -> Any:
    """Emit a constant of `width` bits; return its value."""
    return arith.constant(ir.IntegerType.get_signless(width), number)


def equal(value: Any, other: Any) -> Any:
    """Emit whether two integers are equal."""
    return arith.cmpi(arith.CmpIPredicate.eq, value, other)
