"""`print`, and strings with values of the running kernel in them."""

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.builtins.table import ANY_TYPE, Argument, Call, builtin
from tilec.frontend.semantics.context import Context, SemanticError
from tilec.frontend.semantics.values import (
    AnyValue,
    Constant,
    DTypeValue,
    NoneValue,
    TextValue,
    TupleValue,
    describe,
)
from tilec.frontend.syntax import ast
from tilec.support.diagnostics import SourceSpan
from tilec.support.fast_dataclasses import dataclass

_MAX_ELEMENTS = 1 << 14
"""Elements of a tile that is printed: each takes a record of `tilec.request.prints`."""


def formatted(ctx: Context, node: ast.FormattedString) -> AnyValue:
    """Return the value of an f-string: a constant where all of its values are.

    Raises:
        SemanticError: A value has no text, or not with this format (T0311).
    """
    text = TextValue()
    for part in node.parts:
        if isinstance(part, str):
            text = text.joined(TextValue((part,)))
        else:
            value = ctx.evaluate(part.value)
            text = text.joined(text_of(ctx, value, part.spec, part.value.span))
    return text.constant(node.span)


def text_of(ctx: Context, value: AnyValue, spec: str, span: SourceSpan) -> TextValue:
    """Return the text of a value.

    Args:
        ctx: The analysis.
        value: The value.
        spec: Format of Python, without the colon.
        span: Place of the value.

    Raises:
        SemanticError: The value has no text, or not with this format (T0311).
    """
    if isinstance(value, hir.Value) and numeric.is_number(value):
        _check_spec(ctx, spec, value, span)
        return TextValue(((value, spec),))
    if isinstance(value, TextValue) and not spec:
        return value
    if isinstance(value, TupleValue) and not spec:
        return _tuple_text(ctx, value, span)
    if isinstance(value, DTypeValue):
        value = Constant(value.dtype.name, span)
    if isinstance(value, Constant):
        try:
            return TextValue((format(value.value, spec),))
        except (TypeError, ValueError) as failure:
            raise ctx.fail("T0311", f"cannot format this constant: {failure}", span) from None
    raise ctx.fail("T0311", f"{describe(value)} cannot be printed", span)


def _tuple_text(ctx: Context, value: TupleValue, span: SourceSpan) -> TextValue:
    text = TextValue(("(",))
    for number, item in enumerate(value.items):
        text = text.joined(TextValue((", " if number else "",)))
        shown = Constant(repr(item.value), span) if isinstance(item, Constant) else item
        text = text.joined(text_of(ctx, shown, "", span))
    return text.joined(TextValue((",)" if len(value.items) == 1 else ")",)))


def _check_spec(ctx: Context, spec: str, value: hir.Value, span: SourceSpan) -> None:
    sample = 1.0 if numeric.dtype_of(value).is_float else 1
    try:
        format(sample, spec)
    except ValueError as failure:
        message = f"cannot format {describe(value)} with '{spec}': {failure}"
        raise ctx.fail("T0311", message, span) from None
    if "{" in spec or "}" in spec:
        raise ctx.fail("T0311", "a format must not hold braces", span)


@dataclass(slots=True)
class _Fragment:
    """A part of what a print writes: a format string with at most one field, and its value."""

    template: str = ""
    value: hir.Value | None = None


def _fragments(text: TextValue) -> list[_Fragment]:
    """Cut a text into fragments with one value each; without values it is one fragment."""
    found = [_Fragment()]
    for part in text.parts:
        if isinstance(part, str):
            found[-1].template += part.replace("{", "{{").replace("}", "}}")
            continue
        if found[-1].value is not None:
            found.append(_Fragment())
        found[-1].value, spec = part
        found[-1].template += f"{{0:{spec}}}" if spec else "{0}"
    return found


@builtin("print", ANY_TYPE, "print")
def print_values(
    call: Call, *values: Argument, sep: Argument | None = None, end: Argument | None = None
) -> AnyValue:
    """Print strings, numbers and tiles of the running kernel ([printing](#printing))."""
    between, text = _string(call, sep, " "), TextValue()
    for number, item in enumerate(values):
        text = text.joined(TextValue((between if number else "",)))
        text = text.joined(text_of(call.ctx, item.value, "", item.span))
    text = text.joined(TextValue((_string(call, end, "\n"),)))
    for number, fragment in enumerate(_fragments(text)):
        operands = [] if fragment.value is None else [fragment.value]
        for value in operands:
            _check_size(call, value)
        attributes = {
            "template": fragment.template,
            "dtype": numeric.dtype_of(operands[0]).name if operands else "",
            "starts": not number,
        }
        call.ctx.record("print", operands, [], call.span, attributes)
    return NoneValue()


def _string(call: Call, argument: Argument | None, default: str) -> str:
    if argument is None:
        return default
    value = argument.value
    if isinstance(value, Constant) and isinstance(value.value, str):
        return value.value
    raise call.fail("T0403", f"expected a string, found {describe(value)}", argument.span)


def _check_size(call: Call, value: hir.Value) -> None:
    elements = 1
    for extent in numeric.shape_of(value):
        elements *= extent
    if elements > _MAX_ELEMENTS:
        raise _too_large(call, value, elements)


def _too_large(call: Call, value: hir.Value, elements: int) -> SemanticError:
    message = f"the tile has {elements} elements; at most {_MAX_ELEMENTS} can be printed"
    hint = "print a part of it: 'extract(x, index, shape)'"
    return call.fail("T0303", message, value.span, hint=hint)
