"""What a kernel takes from a caller, whether it comes from source or from a package.

`bind_call` maps the positional and keyword arguments of a Python call to parameter names;
`tilec.runtime.args.arguments` then checks the values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tilec.runtime.errors import join_names, launch_error
from tilec.support.diagnostics import LaunchError, SourceFile, SourceSpan, note

ARRAY, SCALAR, CONST, DTYPE = "array", "scalar", "const", "dtype"
STREAM = "stream"
"""Keyword of a launch that names no parameter: the stream to launch on."""

REQUIRED = "required"
"""Default of a parameter that the caller must give."""
OPTIONAL = "optional"
"""Default of a parameter that tilec works out itself: `auto`, or what the arrays give it."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a kernel.

    Attributes:
        name: Name in the source.
        kind: `array`, `scalar`, `const` or `dtype`.
        dtype: Element type, or the `dtype` parameter that stands for it (arrays and scalars).
        dims: Per axis the name of the dim, a fixed extent, or None (arrays).
        default: REQUIRED, OPTIONAL or the value itself (consts and dtypes).
        span: Where it is declared; None for a package.
    """

    name: str
    kind: str
    dtype: str = ""
    dims: tuple[str | int | None, ...] = ()
    default: Any = REQUIRED
    span: SourceSpan | None = None

    @property
    def declaration(self) -> str:
        """The parameter's type as it is written in the source."""
        if self.kind != ARRAY:
            return self.dtype or self.kind
        return self.retyped(self.dtype)

    def retyped(self, dtype: str) -> str:
        """Return the type of an array as it would be written with another element type."""
        dims = ", ".join("_" if dim is None else str(dim) for dim in self.dims)
        return f"{dtype}[{dims}]"


@dataclass(frozen=True)
class Interface:
    """The parameters of one kernel, in declaration order.

    Attributes:
        kernel: Name of the kernel.
        parameters: In declaration order.
        sources: Files to quote in messages.
        has_grid: Whether the kernel computes its own grid.
        constants: Values that are compiled in (packages).
    """

    kernel: str
    parameters: tuple[Parameter, ...]
    sources: tuple[SourceFile, ...] = ()
    has_grid: bool = True
    constants: Mapping[str, Any] = field(default_factory=dict)

    def of_kind(self, kind: str) -> tuple[Parameter, ...]:
        """Return the parameters of one kind, in order."""
        return tuple(item for item in self.parameters if item.kind == kind)

    def take_stream(self, keywords: Mapping[str, Any]) -> tuple[Mapping[str, Any], Any]:
        """Return the arguments among `keywords`, and the stream to launch on if one is given.

        `stream` is the stream unless the kernel has a parameter of that name.
        """
        if STREAM not in keywords or any(item.name == STREAM for item in self.parameters):
            return keywords, None
        rest = dict(keywords)
        return rest, rest.pop(STREAM)

    def error(
        self, code: str, message: str, *, hint: str | None = None, at: Parameter | None = None
    ) -> LaunchError:
        """Return a launch error that names the kernel and shows the declaration of `at`."""
        return launch_error(
            code,
            f"{self.kernel}: {message}",
            hint=hint,
            declared=at.span if at is not None else None,
            sources=self.sources,
        )

    def declared(self, failure: LaunchError, at: Parameter) -> LaunchError:
        """Return a launch error with a note that shows the declaration of `at`."""
        if at.span is None:
            return failure
        place = note("declared here", at.span)
        found = [replace(item, notes=(*item.notes, place)) for item in failure.diagnostics]
        return LaunchError(found, self.sources)


def interface_from_signature(signature: Any, source: SourceFile) -> Interface:
    """Return the interface of a kernel in source form.

    Args:
        signature: A `tilec.frontend.semantics.signature.Signature`.
        source: Where the kernel is written.
    """
    from tilec.frontend.semantics import signature as forms

    parameters: list[Parameter] = []
    extents = signature.fixed_extents()
    for item in signature.params:
        if isinstance(item, forms.ArrayParam):
            made = Parameter(item.name, ARRAY, item.dtype, item.dims, span=item.span)
        elif isinstance(item, forms.ScalarParam):
            made = Parameter(item.name, SCALAR, item.dtype, span=item.span)
        elif isinstance(item, forms.ConstParam):
            given = item.name in extents
            default = OPTIONAL if given else _const_default(item.default, forms.Default)
            made = Parameter(item.name, CONST, default=default, span=item.span)
        else:
            default = OPTIONAL if isinstance(item.default, forms.Default) else item.default
            made = Parameter(item.name, DTYPE, default=default, span=item.span)
        parameters.append(made)
    return Interface(signature.name, tuple(parameters), (source,), signature.has_grid)


def _const_default(default: Any, kinds: Any) -> Any:
    if default is kinds.AUTO:
        return OPTIONAL
    return REQUIRED if default is kinds.REQUIRED else default


def interface_from_metadata(metadata: Mapping[str, Any]) -> Interface:
    """Return the interface of a compiled kernel from its metadata."""
    arrays = {item["name"]: item for item in metadata["arrays"]}
    static = metadata.get("static_shape", {})
    named = {
        (array, axis): name
        for name, places in metadata.get("dims", {}).items()
        for array, axis in places
    }
    parameters: list[Parameter] = []
    for item in metadata["params"]:
        if item["kind"] == "pointer":
            name = item["array"]
            extents = static.get(name, [])
            dims = tuple(
                extents[axis]
                if axis < len(extents) and extents[axis] >= 0
                else named.get((name, axis))
                for axis in range(arrays[name]["rank"])
            )
            parameters.append(Parameter(name, ARRAY, arrays[name]["dtype"], dims))
        elif item["kind"] == "scalar":
            parameters.append(Parameter(item["name"], SCALAR, item["dtype"]))
    return Interface(
        metadata["name"],
        tuple(parameters),
        has_grid="grid" in metadata,
        constants=metadata.get("constants", {}),
    )


def bind_call(
    interface: Interface, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """Map the arguments of a call to parameter names.

    Positional arguments go to the parameters in declaration order; `dtype` parameters are
    keyword-only. Constants that a package has compiled in may be repeated with the same value.

    Raises:
        LaunchError: Too many arguments, an unknown or repeated name, or a missing one.
    """
    positional = [item for item in interface.parameters if item.kind != DTYPE]
    if len(arguments) > len(positional):
        raise interface.error(
            "T0701",
            f"takes {len(positional)} arguments ({_names(positional)}), got {len(arguments)}",
        )
    values: dict[str, Any] = {
        item.name: value for item, value in zip(positional, arguments, strict=False)
    }
    known = {item.name for item in interface.parameters}
    for name, value in keywords.items():
        if name in values:
            raise interface.error("T0701", f"got two values for '{name}'")
        if name in known:
            values[name] = value
        elif name in interface.constants:
            _check_compiled_in(interface, name, value)
        else:
            raise interface.error(
                "T0701",
                f"has no parameter '{name}'",
                hint=f"it takes {_names(interface.parameters)}",
            )
    _check_complete(interface, values)
    return values


def _check_complete(interface: Interface, values: Mapping[str, Any]) -> None:
    missing = [
        item
        for item in interface.parameters
        if item.name not in values and (item.kind in (ARRAY, SCALAR) or item.default is REQUIRED)
    ]
    if missing:
        names = join_names(item.name for item in missing)
        raise interface.error("T0701", f"no value for {names}", at=missing[0])


def _check_compiled_in(interface: Interface, name: str, value: Any) -> None:
    compiled = interface.constants[name]
    if value != compiled:
        raise interface.error(
            "T0706", f"{name} = {value!r}, but {name} = {compiled!r} is compiled in"
        )


def _names(parameters: Sequence[Parameter]) -> str:
    return ", ".join(item.name for item in parameters)
