"""Annotations of variables and of helpers' parameters: honoured, or refused."""

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.values import AnyValue, Constant, DTypeValue, describe
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.qualified import language_name, settle
from tilec.support.diagnostics import SourceSpan
from tilec.support.dtypes import DTYPES, DType

_PYTHON_TYPES = {"int": int, "float": float, "bool": bool, "str": str}


def annotated(
    ctx: Context, name: str, annotation: ast.Expression, value: AnyValue, span: SourceSpan
) -> AnyValue:
    """Return the value of `name: annotation = value`.

    A number of the source becomes a scalar of the type that the annotation names.

    Args:
        ctx: The analysis.
        name: The variable.
        annotation: An element type, one with extents, `const`, `dtype`, or a type of Python.
        value: What is assigned.
        span: Where the value is written.

    Raises:
        SemanticError: The value is something else, or the annotation is no type (T0321).
    """
    word = language_name(annotation, ctx.frame.module)
    if word in ("const", "dtype") or word in _PYTHON_TYPES:
        _check_word(ctx, name, word or "", value, span)
        return value
    dtype, shape = _type(ctx, annotation)
    if isinstance(value, Constant) and shape is None and numeric.is_number(value):
        _check_kind(ctx, name, value, dtype, span)
        return numeric.convert(ctx, value, dtype, span)
    _check_type(ctx, name, value, dtype, shape, span)
    return value


def check_parameter(
    ctx: Context, parameter: ast.Parameter, module: ast.Module, value: AnyValue, span: SourceSpan
) -> None:
    """Raise when an argument has another type than the parameter's annotation names.

    Other annotations say nothing. A number of the source stays one.
    """
    annotation = parameter.annotation
    if annotation is None:
        return
    word = language_name(annotation, module)
    name, owner = settle(annotation, module)
    known = owner.globals.get(name.id) if isinstance(name, ast.Name) else None
    dtype = known if isinstance(known, DType) else DTYPES.get(word or "")
    if word in ("const", "dtype"):
        _check_word(ctx, parameter.name, word or "", value, span)
    elif dtype is not None and isinstance(value, Constant) and numeric.is_number(value):
        _check_kind(ctx, parameter.name, value, dtype, span)
    elif dtype is not None:
        _check_type(ctx, parameter.name, value, dtype, None, span)


def _type(ctx: Context, node: ast.Expression) -> tuple[DType, tuple[int, ...] | None]:
    """Return the element type that an annotation names, and its extents if it has some."""
    shape = None
    if isinstance(node, ast.Subscript):
        items = [ctx.evaluate(item) for item in node.items]
        known = [item.value for item in items if isinstance(item, Constant)]
        shape = tuple(known)
        if len(known) < len(items) or not all(isinstance(item, int) for item in known):
            raise ctx.fail("T0321", "the extents of a tile are compile-time integers", node.span)
        node = node.value
    found = ctx.evaluate(node)
    if isinstance(found, DTypeValue):
        return found.dtype, shape
    message = f"an annotation names an element type, not {describe(found)}"
    hint = "write 'x: f32 = ...', or remove the annotation"
    raise ctx.fail("T0321", message, node.span, hint=hint)


def _check_word(ctx: Context, name: str, word: str, value: AnyValue, span: SourceSpan) -> None:
    """Check `const`, `dtype` and Python's types, which say that a value is known."""
    if word == "dtype":
        fits = isinstance(value, DTypeValue)
    elif word == "const":
        fits = isinstance(value, Constant)
    else:
        fits = isinstance(value, Constant) and type(value.value) is _PYTHON_TYPES[word]
    if not fits:
        message = f"'{name}' is annotated '{word}' but is {describe(value)}"
        raise ctx.fail("T0321", message, span, hint="remove the annotation")


def _check_kind(ctx: Context, name: str, value: Constant, dtype: DType, span: SourceSpan) -> None:
    """Raise when a number of the source is no number of a type."""
    if numeric.weak_dtype(value.value).kind.value > dtype.kind.value:
        message = f"'{name}' is annotated {dtype.name} but is {describe(value)}"
        raise ctx.fail("T0321", message, span, hint=f"write 'cast(..., {dtype.name})'")
    numeric.check_fits(ctx, value, dtype, span)


def _check_type(
    ctx: Context,
    name: str,
    value: AnyValue,
    dtype: DType,
    shape: tuple[int, ...] | None,
    span: SourceSpan,
) -> None:
    held = getattr(value, "dtype", None)
    extents = None
    if isinstance(value, hir.Value) and isinstance(value.type, hir.ScalarType | hir.TileType):
        held, extents = numeric.dtype_of(value), numeric.shape_of(value)
    if isinstance(value, DTypeValue) or held != dtype or (shape is not None and shape != extents):
        wanted = dtype.name if shape is None else f"{dtype.name}[{', '.join(map(str, shape))}]"
        message = f"'{name}' is annotated {wanted} but is {describe(value)}"
        hint = f"write 'cast(..., {dtype.name})'" if isinstance(held, DType) else None
        raise ctx.fail("T0321", message, span, hint=hint if held != dtype else None)
