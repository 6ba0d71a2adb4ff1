"""The arguments of a kernel in call order, as values for the body and as launch metadata."""

from typing import Any

from tilec.frontend.semantics import hir
from tilec.frontend.semantics.bindings import BoundKernel
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.numeric import I32, I64, make_constant
from tilec.frontend.semantics.signature import ArrayParam, ScalarParam
from tilec.frontend.semantics.values import AnyValue, ArrayValue, Constant
from tilec.request.specialization import MAX_EXTENT, ArraySpec
from tilec.support.diagnostics import SourceSpan
from tilec.support.dtypes import DTYPES, DType
from tilec.support.fast_dataclasses import dataclass, field

_GRID_RANK = 3


@dataclass(slots=True)
class KernelArguments:
    """Kernel arguments in order, each with its metadata entry (`tilec.kernel` `params`)."""

    values: list[hir.Value] = field(default_factory=list)
    params: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self, kind: hir.Type, span: SourceSpan, entry: dict[str, Any], div_by: int
    ) -> hir.Value:
        """Append one argument; `div_by` 1 says nothing about its divisibility."""
        value = hir.Value(kind, span)
        self.values.append(value)
        self.params.append(entry | ({"div_by": div_by} if div_by > 1 else {}))
        return value


@dataclass(slots=True)
class _ArrayParts:
    """What one array parameter brings: its base address and its strides."""

    param: ArrayParam
    dtype: DType
    spec: ArraySpec
    base: hir.Value
    strides: list[hir.Value | None]


def bind_arguments(ctx: Context, bound: BoundKernel) -> KernelArguments:
    """Make the arguments, bind the parameters as variables and build the tensor views."""
    arguments = KernelArguments()
    arrays: list[_ArrayParts] = []
    for param in bound.signature.params:
        if isinstance(param, ArrayParam):
            arrays.append(_add_array(arguments, bound, param))
        elif isinstance(param, ScalarParam):
            _add_scalar(ctx, arguments, bound, param)
    dims = _add_dims(ctx, arguments, bound, arrays)
    for parts in arrays:
        value = _make_view(ctx, parts, dims[parts.param.name])
        ctx.bind(parts.param.name, value, parts.param.span)
    if not bound.signature.has_grid:
        for axis in range(_GRID_RANK):
            entry = {"kind": "grid", "axis": axis}
            arguments.add(hir.ScalarType(I32), bound.signature.span, entry, 1)
    return arguments


def _add_array(arguments: KernelArguments, bound: BoundKernel, param: ArrayParam) -> _ArrayParts:
    spec = bound.arrays[param.name]
    dtype = bound.dtype(param.dtype)
    entry: dict[str, Any] = {"kind": "pointer", "array": param.name}
    base = arguments.add(hir.PointerType(dtype), param.span, entry, spec.alignment)
    pitch = max(1, spec.alignment // dtype.bytes)
    strides: list[hir.Value | None] = []
    for axis, stride in enumerate(spec.strides):
        if stride is not None:
            strides.append(None)
            continue
        entry = {"kind": "stride", "array": param.name, "axis": axis}
        strides.append(arguments.add(hir.ScalarType(I64), param.span, entry, pitch))
    return _ArrayParts(param, dtype, spec, base, strides)


def _add_scalar(
    ctx: Context, arguments: KernelArguments, bound: BoundKernel, param: ScalarParam
) -> None:
    dtype = bound.dtype(param.dtype)
    entry = {"kind": "scalar", "name": param.name, "dtype": dtype.name}
    divisor = bound.divisors.get(param.name, 1)
    value = arguments.add(hir.ScalarType(dtype), param.span, entry, divisor)
    if dtype.is_integer:
        ctx.host_names[value] = param.name
    ctx.bind(param.name, value, param.span)


def _add_dims(
    ctx: Context, arguments: KernelArguments, bound: BoundKernel, arrays: list[_ArrayParts]
) -> dict[str, list[AnyValue]]:
    """Add one argument per distinct dim and return the shape of every array."""
    named: dict[str, hir.Value] = {}
    shapes: dict[str, list[AnyValue]] = {}
    for parts in arrays:
        shape = shapes.setdefault(parts.param.name, [])
        for axis, dim in enumerate(parts.param.dims):
            if isinstance(dim, int):
                shape.append(Constant(dim, parts.param.span))
                continue
            known = named.get(dim) if dim is not None else None
            if known is None:
                known = _add_dim(ctx, arguments, bound, parts.param, axis)
                if dim is not None:
                    named[dim] = known
                    ctx.bind(dim, known, parts.param.span)
            shape.append(known)
    return shapes


def _add_dim(
    ctx: Context, arguments: KernelArguments, bound: BoundKernel, param: ArrayParam, axis: int
) -> hir.Value:
    dim = param.dims[axis]
    name = dim if isinstance(dim, str) else f"{param.name}.shape[{axis}]"
    entry = {"kind": "dim", "name": name, "array": param.name, "axis": axis}
    value = arguments.add(hir.ScalarType(I32), param.span, entry, bound.divisors.get(name, 1))
    value.bounds = (0, MAX_EXTENT)
    ctx.host_names[value] = name
    return value


def _make_view(ctx: Context, parts: _ArrayParts, shape: list[AnyValue]) -> ArrayValue:
    span = parts.param.span
    strides: list[AnyValue] = []
    operands: list[hir.Value] = [parts.base]
    operands.extend(item for item in shape if isinstance(item, hir.Value))
    dynamic: list[hir.Value] = []
    static: list[int | None] = []
    for known, argument in zip(parts.spec.strides, parts.strides, strict=True):
        value: AnyValue = Constant(known, span) if argument is None else argument
        if known is not None and known <= 0:
            # A view type holds positive strides only; others are operands.
            argument = make_constant(ctx, known, DTYPES["i64"], (), span)
        strides.append(value)
        static.append(known if argument is None else None)
        if argument is not None:
            dynamic.append(argument)
    extents = tuple(item.value if isinstance(item, Constant) else None for item in shape)
    kind = hir.TensorViewType(parts.dtype, extents, tuple(static))
    view = ctx.op(
        "make_tensor_view", [*operands, *dynamic], kind, span, num_extents=len(operands) - 1
    )
    return ArrayValue(parts.param, parts.dtype, tuple(shape), tuple(strides), view)
