"""Checks the arguments of a call against the interface of the kernel.

These are the rules of the language, the same for the CPU and the GPU: element types, ranks,
equal dims, fixed extents, scalars in range, one device. What a compiled variant assumes beyond
that is checked in `tilec.runtime.args.preconditions`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tilec.language import Marker
from tilec.request.specialization import MAX_EXTENT, ConstantValue
from tilec.runtime.args.arrays import (
    FOREIGN_DTYPES,
    LEGACY_STREAM,
    ArrayView,
    is_array,
    torch_dtype_name,
    view_array,
)
from tilec.runtime.args.scalars import Scalar, ScalarError, convert_scalar
from tilec.runtime.args.signature_binding import (
    ARRAY,
    CONST,
    DTYPE,
    OPTIONAL,
    SCALAR,
    Interface,
    Parameter,
)
from tilec.runtime.errors import format_shape
from tilec.support.diagnostics import LaunchError
from tilec.support.dtypes import DTYPES


@dataclass(frozen=True)
class BoundArguments:
    """Arguments that satisfy the interface.

    Attributes:
        arrays: Array arguments in declaration order.
        scalars: Scalar arguments in declaration order.
        scalar_dtypes: Element type of each scalar.
        constants: `const` values that the caller gave, or that are extents of the arrays.
        dtypes: Element type of every `dtype` parameter.
        dims: Extent of every named dim, and of every `const` that is one.
        device: Ordinal of the GPU; None when the arrays are NumPy arrays.
    """

    arrays: Mapping[str, ArrayView]
    scalars: Mapping[str, Scalar]
    scalar_dtypes: Mapping[str, str]
    constants: Mapping[str, ConstantValue]
    dtypes: Mapping[str, str]
    dims: Mapping[str, int]
    device: int | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    """What the caller passed, by name."""
    axes: Mapping[str, tuple[str | int | None, ...]] = field(default_factory=dict)
    """Of each array the names of its dims, as `Parameter.dims`."""

    @property
    def is_empty(self) -> bool:
        """Whether an array has no element; the kernel may write others."""
        return any(0 in array.shape for array in self.arrays.values())

    def environment(self) -> dict[str, int | float]:
        """Return the values that host expressions can name."""
        result: dict[str, int | float] = {**self.dims, **self.scalars}
        for name, array in self.arrays.items():
            for axis, (extent, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
                result[f"{name}.shape[{axis}]"] = extent
                result[f"{name}.strides[{axis}]"] = stride
        return result


def check_arguments(
    interface: Interface,
    values: Mapping[str, Any],
    stream: int = LEGACY_STREAM,
    locate: Callable[[int], int | None] | None = None,
) -> BoundArguments:
    """Check the values of a call and return them in the form that a launch needs.

    Args:
        interface: The kernel's parameters.
        values: Values by parameter name, from `bind_call`.
        stream: Stream of the coming launch, for arrays whose producer must be ordered before it.
        locate: Tells which GPU owns an address, for arrays whose library does not say.

    Raises:
        LaunchError: A rule is broken; the message names the kernel, the arguments and the axes.
    """
    arrays = {
        item.name: _view(interface, item, values[item.name], stream, locate)
        for item in interface.of_kind(ARRAY)
    }
    dtypes = _bind_dtypes(interface, values, arrays)
    _check_dtypes(interface, arrays, dtypes)
    device = _check_devices(interface, arrays)
    dims = _check_dims(interface, arrays)
    scalar_dtypes = {
        item.name: dtypes.get(item.dtype, item.dtype) for item in interface.of_kind(SCALAR)
    }
    scalars = {
        item.name: _scalar(interface, item, values[item.name], scalar_dtypes[item.name])
        for item in interface.of_kind(SCALAR)
    }
    given = [item for item in interface.of_kind(CONST) if item.name in values]
    given = [item for item in given if not _is_auto(interface, item, values[item.name])]
    constants = {item.name: _constant(interface, item, values[item.name]) for item in given}
    _bind_extents(interface, constants, dims)
    axes = {item.name: item.dims for item in interface.of_kind(ARRAY)}
    return BoundArguments(
        arrays, scalars, scalar_dtypes, constants, dtypes, dims, device, dict(values), axes
    )


def _view(
    interface: Interface,
    parameter: Parameter,
    value: Any,
    stream: int,
    locate: Callable[[int], int | None] | None,
) -> ArrayView:
    """Return the memory view of one array argument, its rank checked and its device known."""
    if not is_array(value):
        message = f"{parameter.name} must be an array {parameter.declaration}"
        raise interface.error("T0702", f"{message}, got {_describe(value)}", at=parameter)
    try:
        array = view_array(value, f"{interface.kernel}: {parameter.name}", stream)
    except LaunchError as failure:
        raise interface.declared(failure, parameter) from failure.__cause__
    if array.device_kind == "cuda" and not array.pointer and 0 not in array.shape:
        message = f"{parameter.name} has elements but no memory: its address is null"
        raise interface.error("T0702", message, hint=_NO_MEMORY, at=parameter)
    if array.device_kind == "cuda" and array.device is None and locate is not None:
        array = replace(array, device=locate(array.pointer))
    _check_rank(interface, parameter, array)
    return array


_NO_MEMORY = "a storage of torch that was resized to 0 or freed leaves such a tensor"


def _describe(value: Any) -> str:
    if isinstance(value, bool | int | float | str) or value is None:
        return repr(value)
    return f"a {type(value).__name__}"


def _check_rank(interface: Interface, parameter: Parameter, array: ArrayView) -> None:
    rank = len(parameter.dims)
    if array.rank != rank:
        raise interface.error(
            "T0704",
            f"{parameter.name} has rank {array.rank} ({format_shape(array.shape)}), but "
            f"{parameter.declaration} has rank {rank}",
            at=parameter,
        )


def _bind_dtypes(
    interface: Interface, values: Mapping[str, Any], arrays: Mapping[str, ArrayView]
) -> dict[str, str]:
    """Return the element type of every `dtype` parameter: given, from the arrays, or default."""
    result: dict[str, str] = {}
    for parameter in interface.of_kind(DTYPE):
        users = [item for item in interface.of_kind(ARRAY) if item.dtype == parameter.name]
        if parameter.name in values:
            result[parameter.name] = _dtype_value(interface, parameter, values[parameter.name])
        elif users:
            result[parameter.name] = arrays[users[0].name].dtype
        elif parameter.default is not OPTIONAL:
            result[parameter.name] = parameter.default
        else:
            raise interface.error(
                "T0701",
                f"no array has type {parameter.name}, so it must be given",
                hint=f"pass {parameter.name}='bf16'",
                at=parameter,
            )
        for other in users[1:]:
            have = arrays[other.name].dtype
            if parameter.name not in values and have != result[parameter.name]:
                raise interface.error(
                    "T0703",
                    f"{users[0].name} and {other.name} both have type {parameter.name}, but "
                    f"{users[0].name} is {result[parameter.name]} and {other.name} is {have}",
                    at=other,
                )
    return result


def _dtype_value(interface: Interface, parameter: Parameter, value: Any) -> str:
    name = getattr(value, "name", None) or str(value)
    if not isinstance(value, str) and type(value).__module__ == "torch":
        name = torch_dtype_name(value)
    elif isinstance(value, type):
        name = value.__name__
    name = FOREIGN_DTYPES.get(name, name)
    if name not in DTYPES:
        raise interface.error(
            "T0703",
            f"{parameter.name} is {value!r}, which is no element type",
            hint=f"use one of {', '.join(DTYPES)}",
            at=parameter,
        )
    return name


def _check_dtypes(
    interface: Interface, arrays: Mapping[str, ArrayView], dtypes: Mapping[str, str]
) -> None:
    for parameter in interface.of_kind(ARRAY):
        have = arrays[parameter.name].dtype
        want = dtypes.get(parameter.dtype, parameter.dtype)
        if have not in DTYPES:
            raise interface.error(
                "T0703",
                f"{parameter.name} has element type {have}, which tilec does not have",
                at=parameter,
            )
        # tf32 values are stored as f32; no array library has a type of that name.
        if have != want and (have, want) != ("f32", "tf32"):
            raise interface.error(
                "T0703",
                f"{parameter.name} has element type {have}, but {parameter.declaration} needs "
                f"{want}",
                hint=_dtype_hint(parameter, have, want, dtypes),
                at=parameter,
            )


def _dtype_hint(parameter: Parameter, have: str, want: str, dtypes: Mapping[str, str]) -> str:
    """Return what to do about an array of another element type than the one that is needed."""
    if parameter.dtype in dtypes:
        return f"convert the array to {want}"
    return f"convert the array to {want}, or declare {parameter.retyped(have)}"


def _check_devices(interface: Interface, arrays: Mapping[str, ArrayView]) -> int | None:
    """Return the GPU that holds all arrays, or None when all are NumPy arrays.

    An array whose device is not known (no element, or no driver to ask) fits any GPU.
    """
    first: tuple[str, ArrayView] | None = None
    for name, array in arrays.items():
        on_gpu = array.device_kind == "cuda"
        if not on_gpu and array.library != "numpy":
            raise interface.error(
                "T0709",
                f"{name} is a {array.library} array in {array.place}",
                hint="move it to the GPU, or pass NumPy arrays to run the CPU reference",
            )
        if first is None or (first[1].device is None and first[1].device_kind == "cuda" and on_gpu):
            first = (name, array)
            continue
        other, placed = first
        same_gpu = array.device is None or placed.device == array.device
        if placed.device_kind != array.device_kind or not same_gpu:
            raise interface.error(
                "T0709",
                f"{other} is in {placed.place}, but {name} is in {array.place}",
                hint="put all arrays on one device",
            )
    if first is None:
        return 0
    return None if first[1].device_kind == "cpu" else first[1].device or 0


def _check_dims(interface: Interface, arrays: Mapping[str, ArrayView]) -> dict[str, int]:
    dims: dict[str, int] = {}
    places: dict[str, str] = {}
    for parameter in interface.of_kind(ARRAY):
        shape = arrays[parameter.name].shape
        for axis, (dim, extent) in enumerate(zip(parameter.dims, shape, strict=True)):
            place = f"{parameter.name}.shape[{axis}]"
            if extent > MAX_EXTENT:
                message = f"{place} is {extent}; the largest extent is {MAX_EXTENT}"
                raise interface.error("T0711", message, at=parameter)
            if isinstance(dim, int) and extent != dim:
                raise interface.error(
                    "T0705", f"{place} is {extent}, but the kernel declares {dim}", at=parameter
                )
            if isinstance(dim, str):
                known = dims.setdefault(dim, extent)
                first = places.setdefault(dim, place)
                if known != extent:
                    raise interface.error(
                        "T0705",
                        f"dim {dim} is {known} in {first}, but {extent} in {place}",
                        at=parameter,
                    )
    return dims


def _bind_extents(
    interface: Interface, constants: dict[str, ConstantValue], dims: Mapping[str, int]
) -> None:
    """Give the constants that are extents of arrays their values."""
    for item in interface.of_kind(CONST):
        if item.name not in dims:
            continue
        extent = dims[item.name]
        if constants.setdefault(item.name, extent) != extent:
            raise interface.error(
                "T0705",
                f"{item.name} is {constants[item.name]}, but the arrays have {extent}",
                hint=f"leave out {item.name}: the arrays give it",
                at=item,
            )


def _scalar(interface: Interface, parameter: Parameter, value: Any, dtype: str) -> Scalar:
    try:
        return convert_scalar(value, dtype)
    except ScalarError as failure:
        hint = f"pass {parameter.name}.item()" if is_array(value) else None
        message = f"{parameter.name} {failure}"
        raise interface.error("T0708", message, hint=hint, at=parameter) from None


def _is_auto(interface: Interface, parameter: Parameter, value: Any) -> bool:
    """Tell whether a constant is left to the planner, as it is declared.

    Raises:
        LaunchError: It is declared without `auto`.
    """
    if not isinstance(value, Marker) or value.name != "auto":
        return False
    if parameter.default is OPTIONAL:
        return True
    message = f"const {parameter.name} is auto, but it is not declared so"
    hint = f"declare '{parameter.name}: const = auto', or give it a number"
    raise interface.error("T0712", message, hint=hint, at=parameter)


def _constant(interface: Interface, parameter: Parameter, value: Any) -> ConstantValue:
    if isinstance(value, bool | int | float):
        return value
    try:
        return convert_scalar(value, "i64")
    except ScalarError:
        pass
    try:
        return convert_scalar(value, "f64")
    except ScalarError as failure:
        raise interface.error("T0712", f"const {parameter.name} {failure}", at=parameter) from None
