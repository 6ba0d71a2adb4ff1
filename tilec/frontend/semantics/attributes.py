"""Attributes and subscripts: `A.shape[i]`, `x.dtype`, `x.T`, `x.astype(f32)`, `x[:, None]`."""

from tilec.frontend.semantics import hir
from tilec.frontend.semantics.builtins import shape as shapes
from tilec.frontend.semantics.builtins.elements import load_scalar
from tilec.frontend.semantics.builtins.table import (
    BUILTINS,
    METHOD_FORMS,
    METHODS,
    Argument,
    Call,
)
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.not_yet import Usage, lacking, no_syntax
from tilec.frontend.semantics.values import (
    AnyValue,
    ArrayValue,
    BuiltinValue,
    Constant,
    DTypeValue,
    TupleValue,
    ViewValue,
    describe,
)
from tilec.frontend.syntax import ast
from tilec.support.diagnostics import note
from tilec.support.suggest import did_you_mean

PROPERTIES = {
    "shape": "the extents of an array, view or tile",
    "strides": "the strides of an array, in elements",
    "dtype": "the element type of an array, view, tile or scalar",
    "ndim": "the number of axes of an array, view or tile",
    "T": "a tile with its last two axes swapped",
}
"""What can be read after a dot, besides methods: name -> what it gives."""


def attribute(ctx: Context, value: AnyValue, node: ast.Attribute) -> AnyValue:
    """Return `value.name`."""
    found: AnyValue | None = None
    if isinstance(value, ArrayValue) and node.name == "slice":
        found = BuiltinValue(node.name, BUILTINS[node.name], receiver=value)
    elif isinstance(value, ArrayValue):
        found = _array_attribute(value, node)
    elif isinstance(value, ViewValue):
        found = _view_attribute(value, node)
    elif isinstance(value, hir.Value) and isinstance(value.type, hir.TileType | hir.ScalarType):
        found = _number_attribute(ctx, value, node)
    if found is not None:
        return found
    entry = lacking(Usage.FUNCTION, node.name)
    if entry is not None:
        raise ctx.fail_lacking(entry, node.name, node.name_span)
    hint = did_you_mean(node.name, [*PROPERTIES, *METHODS])
    if node.name in BUILTINS and isinstance(value, hir.Value):
        hint = f"it is a function: write '{node.name}(x)'"
    if isinstance(value, TupleValue) and node.name in ("append", "extend"):
        hint = "tuples and lists never change: join them, as in 'x = x + (y,)'"
    message = f"{describe(value)} has no attribute '{node.name}'"
    raise ctx.fail("T0206", message, node.name_span, hint=hint)


def _array_attribute(value: ArrayValue, node: ast.Attribute) -> AnyValue | None:
    if node.name == "shape":
        return TupleValue(value.shape)
    if node.name == "strides":
        return TupleValue(value.strides)
    if node.name == "dtype":
        return DTypeValue(value.dtype)
    return Constant(len(value.shape), node.span) if node.name == "ndim" else None


def _view_attribute(value: ViewValue, node: ast.Attribute) -> AnyValue | None:
    if node.name == "shape":
        return TupleValue(tuple(Constant(extent, node.span) for extent in value.type.tile))
    if node.name == "dtype":
        return DTypeValue(value.array.dtype)
    return Constant(len(value.type.tile), node.span) if node.name == "ndim" else None


def _number_attribute(ctx: Context, value: hir.Value, node: ast.Attribute) -> AnyValue | None:
    assert isinstance(value.type, hir.TileType | hir.ScalarType)
    if node.name == "dtype":
        return DTypeValue(value.type.dtype)
    if node.name in METHODS:
        function = METHOD_FORMS.get(node.name, BUILTINS[METHODS[node.name]])
        return BuiltinValue(node.name, function, receiver=value)
    if not isinstance(value.type, hir.TileType):
        return None
    if node.name == "shape":
        return TupleValue(tuple(Constant(extent, node.span) for extent in value.type.shape))
    if node.name == "ndim":
        return Constant(len(value.type.shape), node.span)
    if node.name == "T":
        return shapes.swap_axes(ctx, value, node.span)
    return None


def subscript(ctx: Context, value: AnyValue, node: ast.Subscript) -> AnyValue:
    """Return `value[items]`."""
    if isinstance(value, TupleValue):
        return _tuple_item(ctx, value, node)
    if isinstance(value, hir.Value) and isinstance(value.type, hir.TileType):
        return _new_axes(ctx, value, node)
    if isinstance(value, ArrayValue):
        return _element(ctx, value, node)
    raise ctx.fail("T0311", f"{describe(value)} cannot be indexed", node.span)


def _element(ctx: Context, value: ArrayValue, node: ast.Subscript) -> AnyValue:
    """Return one element of an array as a scalar."""
    name = value.param.name
    for item in node.items:
        if isinstance(item, ast.Slice) or (
            isinstance(item, ast.Literal) and item.value in (None, ...)
        ):
            hint = f"read a tile with 'load({name}, index, shape)'"
            raise ctx.fail(
                "T0311", "an array is indexed with one integer per axis", item.span, hint=hint
            )
    items = [ctx.evaluate(item) for item in node.items]
    call = Call(ctx, f"{name}[...]", node.span)
    index = Argument(TupleValue(tuple(items)), node.span)
    return load_scalar(call, Argument(value, node.value.span), index)


def _tuple_item(ctx: Context, value: TupleValue, node: ast.Subscript) -> AnyValue:
    if node.is_tuple or len(node.items) != 1 or isinstance(node.items[0], ast.Slice):
        raise ctx.fail("T0318", "a tuple is indexed with one integer", node.span)
    index = ctx.evaluate(node.items[0])
    if not isinstance(index, Constant) or not isinstance(index.value, int):
        message = f"the index of a tuple must be a compile-time integer, found {describe(index)}"
        raise ctx.fail("T0403", message, node.items[0].span)
    count = len(value.items)
    if not -count <= index.value < count:
        message = f"index {int(index.value)} is outside a tuple of {count}"
        raise ctx.fail("T0301", message, node.items[0].span)
    return value.items[index.value]


def _new_axes(ctx: Context, value: hir.Value, node: ast.Subscript) -> AnyValue:
    """Insert axes of extent 1 where the index holds `None`."""
    assert isinstance(value.type, hir.TileType)
    kinds = [_axis_kind(ctx, item) for item in node.items]
    rank = len(value.type.shape)
    kept = kinds.count("keep")
    if kinds.count("rest") > 1 or kept > rank:
        message = f"the index names {kept} axes of {describe(value)}"
        raise ctx.fail("T0301", message, node.span, notes=[note("the tile", value.span)])
    if "rest" not in kinds:
        kinds.append("rest")
    position = kinds.index("rest")
    kinds[position : position + 1] = ["keep"] * (rank - kept)
    extents = iter(value.type.shape)
    shape = tuple(next(extents) if kind == "keep" else 1 for kind in kinds)
    return shapes.reshaped(ctx, value, shape, node.span)


def _axis_kind(ctx: Context, item: ast.Expression) -> str:
    if isinstance(item, ast.Slice) and item.start is item.stop is item.step is None:
        return "keep"
    if isinstance(item, ast.Literal) and item.value is None:
        return "new"
    if isinstance(item, ast.Literal) and item.value is ...:
        return "rest"
    raise ctx.fail_lacking(no_syntax("element"), "element", item.span)
