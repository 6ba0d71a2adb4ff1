"""What an expression can evaluate to while a kernel is analysed."""

from collections.abc import Callable
from typing import Any, Self

from tilec.frontend.semantics import hir
from tilec.frontend.semantics.constant_evaluator import shown
from tilec.frontend.semantics.signature import ArrayParam
from tilec.frontend.syntax import ast
from tilec.support.diagnostics import SourceSpan
from tilec.support.dtypes import DType
from tilec.support.fast_dataclasses import dataclass


class AutoInt(int):
    """The provisional value of an `auto` constant while the planner's questions are collected.

    It computes like an `int`; the name survives where the value itself is used, which tells which
    constant a tile extent is.
    """

    name: str

    def __new__(cls, value: int, name: str) -> Self:
        """Make the number `value` that remembers the constant `name`."""
        result = super().__new__(cls, value)
        result.name = name
        return result


@dataclass(frozen=True, slots=True)
class Constant:
    """A compile-time value: bool, int, float, str, None or `...`; it adapts to other dtypes."""

    value: Any
    span: SourceSpan


@dataclass(frozen=True, slots=True)
class DTypeValue:
    """An element type used as a value."""

    dtype: DType


@dataclass(frozen=True, slots=True)
class TextValue:
    """A string with values of the running kernel in it: texts, and values with their formats."""

    parts: tuple["str | tuple[hir.Value, str]", ...] = ()

    def joined(self, other: "TextValue") -> "TextValue":
        """Return both, one after the other."""
        return TextValue((*self.parts, *other.parts))

    def constant(self, span: SourceSpan) -> "AnyValue":
        """Return the string as a constant, if it has no values of the running kernel."""
        texts = [part for part in self.parts if isinstance(part, str)]
        return Constant("".join(texts), span) if len(texts) == len(self.parts) else self


@dataclass(frozen=True, slots=True)
class TupleValue:
    """A tuple of values; `size` counts those of tuples in it, too."""

    items: tuple["AnyValue", ...]
    size: int = 0

    def __post_init__(self) -> None:
        """Count the values."""
        sizes = (item.size if isinstance(item, TupleValue) else 1 for item in self.items)
        object.__setattr__(self, "size", sum(sizes))


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """An array parameter: `shape` as values, and the tensor view that loads and stores use."""

    param: ArrayParam
    dtype: DType
    shape: tuple["AnyValue", ...]
    strides: tuple["AnyValue", ...]
    view: hir.Value


@dataclass(frozen=True, slots=True)
class ViewValue:
    """An array cut into tiles, from `make_partition_view`; `pad` is what lies outside."""

    array: ArrayValue
    value: hir.Value
    pad: Constant | None
    span: SourceSpan

    @property
    def type(self) -> hir.PartitionViewType:
        """Type of the partition view."""
        assert isinstance(self.value.type, hir.PartitionViewType)
        return self.value.type


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A helper or kernel of a module, or a function that is defined inside one.

    Attributes:
        definition: The function.
        module: Where its global names are looked up.
        closure: The `context.Frame` of the function around it; None at the top of a file.
        defaults: Names and values of its defaults; for a function at the top of a file these are
            evaluated when it is called.
    """

    definition: ast.FunctionDef
    module: ast.Module
    closure: Any = None
    defaults: tuple[tuple[str, "AnyValue"], ...] = ()


@dataclass(frozen=True, slots=True)
class BuiltinValue:
    """A builtin function, with the value before the dot when it is used as a method."""

    name: str
    call: Callable[..., "AnyValue"]
    receiver: "AnyValue | None" = None


@dataclass(frozen=True, slots=True)
class NamespaceValue:
    """An imported module such as `tl` in `tl.load`.

    Attributes:
        name: Its dotted name.
        members: What it holds; None for a library, whose names mean tilec's or nothing.
    """

    name: str
    members: ast.Namespace | None = None


@dataclass(frozen=True, slots=True)
class NoneValue:
    """What a call without a result gives."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """A variable that cannot be read here, and why.

    Attributes:
        reason: What happened, to follow the variable's name.
        span: Where it was assigned.
        code: Code of the error when it is read.
        is_silent: An error about it was reported before; reading it says nothing more.
        hint: How to give it a value, where `{}` is its name.
    """

    reason: str
    span: SourceSpan | None
    code: str = "T0202"
    is_silent: bool = False
    hint: str = ""


AnyValue = (
    Constant
    | hir.Value
    | DTypeValue
    | TextValue
    | TupleValue
    | ArrayValue
    | ViewValue
    | FunctionValue
    | BuiltinValue
    | NamespaceValue
    | NoneValue
    | Unusable
)


def describe(value: AnyValue) -> str:
    """Return what a value is, for messages: `a 128x64 tile of bf16`, `the number 3`."""
    if isinstance(value, Constant):
        return f"the constant {shown(value.value)}"
    if isinstance(value, hir.Value):
        return describe_type(value.type)
    if isinstance(value, TupleValue):
        return f"a tuple of {len(value.items)}"
    if isinstance(value, ArrayValue):
        return f"the array '{value.param.name}'"
    if isinstance(value, ViewValue):
        return f"a view of the array '{value.array.param.name}'"
    return _describe_name(value)


def _describe_name(value: AnyValue) -> str:
    """Return what a value without data in the running kernel is."""
    if isinstance(value, DTypeValue):
        return f"the type {value.dtype.name}"
    if isinstance(value, FunctionValue):
        return f"the function '{value.definition.name}'"
    if isinstance(value, BuiltinValue):
        return f"the builtin '{value.name}'"
    if isinstance(value, NamespaceValue):
        return f"the module '{value.name}'"
    if isinstance(value, TextValue):
        return "a string that only the running kernel knows"
    return "no value"


def describe_type(kind: hir.Type) -> str:
    """Return what a type is, for messages."""
    if isinstance(kind, hir.TileType):
        unit = "-element" if len(kind.shape) == 1 else ""
        return f"a {hir.shape_text(kind.shape)}{unit} tile of {kind.dtype.name}"
    if isinstance(kind, hir.ScalarType):
        return f"a scalar of {kind.dtype.name}"
    return f"a {kind}"
