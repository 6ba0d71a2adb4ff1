"""What a kernel is compiled for, checked against its signature: types, constants, array facts."""

from collections.abc import Mapping
from numbers import Integral

from tilec.frontend.semantics.signature import (
    ArrayParam,
    ConstParam,
    Default,
    DTypeParam,
    ScalarParam,
    Signature,
)
from tilec.frontend.syntax import ast
from tilec.request.specialization import (
    MAX_EXTENT,
    ArraySpec,
    ConstantValue,
    Specialization,
    row_major,
)
from tilec.support.diagnostics import CompileError, Diagnostic, SourceSpan, error
from tilec.support.dtypes import DTYPES, DType, Kind
from tilec.support.fast_dataclasses import dataclass, replace
from tilec.support.suggest import did_you_mean


@dataclass(slots=True)
class BoundKernel:
    """A kernel with everything that its specialization fixes.

    Attributes:
        signature: Its parameters.
        arrays: Facts about each array parameter.
        dtypes: Element type of each `dtype` parameter.
        constants: Values of `const` parameters; the `auto` ones are missing until planned.
        automatic: Names of the `const` parameters that the planner chooses.
        divisors: Known divisors of dims and scalars.
    """

    signature: Signature
    arrays: dict[str, ArraySpec]
    dtypes: dict[str, DType]
    constants: dict[str, ConstantValue]
    automatic: tuple[str, ...]
    divisors: Mapping[str, int]

    def dtype(self, name: str) -> DType:
        """Return an element type by its name or by the name of a `dtype` parameter."""
        return self.dtypes[name] if name in self.dtypes else DTYPES[name]


class _Binder:
    def __init__(self, signature: Signature, specialization: Specialization) -> None:
        self.signature = signature
        self.specialization = specialization
        self.errors: list[Diagnostic] = []

    def fail(self, code: str, message: str, span: SourceSpan, hint: str | None = None) -> None:
        self.errors.append(error(code, message, span, hint=hint))

    def check_names(self) -> None:
        """Report names in the specialization that the kernel does not have."""
        given = self.specialization
        scalars = [item.name for item in self.signature.params if isinstance(item, ScalarParam)]
        dims = [*self.signature.dims, *_anonymous_dims(self.signature)]
        groups = (
            ("constant", given.constants, self._names(ConstParam)),
            ("element type", given.dtypes, self._names(DTypeParam)),
            ("array", given.arrays, self._names(ArrayParam)),
            ("dim or scalar", given.divisors, [*dims, *scalars]),
            ("dim", given.sizes, dims),
        )
        for what, names, known in groups:
            for name in names:
                if name not in known:
                    message = f"kernel '{self.signature.name}' has no {what} '{name}'"
                    hint = did_you_mean(name, known)
                    if hint is None and known:
                        hint = f"it has: {', '.join(known)}"
                    self.fail("T0007", message, self.signature.span, hint)

    def check_numbers(self) -> None:
        """Report extents and divisors that no dim can have."""
        given = self.specialization
        for what, numbers, least in (("size", given.sizes, 0), ("divisor", given.divisors, 1)):
            for name, number in numbers.items():
                if not isinstance(number, Integral) or not least <= number <= MAX_EXTENT:
                    message = f"the {what} of '{name}' is {number!r}"
                    hint = f"expected an integer from {least} to {MAX_EXTENT}"
                    self.fail("T0008", message, self.signature.span, hint)

    def _names(self, kind: type) -> list[str]:
        return [item.name for item in self.signature.params if isinstance(item, kind)]

    def dtypes(self) -> dict[str, DType]:
        """Return the element type of every `dtype` parameter."""
        result: dict[str, DType] = {}
        for param in self.signature.params:
            if isinstance(param, DTypeParam):
                result[param.name] = DTYPES[self._dtype_name(param)]
        return result

    def _dtype_name(self, param: DTypeParam) -> str:
        given = self.specialization.dtypes.get(param.name)
        if given is not None and given not in DTYPES:
            message = f"'{given}' is not an element type"
            self.fail("T0404", message, param.span, did_you_mean(given, DTYPES))
            return "f32"
        for array in self.signature.arrays():
            spec = self.specialization.arrays.get(array.name)
            if array.dtype == param.name and spec is not None and given is None:
                given = spec.dtype
        if given is not None:
            return given
        if isinstance(param.default, str):
            return param.default
        message = f"the element type '{param.name}' is not known"
        hint = f"give it, for example '-D {param.name}=bf16'"
        self.fail("T0013", message, param.span, hint)
        return "f32"

    def arrays(self, dtypes: Mapping[str, DType]) -> dict[str, ArraySpec]:
        """Return the facts about every array; row-major and aligned where nothing is said."""
        result: dict[str, ArraySpec] = {}
        for array in self.signature.arrays():
            dtype = dtypes[array.dtype] if array.dtype in dtypes else DTYPES[array.dtype]
            rank = len(array.dims)
            spec = self.specialization.arrays.get(array.name)
            if spec is None:
                spec = ArraySpec(dtype.name, row_major(rank))
            elif spec.rank != rank:
                axes = "1 axis" if rank == 1 else f"{rank} axes"
                message = f"array '{array.name}' has {axes}, but is used with {spec.rank}"
                self.fail("T0301", message, array.span)
            elif (spec.dtype, dtype.name) == ("f32", "tf32"):
                # No array library has tf32: its values lie in memory as f32.
                spec = replace(spec, dtype=dtype.name)
            elif spec.dtype != dtype.name:
                message = f"array '{array.name}' holds {dtype.name}, but is used with {spec.dtype}"
                self.fail("T0306", message, array.span)
            result[array.name] = spec
        return result

    def check_scalars(self, dtypes: Mapping[str, DType]) -> None:
        """Report scalars whose generic type turned out to be one that only tiles hold."""
        for param in self.signature.params:
            if not isinstance(param, ScalarParam) or param.dtype not in dtypes:
                continue
            dtype = dtypes[param.dtype]
            if dtype.kind is Kind.RESTRICTED_FLOAT:
                message = f"a scalar cannot have the type {dtype.name}: only arrays and tiles can"
                self.fail("T0306", message, param.span)

    def with_extents(self, constants: Mapping[str, ConstantValue]) -> Signature:
        """Return the signature with the values of the constants that are extents of arrays."""
        extents: dict[str, int] = {}
        for name in self.signature.fixed_extents():
            value, param = constants.get(name), self.signature.find(name)
            if type(value) is int and 1 <= value <= MAX_EXTENT:
                extents[name] = value
            elif value is not None and param is not None:
                message = f"'{name}' is an extent of an array, but its value is {value}"
                hint = f"expected an integer from 1 to {MAX_EXTENT}"
                self.fail("T0008", message, param.span, hint)
        params = tuple(
            replace(item, dims=tuple(_known_extent(dim, extents) for dim in item.dims))
            if isinstance(item, ArrayParam)
            else item
            for item in self.signature.params
        )
        return replace(self.signature, params=params)

    def constants(self) -> tuple[dict[str, ConstantValue], tuple[str, ...]]:
        """Return the known constants, and the names of those that the planner chooses."""
        values: dict[str, ConstantValue] = {}
        automatic: list[str] = []
        for param in self.signature.params:
            if not isinstance(param, ConstParam):
                continue
            if param.name in self.specialization.constants:
                values[param.name] = self.specialization.constants[param.name]
            elif param.default is Default.AUTO:
                automatic.append(param.name)
            elif isinstance(param.default, Default):
                message = f"constant '{param.name}' has no value"
                hint = f"give one, for example '-D {param.name}=128'"
                if param.name not in self.signature.fixed_extents():
                    hint += ", or a default"
                self.fail("T0401", message, param.span, hint)
            else:
                values[param.name] = param.default
        return values, tuple(automatic)


def _known_extent(dim: str | int | None, extents: Mapping[str, int]) -> str | int | None:
    return extents.get(dim, dim) if isinstance(dim, str) else dim


def _anonymous_dims(signature: Signature) -> list[str]:
    return [
        f"{array.name}.shape[{axis}]"
        for array in signature.arrays()
        for axis, dim in enumerate(array.dims)
        if dim is None
    ]


def bind_kernel(
    signature: Signature, specialization: Specialization, module: ast.Module
) -> BoundKernel:
    """Check a specialization against a signature and fill in the defaults.

    Raises:
        CompileError: With every mistake (T0007, T0008, T0013, T0301, T0306, T0401, T0404).
    """
    binder = _Binder(signature, specialization)
    binder.check_names()
    binder.check_numbers()
    dtypes = binder.dtypes()
    arrays = binder.arrays(dtypes)
    binder.check_scalars(dtypes)
    constants, automatic = binder.constants()
    signature = binder.with_extents(constants)
    if binder.errors:
        raise CompileError(binder.errors, [module.source])
    return BoundKernel(signature, arrays, dtypes, constants, automatic, specialization.divisors)
