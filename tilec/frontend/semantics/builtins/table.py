"""The builtins by name, and how their arguments are bound and checked.

A builtin is a Python function `(call, argument, ..., *, keyword=...)` registered with `@builtin`;
its parameters are `Argument`s. The Python signature is the signature that users see, and the
docstring, the element types and the operations are what docs/language.md says about it.
"""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.context import Context, SemanticError
from tilec.frontend.semantics.hints import dtype_hint, tuple_hint
from tilec.frontend.semantics.not_yet import Usage, lacking
from tilec.frontend.semantics.values import (
    AnyValue,
    ArrayValue,
    BuiltinValue,
    Constant,
    DTypeValue,
    TupleValue,
    describe,
)
from tilec.frontend.syntax import ast
from tilec.support.diagnostics import Diagnostic, SourceSpan
from tilec.support.dtypes import DTYPES, DType, Kind
from tilec.support.fast_dataclasses import dataclass
from tilec.support.suggest import did_you_mean

BuiltinFunction = Callable[..., AnyValue]
BUILTINS: dict[str, BuiltinFunction] = {}
"""Every builtin by its name in the language."""
ANY_TYPE: tuple[str, ...] = tuple(DTYPES)
"""Every element type."""
ARITHMETIC: tuple[str, ...] = tuple(
    name for name, dtype in DTYPES.items() if dtype.kind is not Kind.RESTRICTED_FLOAT
)
"""The element types with arithmetic."""


class BuiltinFacts(NamedTuple):
    """What the documentation says about a builtin, besides its name and arguments.

    Attributes:
        summary: What it does; one or two sentences.
        dtypes: Element types that its operands may have; empty where none matters.
        operations: The operations of cuda_tile that it becomes; empty if the compiler computes the
            result itself, or with scalar arithmetic.
    """

    summary: str
    dtypes: tuple[str, ...]
    operations: tuple[str, ...]


FACTS: dict[str, BuiltinFacts] = {}
"""The facts of every builtin by its name."""
METHODS = {
    "astype": "cast",
    "reshape": "reshape",
    "permute": "permute",
    "transpose": "transpose",
    "broadcast_to": "broadcast_to",
    "expand_dims": "expand_dims",
    "extract": "extract",
    "insert": "insert",
    "flip": "flip",
    "bitcast": "bitcast",
    "sum": "sum",
    "prod": "prod",
    "max": "max",
    "min": "min",
    "argmax": "argmax",
    "argmin": "argmin",
    "any": "any",
    "all": "all",
    "reduce": "reduce",
    "scan": "scan",
    "item": "item",
    "cumsum": "cumsum",
    "cumprod": "cumprod",
}
"""Builtins that can be called as methods of a tile: method name -> builtin name."""
METHOD_FORMS: dict[str, BuiltinFunction] = {}
"""Methods that take other arguments than the builtin of their name."""


def builtin(
    name: str, dtypes: tuple[str, ...] = (), *operations: str
) -> Callable[[BuiltinFunction], BuiltinFunction]:
    """Register the decorated function as builtin `name`.

    Args:
        name: Name in the language.
        dtypes: Element types that its operands may have.
        operations: Names of the cuda_tile operations that it becomes.
    """

    def register(function: BuiltinFunction) -> BuiltinFunction:
        BUILTINS[name] = function
        summary = " ".join((function.__doc__ or "").split())
        FACTS[name] = BuiltinFacts(summary, dtypes, operations)
        return function

    return register


def method(name: str) -> Callable[[BuiltinFunction], BuiltinFunction]:
    """Register the decorated function as what builtin `name` is as a method of a tile."""

    def register(function: BuiltinFunction) -> BuiltinFunction:
        METHOD_FORMS[name] = function
        return function

    return register


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call: its value and where it is written."""

    value: AnyValue
    span: SourceSpan


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a builtin, with checks that name the builtin in their messages."""

    ctx: Context
    name: str
    span: SourceSpan

    def fail(
        self,
        code: str,
        message: str,
        span: SourceSpan | None = None,
        *,
        hint: str | None = None,
        notes: tuple[Diagnostic, ...] | list[Diagnostic] = (),
    ) -> SemanticError:
        """Return the error to raise, with the builtin's name in front."""
        text = f"{self.name}: {message}"
        return self.ctx.fail(code, text, span or self.span, hint=hint, notes=notes)

    def number(self, argument: Argument) -> Constant | hir.Value:
        """Return a number or tile."""
        return numeric.require_number(self.ctx, argument.value, argument.span, self.name)

    def tile(self, argument: Argument, what: str = "expected a tile") -> hir.Value:
        """Return a tile."""
        value = argument.value
        if isinstance(value, hir.Value) and isinstance(value.type, hir.TileType):
            return value
        raise self.fail("T0311", f"{what}, found {describe(value)}", argument.span)

    def array(self, argument: Argument) -> ArrayValue:
        """Return an array parameter."""
        if isinstance(argument.value, ArrayValue):
            return argument.value
        message = f"expected an array, found {describe(argument.value)}"
        hint = None
        if numeric.is_tile(argument.value):
            hint = "'store' the tile to an array first, and take that array"
        raise self.fail("T0311", message, argument.span, hint=hint)

    def integer(self, argument: Argument, what: str) -> int:
        """Return a compile-time integer."""
        return self.integer_value(argument.value, argument.span, what)

    def integer_value(self, value: AnyValue, span: SourceSpan, what: str) -> int:
        """Return a compile-time integer from a value."""
        if isinstance(value, Constant) and _is_integer(value.value):
            return value.value
        message = f"{what} must be a compile-time integer, found {describe(value)}"
        raise self.fail("T0403", message, span, hint=self._how_to_make_constant(value))

    def _how_to_make_constant(self, value: AnyValue) -> str | None:
        """Return how the compiler would know the number `value`; None for anything else."""
        if not isinstance(value, hir.Value):
            return None
        name = self.ctx.host_names.get(value, "")
        if name.isidentifier():
            return f"add '{name}: const' to the parameters; a dim still gets its value from arrays"
        hint = "make it a 'const' parameter"
        if self.ctx.frame.loop_depth:
            hint += "; loops over 'static_range' are unrolled, and keep what they count constant"
        return hint

    def integers(self, argument: Argument, what: str) -> tuple[int, ...]:
        """Return a tuple of compile-time integers; one integer stands for a tuple of one."""
        value = argument.value
        items = value.items if isinstance(value, TupleValue) else (value,)
        return tuple(self.integer_value(item, argument.span, what) for item in items)

    def shape(self, argument: Argument) -> tuple[int, ...]:
        """Return a tile shape, checked against the rules for tiles."""
        shape = self.integers(argument, "the extents of a tile")
        if not shape:
            raise self.fail("T0303", "a tile has at least one axis", argument.span)
        numeric.check_tile_shape(self.ctx, shape, argument.span, self.name)
        return shape

    def dtype(self, argument: Argument) -> DType:
        """Return an element type."""
        if isinstance(argument.value, DTypeValue):
            return argument.value.dtype
        message = f"expected an element type such as f32, found {describe(argument.value)}"
        raise self.fail("T0311", message, argument.span, hint=dtype_hint(argument.value))

    def axis(self, argument: Argument | None, rank: int, what: str = "a tile") -> int:
        """Return an axis of `what`, from the end when negative; only one axis needs no argument."""
        if argument is None:
            if rank == 1:
                return 0
            message = f"argument 'axis' is missing: the tile has {rank} axes"
            raise self.fail("T0310", message, hint=f"write '{self.name}(x, axis=0)'")
        axis = self.integer(argument, "the axis")
        if not -rank <= axis < rank:
            message = f"axis {int(axis)} is outside {what} of rank {rank}"
            known = "only axis 0" if rank == 1 else f"axes 0 to {rank - 1}"
            hint = f"it has {known}; -1 is the last one"
            raise self.fail("T0301", message, argument.span, hint=hint)
        return int(axis) % rank

    def axes(self, argument: Argument | None, rank: int) -> tuple[int, ...]:
        """Return one axis or several, ascending; all of them by default."""
        if argument is None or (
            isinstance(argument.value, Constant) and argument.value.value is None
        ):
            return tuple(range(rank))
        value = argument.value
        items = value.items if isinstance(value, TupleValue) else (value,)
        found = [self.axis(Argument(item, argument.span), rank) for item in items]
        if len(set(found)) != len(found) or not found:
            raise self.fail("T0301", "expected every axis once", argument.span)
        return tuple(sorted(found))

    def flag(self, argument: Argument, what: str) -> bool:
        """Return a compile-time bool."""
        if isinstance(argument.value, Constant) and isinstance(argument.value.value, bool):
            return argument.value.value
        message = f"{what} must be True or False, found {describe(argument.value)}"
        raise self.fail("T0403", message, argument.span)

    def is_set(self, argument: Argument | None, what: str) -> bool:
        """Return an optional compile-time bool, which is False by default."""
        return argument is not None and self.flag(argument, what)


def call_builtin(ctx: Context, target: BuiltinValue, node: ast.Call) -> AnyValue:
    """Bind the arguments of a call and run the builtin."""
    call = Call(ctx, target.name, node.span)
    positional = [Argument(ctx.evaluate(item), item.span) for item in node.arguments]
    if target.receiver is not None:
        span = node.function.value.span if isinstance(node.function, ast.Attribute) else node.span
        positional.insert(0, Argument(target.receiver, span))
    keywords = {
        item.name: Argument(ctx.evaluate(item.value), item.value.span) for item in node.keywords
    }
    _check_binding(call, target, positional, node, keywords)
    return target.call(call, *positional, **keywords)


def _check_binding(
    call: Call,
    target: BuiltinValue,
    positional: list[Argument],
    node: ast.Call,
    keywords: dict[str, Any],
) -> None:
    parameters = list(inspect.signature(target.call).parameters.values())[1:]
    names = [item.name for item in parameters if item.kind is not item.VAR_POSITIONAL]
    for keyword in node.keywords:
        if keyword.name not in names:
            entry = lacking(Usage.ARGUMENT, keyword.name)
            if entry is not None:
                message = entry.message(keyword.name)
                raise call.fail("T0310", message, keyword.span, hint=entry.hint)
            hint = did_you_mean(keyword.name, names)
            message = f"there is no argument '{keyword.name}'"
            raise call.fail("T0310", message, keyword.span, hint=hint)
    slots = [item.name for item in parameters if item.kind is item.POSITIONAL_OR_KEYWORD]
    takes_more = any(item.kind is item.VAR_POSITIONAL for item in parameters)
    if len(positional) > len(slots) and not takes_more:
        message = f"takes {len(slots)} arguments, found {len(positional)}"
        hint = tuple_hint(call.name, slots, [item.value for item in positional])
        hint = hint or f"write '{usage(call.name, target.call)}'"
        raise call.fail("T0310", message, positional[len(slots)].span, hint=hint)
    given = set(slots[: len(positional)])
    for name in keywords:
        if name in given:
            raise call.fail("T0310", f"argument '{name}' is given twice")
    for item in parameters:
        is_missing = item.default is item.empty and item.kind is not item.VAR_POSITIONAL
        if is_missing and item.name not in given and item.name not in keywords:
            hint = f"write '{usage(call.name, target.call)}'"
            raise call.fail("T0310", f"argument '{item.name}' is missing", hint=hint)


def usage(name: str, function: BuiltinFunction) -> str:
    """Return how a builtin is called, without keyword-only arguments: `mma(a, b, acc)`."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    shown = [f"{item.name}, ..." if item.kind is item.VAR_POSITIONAL else item.name
             for item in parameters if item.kind is not item.KEYWORD_ONLY]  # fmt: skip
    return f"{name}({', '.join(shown)})"
