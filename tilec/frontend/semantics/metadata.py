"""The `tilec.kernel` dictionary: all that later stages and the launcher need to know."""

from typing import Any

from tilec.frontend.semantics.bindings import BoundKernel
from tilec.frontend.semantics.context import Context
from tilec.frontend.semantics.kernel_arguments import KernelArguments
from tilec.frontend.semantics.signature import ArrayParam
from tilec.frontend.syntax import ast

_RUN_TIME = -1
"""Marks an extent or stride that is known only at run time."""


def kernel_metadata(
    ctx: Context, bound: BoundKernel, arguments: KernelArguments, module: ast.Module
) -> dict[str, Any]:
    """Return the metadata of an analysed kernel."""
    signature = bound.signature
    arrays = signature.arrays()
    metadata: dict[str, Any] = {
        "name": signature.name,
        "source": module.source.name,
        "arrays": [_array_entry(ctx, bound, array) for array in arrays],
        "params": arguments.params,
        "dims": {
            name: [[array, axis] for array, axis in places]
            for name, places in signature.dims.items()
        },
        "static_shape": {array.name: _static_shape(array) for array in arrays},
        "preconditions": _preconditions(bound),
        "gpu": ctx.specialization.gpu,
        "hints": {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in ctx.specialization.fixed_fields(signature.hints).items()
        },
        "constants": {
            name: value if isinstance(value, bool | float) else int(value)
            for name, value in bound.constants.items()
        },
        "dtypes": {name: dtype.name for name, dtype in bound.dtypes.items()},
    }
    if ctx.grid is not None:
        metadata["grid"] = list(ctx.grid.extents)
    return metadata


def _static_shape(array: ArrayParam) -> list[int]:
    return [dim if isinstance(dim, int) else _RUN_TIME for dim in array.dims]


def _array_entry(ctx: Context, bound: BoundKernel, array: ArrayParam) -> dict[str, Any]:
    spec = bound.arrays[array.name]
    access = ctx.access.get(array.name, {"read"})
    return {
        "name": array.name,
        "dtype": bound.dtype(array.dtype).name,
        "rank": len(array.dims),
        "strides": [_RUN_TIME if stride is None else stride for stride in spec.strides],
        "alignment": spec.alignment,
        "alias_group": spec.alias_group,
        **({"same_as": spec.same_as} if spec.same_as else {}),
        "access": "readwrite" if len(access) == 2 else next(iter(access)),
    }


def _preconditions(bound: BoundKernel) -> list[str]:
    """Return what must hold of the arguments, in words that a user understands."""
    result: list[str] = []
    for array in bound.signature.arrays():
        spec = bound.arrays[array.name]
        for axis, stride in enumerate(spec.strides):
            if stride is not None:
                result.append(f"{array.name}.strides[{axis}] == {stride}")
        if spec.alignment > 1:
            result.append(f"{array.name} is {spec.alignment}-byte aligned (base and pitch)")
        for axis, dim in enumerate(array.dims):
            if isinstance(dim, int):
                result.append(f"{array.name}.shape[{axis}] == {dim}")
    result.extend(f"{name} % {divisor} == 0" for name, divisor in bound.divisors.items())
    return result
