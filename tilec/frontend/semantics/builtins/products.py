"""The builtins `mma` and `matmul`: matrix products, and how the tensor cores may compute them."""

from typing import Any

from tilec.frontend.semantics import hir, numeric
from tilec.frontend.semantics.builtins.table import Argument, Call, builtin
from tilec.frontend.semantics.facts.products import product_types
from tilec.frontend.semantics.numeric import F32
from tilec.frontend.semantics.values import AnyValue, Constant, describe
from tilec.support.diagnostics import note
from tilec.support.dtypes import DTYPES
from tilec.support.mma_atoms import ProductTypes, find_family

_ACCUMULATORS: dict[str, tuple[str, ...]] = {
    "f8e4m3": ("f16", "f32"),
    "f8e5m2": ("f16", "f32"),
    "f16": ("f16", "f32"),
    "bf16": ("f32",),
    "tf32": ("f32",),
    "f32": ("f32",),
    "f64": ("f64",),
    "i8": ("i32",),
    "u8": ("i32",),
}
"""Element types of `mma`: operand -> accumulators (cuda_tile dialect, mmaf and mmai)."""
_MIXED = (("i8", "u8"), ("f8e4m3", "f8e5m2"))
"""Element types that A and B may mix."""
_EXACT = "ieee"
_PRECISIONS = (_EXACT, "tf32", "tf32x3", "bf16x3")
"""What `precision=` may be, for operands of f32."""


@builtin("mma", tuple(_ACCUMULATORS), "mmaf", "mmai")
def mma(
    call: Call,
    a: Argument,
    b: Argument,
    acc: Argument,
    *,
    precision: Argument | None = None,
    promote: Argument | None = None,
) -> AnyValue:
    """Return `acc + a @ b` for MxK, KxN and MxN tiles, or batches of them in 3-D tiles.

    One matrix and a batch are multiplied as NumPy does: the matrix with each of the batch.

    `precision`, for f32, is `'ieee'` (the default), `'tf32'`, `'tf32x3'` or `'bf16x3'`. With
    `promote=128`, sums of at most 128 elements of K are added to an f32 accumulator in f32; see
    [products](#products).
    """
    lhs, rhs = _operands(call, a, b)
    total = call.tile(acc, "the accumulator must be a tile")
    _check_accumulator(call, lhs, rhs, total)
    m, k = numeric.shape_of(lhs)[-2:]
    n = numeric.shape_of(rhs)[-1]
    dtype = numeric.dtype_of(lhs)
    attributes: dict[str, Any] = {}
    if precision is not None:
        attributes["precision"] = _precision(call, precision, lhs)
    types = product_types((lhs, rhs, total), attributes.get("precision"))
    if promote is not None:
        attributes["promote"] = _promotion(call, promote, total, types)
    call.ctx.uses.record_mma((m, n, k), types, dtype.bytes)
    operands = [lhs, rhs, total]
    if dtype.is_integer:
        signs = {"signed_lhs": dtype.signed, "signed_rhs": numeric.dtype_of(rhs).signed}
        return call.ctx.op("mmai", operands, total.type, call.span, **signs)
    kept = {name: value for name, value in attributes.items() if value != _EXACT}
    return call.ctx.op("mmaf", operands, total.type, call.span, **kept)


@builtin("matmul", tuple(_ACCUMULATORS), "mmaf", "mmai")
def matmul(
    call: Call,
    a: Argument,
    b: Argument,
    *,
    precision: Argument | None = None,
    promote: Argument | None = None,
) -> AnyValue:
    """Return `a @ b` for MxK and KxN tiles, or batches of them: `mma` that starts from zeros.

    The result is f32, for operands of f64 f64, for integers i32.
    """
    lhs, rhs = _operands(call, a, b)
    shape = _product_shape(call, lhs, rhs)
    accumulators = _check_operand_dtypes(call, lhs, rhs)
    zeros = numeric.make_constant(call.ctx, 0, DTYPES[accumulators[-1]], shape, call.span)
    acc = Argument(zeros, call.span)
    return mma(call, a, b, acc, precision=precision, promote=promote)


def can_accumulate(acc: AnyValue, a: Argument, b: Argument) -> bool:
    """Tell whether `acc + a @ b` can be `mma(a, b, acc)`: by the shape and the type of `acc`."""
    tiles = [item for item in (a.value, b.value, acc) if numeric.is_tile(item)]
    if len(tiles) < 3:
        return False
    (lhs, rhs, total) = (item for item in tiles if isinstance(item, hir.Value))
    left, right = _repeated_shapes(numeric.shape_of(lhs), numeric.shape_of(rhs))
    accumulators = _ACCUMULATORS.get(numeric.dtype_of(lhs).name, ())
    fits = numeric.dtype_of(total).name in accumulators
    return fits and numeric.shape_of(total) == (*left[:-1], right[-1])


def _precision(call: Call, argument: Argument, operand: hir.Value) -> str:
    """Return how f32 operands are multiplied."""
    value = argument.value
    found = value.value if isinstance(value, Constant) else None
    if found not in _PRECISIONS:
        shown = f"'{found}'" if found is not None else describe(value)
        known = ", ".join(f"'{name}'" for name in _PRECISIONS)
        message = f"precision must be one of {known}, found {shown}"
        raise call.fail("T0310", message, argument.span)
    dtype = numeric.dtype_of(operand)
    if dtype != F32:
        message = f"precision is for operands of f32, found {dtype.name}"
        notes = numeric.origin(operand, "A")
        hint = f"leave it out: products of {dtype.name} are exact"
        raise call.fail("T0306", message, argument.span, hint=hint, notes=notes)
    return found


def _promotion(call: Call, argument: Argument, acc: hir.Value, types: ProductTypes) -> int:
    """Return after how many elements of K a sum is added to the accumulator in f32."""
    every = call.integer(argument, "promote")
    step = find_family(types).inner
    if every < step or every % step:
        message = f"promote must be a positive multiple of {step}, found {every}"
        hint = f"an instruction multiplies {step} elements of K at a time"
        raise call.fail("T0310", message, argument.span, hint=hint)
    dtype = numeric.dtype_of(acc)
    if dtype != F32:
        message = f"promote adds sums in f32, but acc is {dtype.name}"
        notes = numeric.origin(acc, "acc")
        raise call.fail("T0306", message, argument.span, hint="make acc f32", notes=notes)
    return every


def _operands(call: Call, a: Argument, b: Argument) -> tuple[hir.Value, hir.Value]:
    """Return A and B; one matrix is repeated for each of a batch that it is multiplied with."""
    lhs, rhs = call.tile(a, "A must be a tile"), call.tile(b, "B must be a tile")
    shapes = _repeated_shapes(numeric.shape_of(lhs), numeric.shape_of(rhs))
    left, right = (
        numeric.broadcast(call.ctx, item, shape, call.span)
        for item, shape in zip((lhs, rhs), shapes, strict=True)
    )
    return left, right


def _repeated_shapes(
    a: tuple[int, ...], b: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shapes of A and B, where one matrix becomes a batch of as many as the other."""
    if {len(a), len(b)} == {2, 3} or (len(a) == len(b) == 3 and 1 in (a[0], b[0])):
        size = max(shape[0] for shape in (a, b) if len(shape) == 3)
        return (size, *a[-2:]), (size, *b[-2:])
    return a, b


def _product_shape(call: Call, lhs: hir.Value, rhs: hir.Value) -> tuple[int, ...]:
    """Return the shape of the product of two tiles, or raise when they have none."""
    a, b = numeric.shape_of(lhs), numeric.shape_of(rhs)
    shown = f"A is {hir.shape_text(a)} but B is {hir.shape_text(b)}"
    notes = [note("A comes from here", lhs.span), note("B comes from here", rhs.span)]
    if len(a) != len(b) or len(a) not in (2, 3):
        message = f"{shown}: both must have 2 axes, or 3 with a batch"
        raise call.fail("T0302", message, notes=notes)
    if a[-1] != b[-2]:
        hint = None
        if a[-1] == b[-1]:
            hint = "B must be KxN: transpose the second operand with 'transpose(b)' or '.T'"
        message = f"{shown}: inner sizes {int(a[-1])} and {int(b[-2])} differ"
        raise call.fail("T0302", message, hint=hint, notes=notes)
    if a[:-2] != b[:-2]:
        message = f"{shown}: batch sizes {int(a[0])} and {int(b[0])} differ"
        raise call.fail("T0302", message, notes=notes)
    return (*a[:-1], b[-1])


def _check_accumulator(call: Call, lhs: hir.Value, rhs: hir.Value, acc: hir.Value) -> None:
    """Check shape and type of an accumulator."""
    expected, found = _product_shape(call, lhs, rhs), numeric.shape_of(acc)
    notes = [
        note(f"{name} comes from here", item.span)
        for name, item in (("A", lhs), ("B", rhs), ("acc", acc))
    ]
    if found != expected:
        message = f"the product is {hir.shape_text(expected)} but acc is {hir.shape_text(found)}"
        raise call.fail("T0302", message, notes=notes)
    accumulators, dtype = _check_operand_dtypes(call, lhs, rhs), numeric.dtype_of(acc).name
    if dtype not in accumulators:
        operand, allowed = numeric.dtype_of(lhs).name, " or ".join(accumulators)
        message = f"with {operand} operands acc must be {allowed}, found {dtype}"
        hint = f"start with 'zeros({numeric.shape_of(acc)}, {accumulators[-1]})'"
        raise call.fail("T0306", message, notes=notes, hint=hint)


def _check_operand_dtypes(call: Call, lhs: hir.Value, rhs: hir.Value) -> tuple[str, ...]:
    """Return the types that an accumulator of the product may have."""
    a, b = numeric.dtype_of(lhs).name, numeric.dtype_of(rhs).name
    notes = [note("A comes from here", lhs.span), note("B comes from here", rhs.span)]
    if a != b and not any({a, b} <= set(mixed) for mixed in _MIXED):
        message = f"A is {a} but B is {b}: both must have one element type"
        raise call.fail("T0306", message, hint="cast one of them", notes=notes)
    if a not in _ACCUMULATORS:
        known = ", ".join(_ACCUMULATORS)
        message = f"operands of {a} are not supported"
        raise call.fail("T0306", message, hint=f"cast to one of: {known}", notes=notes)
    return _ACCUMULATORS[a]
