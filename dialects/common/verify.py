"""Helpers for the verifiers of Python-defined operations."""

import functools
from collections.abc import Callable
from typing import Any

from tilec.ir.bindings import ir
from tilec.ir.segments import find_segment_error

I32_BITS = 32


def report(op: Any, message: str) -> bool:
    """Emit `message` as an error of `op` in MLIR's form and return False, the verdict."""
    op.location.emit_error(f"'{op.OPERATION_NAME}' op {message}")
    return False


def verify_fields(op: Any, find_error: Callable[[], str | None]) -> bool:
    """Report the message that `find_error` returns at the location of `op`; return the verdict.

    An operation that lacks a declared field passes here, because the bindings check the fields
    after this and report it. They do not report all wrong numbers of operands and results.
    """
    try:
        message = find_error()
    except (KeyError, IndexError):
        message = find_segment_error(op)
    except (
        AttributeError,
        TypeError,
        ValueError,
    ) as failure:  # of a cast: a parameter is not what it must be
        message = f"has a malformed type or attribute: {failure}"
    return message is None or report(op, message)


def total(verify: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Let a verifier that reports what it finds itself meet operations that lack fields, too.

    What is missing the bindings report after it; fields of a wrong kind are reported here.
    """

    @functools.wraps(verify)
    def run(op: Any) -> bool:
        try:
            return verify(op)
        except (KeyError, IndexError):
            return True
        except (AttributeError, TypeError, ValueError) as failure:
            return report(op, f"has a malformed type or attribute: {failure}")

    return run


def check_counts(op: Any) -> bool:
    """Report a wrong number of operands or results: there are no fields to check then."""
    message = find_segment_error(op)
    return message is None or report(op, message)


def is_i32(type_: Any) -> bool:
    """Tell whether `type_` is the signless 32-bit integer type."""
    return isinstance(type_, ir.IntegerType) and type_.width == I32_BITS


def is_i1(type_: Any) -> bool:
    """Tell whether `type_` is the type of a predicate."""
    return isinstance(type_, ir.IntegerType) and type_.width == 1


def is_float(type_: Any) -> bool:
    """Tell whether `type_` is a floating-point type, 8-bit formats included."""
    return isinstance(type_, ir.FloatType)


def static_tensor(type_: Any) -> bool:
    """Tell whether `type_` is a ranked tensor of positive constant extents."""
    return (
        isinstance(type_, ir.RankedTensorType)
        and type_.has_static_shape
        and all(extent > 0 for extent in type_.shape)
    )


def shape_text(shape: Any) -> str:
    """Return a shape as it is written in messages: `128x64`."""
    return "x".join(str(extent) for extent in shape)
