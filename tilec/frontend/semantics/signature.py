"""What a kernel takes: its parameters, read from the syntax tree without MLIR.

The command line and the launcher use a `Signature` to check arguments and to build a
`Specialization`.
"""

import enum
from collections.abc import Mapping

from tilec.frontend.semantics.constant_evaluator import evaluate_constant, shown
from tilec.frontend.semantics.not_yet import Usage, lacking
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.foreign_values import ForeignValue
from tilec.frontend.syntax.qualified import language_name, settle
from tilec.plan.overrides import PlanValue, parse_overrides
from tilec.support.diagnostics import CompileError, Diagnostic, SourceSpan, error, note
from tilec.support.dtypes import DTYPES, DType, Kind
from tilec.support.fast_dataclasses import dataclass, replace
from tilec.support.suggest import did_you_mean

_PYTHON_TYPES = {
    "int": "write 'i32', or 'const' for a number that is known at compile time",
    "float": "write 'f32', or 'const' for a number that is known at compile time",
}
"""What to write for types of Python that have no size."""
_TYPES = "write a scalar 'f32', an array 'f32[M, N]', 'const' or 'dtype'"
_MAX_RANK = 5
"""TMA takes arrays of rank 1 to 5 (cuda.h, cuTensorMapEncodeTiled); so does the language."""


class Default(enum.Enum):
    """What stands in place of a value that the source does not give."""

    AUTO = "auto"
    """The planner chooses."""
    REQUIRED = "required"
    """The caller must give it."""


@dataclass(frozen=True, slots=True)
class ArrayParam:
    """An array: `A: bf16[M, K]`.

    Attributes:
        name: Parameter name.
        dtype: Name of an element type, or of a `dtype` parameter.
        dims: Per axis the name of a dim, a fixed extent in elements, or None for `_`.
        span: Place in the source.
    """

    name: str
    dtype: str
    dims: tuple[str | int | None, ...]
    span: SourceSpan


@dataclass(frozen=True, slots=True)
class ScalarParam:
    """A scalar: `alpha: f32`."""

    name: str
    dtype: str
    span: SourceSpan


@dataclass(frozen=True, slots=True)
class ConstParam:
    """A compile-time value: `BM: const = 128`, `= auto` or without default.

    Without a default it may also be an extent of arrays (`X: f32[M, N], N: const`), which give it
    its value.
    """

    name: str
    default: bool | int | float | Default
    span: SourceSpan


@dataclass(frozen=True, slots=True)
class DTypeParam:
    """An element type: `*, T: dtype`; `default` is a type name or REQUIRED."""

    name: str
    default: str | Default
    span: SourceSpan


Param = ArrayParam | ScalarParam | ConstParam | DTypeParam


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of one kernel.

    Attributes:
        name: Kernel name.
        params: In declaration order.
        dims: Named dims in order of first appearance, each with the places (array, axis) where it
            appears. A `const` that is an extent is none.
        has_grid: Whether the body declares its `grid`; if not, the caller gives one.
        hints: Plan fields from `@kernel(...)`.
        docstring: What the kernel says about itself.
        span: Place of the kernel's name.
    """

    name: str
    params: tuple[Param, ...]
    dims: Mapping[str, tuple[tuple[str, int], ...]]
    has_grid: bool
    hints: Mapping[str, PlanValue]
    docstring: str | None
    span: SourceSpan

    def arrays(self) -> tuple[ArrayParam, ...]:
        """Return the array parameters in order."""
        return tuple(item for item in self.params if isinstance(item, ArrayParam))

    def fixed_extents(self) -> tuple[str, ...]:
        """Return the names of the `const` parameters that are extents of arrays."""
        used = {dim for array in self.arrays() for dim in array.dims}
        return tuple(
            item.name for item in self.params if isinstance(item, ConstParam) and item.name in used
        )

    def find(self, name: str) -> Param | None:
        """Return the parameter called `name`."""
        return next((item for item in self.params if item.name == name), None)


def signature(kernel: ast.FunctionDef, module: ast.Module) -> Signature:
    """Return the signature of a kernel.

    Args:
        kernel: One of `parser.kernels(module)`.
        module: The module it stands in: defaults and extents may use its constants.

    Raises:
        CompileError: With every mistake in the parameter list (T0114, T0115, T0203, T0404).
    """
    reader = _Reader(module, kernel)
    params = reader.params()
    dims = reader.dims(params)
    hints = reader.hints()
    if reader.errors:
        raise CompileError(reader.errors, [module.source])
    return Signature(
        kernel.name,
        params,
        dims,
        grid_statement(kernel, module) is not None,
        hints,
        kernel.docstring,
        kernel.span,
    )


def called_name(node: ast.Expression, module: ast.Module) -> str | None:
    """Return the name in the language of what `node` calls, or None."""
    return language_name(node.function, module) if isinstance(node, ast.Call) else None


def grid_statement(kernel: ast.FunctionDef, module: ast.Module) -> ast.Statement | None:
    """Return the statement of the body that calls `grid`, wherever it stands."""
    for statement in kernel.body:
        if isinstance(statement, ast.Assign | ast.ExpressionStatement) and (
            called_name(statement.value, module) == "grid"
        ):
            return statement
    return None


class _Reader:
    """Collects the parameters and the errors of one kernel."""

    def __init__(self, module: ast.Module, kernel: ast.FunctionDef) -> None:
        self.module = module
        self.kernel = kernel
        self.errors: list[Diagnostic] = []

    def _fail(self, code: str, message: str, span: SourceSpan, hint: str | None = None) -> None:
        self.errors.append(error(code, message, span, hint=hint))

    def params(self) -> tuple[Param, ...]:
        """Return the parameters, leaving out the wrong ones."""
        generic = {
            item.name
            for item in self.kernel.parameters
            if item.annotation is not None and self._type_name(item.annotation) == "dtype"
        }
        result: list[Param] = []
        seen: dict[str, ast.Parameter] = {}
        for item in self.kernel.parameters:
            first = seen.setdefault(item.name, item)
            if first is not item:
                notes = [note("the first one is here", first.span)]
                message = f"two parameters are called '{item.name}'"
                self.errors.append(error("T0203", message, item.span, notes=notes))
                continue
            built = self._param(item, generic)
            if built is not None:
                result.append(built)
        return tuple(result)

    def _param(self, item: ast.Parameter, generic: set[str]) -> Param | None:
        annotation = item.annotation
        if annotation is None:
            self._fail(
                "T0114",
                f"parameter '{item.name}' needs a type",
                item.span,
                "a kernel is a function of its own, not a method"
                if item.name == "self"
                else _TYPES,
            )
            return None
        if isinstance(annotation, ast.Subscript):
            return self._array(item, annotation, generic)
        name = self._type_name(annotation)
        if name == "const":
            return ConstParam(item.name, self._const_default(item), item.span)
        if name == "dtype":
            return DTypeParam(item.name, self._dtype_default(item), item.span)
        if not self._is_dtype(name, generic, annotation):
            return None
        if name in DTYPES and DTYPES[name].kind is Kind.RESTRICTED_FLOAT:
            message = f"a scalar cannot have the type {name}: only arrays and tiles can"
            self._fail("T0114", message, annotation.span)
            return None
        if item.default is not None:
            self._fail(
                "T0114",
                f"scalar '{item.name}' cannot have a default",
                item.default.span,
                "make it a 'const', or pass it at every call",
            )
        return ScalarParam(item.name, name or "", item.span)

    def _type_name(self, node: ast.Expression) -> str | None:
        """Return the name that a type expression spells, through constants that stand for it."""
        node, module = settle(node, self.module)
        if isinstance(node, ast.Name):
            alias = module.constants.get(node.id)
            value = module.globals.get(node.id)
            if isinstance(value, DType):
                return value.name
            if alias is not None:
                return language_name(alias, module)
            if node.id in ("const", "dtype"):
                return node.id
            if isinstance(value, ForeignValue):
                return None
        return language_name(node, module)

    def _is_dtype(self, name: str | None, generic: set[str], node: ast.Expression) -> bool:
        if name in DTYPES or name in generic:
            return True
        known = [*DTYPES, *generic, "const", "dtype"]
        shown = f"unknown type '{name}'" if name else "this is not a type"
        hint = _PYTHON_TYPES.get(name or "") or did_you_mean(name or "", known)
        self._fail("T0114", shown, node.span, _type_hint(node) if name is None else hint)
        return False

    def _array(
        self, item: ast.Parameter, annotation: ast.Subscript, generic: set[str]
    ) -> ArrayParam | None:
        name = self._type_name(annotation.value)
        if not self._is_dtype(name, generic, annotation.value):
            return None
        if item.default is not None:
            self._fail("T0114", f"array '{item.name}' cannot have a default", item.default.span)
        if not annotation.items:
            message = f"array '{item.name}' needs one to {_MAX_RANK} axes"
            self._fail("T0114", message, annotation.span, f"write '{item.name}: {name}[M, N]'")
            return None
        if len(annotation.items) > _MAX_RANK:
            message = f"array '{item.name}' has {len(annotation.items)} axes"
            self._fail("T0114", f"{message}; the limit is {_MAX_RANK}", annotation.span)
        dims = tuple(self._dim(node) for node in annotation.items)
        return ArrayParam(item.name, name or "", dims, item.span)

    def _dim(self, node: ast.Expression) -> str | int | None:
        if isinstance(node, ast.Name) and not self._is_constant(node):
            return None if node.id == "_" else node.id
        try:
            value = evaluate_constant(node, self.module)
        except CompileError as failure:
            hint = (
                "an extent is a name, a positive integer or '_': name it, and check it by 'assert'"
            )
            is_computed = not isinstance(node, ast.Name)
            self.errors += [
                replace(item, hint=item.hint or hint) if is_computed else item
                for item in failure.diagnostics
            ]
            return None
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        self._fail(
            "T0114",
            f"an extent is a name, a positive integer or '_', not {shown(value)}",
            node.span,
        )
        return None

    def _is_constant(self, node: ast.Name) -> bool:
        name, module = settle(node, self.module)
        if not isinstance(name, ast.Name):
            return True
        return name.id in module.constants or isinstance(module.globals.get(name.id), int)

    def _const_default(self, item: ast.Parameter) -> bool | int | float | Default:
        if item.default is None:
            return Default.REQUIRED
        if language_name(item.default, self.module) == "auto":
            return Default.AUTO
        try:
            value = evaluate_constant(item.default, self.module)
        except CompileError as failure:
            self.errors.extend(failure.diagnostics)
            return Default.REQUIRED
        if isinstance(value, bool | int | float):
            return value
        self._fail("T0404", f"a const is a number, not {shown(value)}", item.default.span)
        return Default.REQUIRED

    def _dtype_default(self, item: ast.Parameter) -> str | Default:
        if item.default is None:
            return Default.REQUIRED
        name = self._type_name(item.default)
        if name is not None and name in DTYPES:
            return name
        self._fail(
            "T0114",
            "the default of a 'dtype' parameter is an element type",
            item.default.span,
            did_you_mean(name or "", DTYPES),
        )
        return Default.REQUIRED

    def dims(self, params: tuple[Param, ...]) -> dict[str, tuple[tuple[str, int], ...]]:
        """Return where each named dim appears, and check the names."""
        places: dict[str, list[tuple[str, int]]] = {}
        by_name = {item.name: item for item in params}
        for item in params:
            if not isinstance(item, ArrayParam):
                continue
            for axis, dim in enumerate(item.dims):
                if not isinstance(dim, str):
                    continue
                other = by_name.get(dim)
                if isinstance(other, ConstParam) and other.default is Default.REQUIRED:
                    continue
                places.setdefault(dim, []).append((item.name, axis))
                if other is not None and len(places[dim]) == 1:
                    self._clash(dim, other, item)
        return {name: tuple(items) for name, items in places.items()}

    def _clash(self, dim: str, clash: Param, array: ArrayParam) -> None:
        what, hint = "parameter", "rename one of them"
        message = f"'{dim}' names a dim of '{array.name}' and also a {what}"
        if isinstance(clash, ConstParam):
            what, hint = "const", "leave out the default: the extent is the value"
            message = f"'{dim}' is an extent of '{array.name}', but it has a value of its own"
        notes = [note(f"the {what} is declared here", clash.span)]
        self.errors.append(error("T0203", message, array.span, notes=notes, hint=hint))

    def hints(self) -> dict[str, PlanValue]:
        """Return the plan fields that `@kernel(...)` fixes."""
        result: dict[str, PlanValue] = {}
        for decorator in self.kernel.decorators:
            for keyword in decorator.hints:
                try:
                    value = evaluate_constant(keyword.value, self.module)
                    parse_overrides({keyword.name: value})
                except CompileError as failure:
                    entry = lacking(Usage.HINT, keyword.name)
                    found = failure.diagnostics
                    if entry is not None:
                        message = entry.message(keyword.name)
                        found = (error("T0420", message, keyword.span, hint=entry.hint),)
                    self.errors.extend(
                        item if item.span else replace(item, span=keyword.span) for item in found
                    )
                else:
                    result[keyword.name] = value
        return result


def _type_hint(node: ast.Expression) -> str:
    """Return what to write instead of an annotation that names no type of the language."""
    if isinstance(node, ast.Literal) and isinstance(node.value, str):
        return "leave out the quotes: an annotation is never run"
    entry = lacking(Usage.FUNCTION, node.name) if isinstance(node, ast.Attribute) else None
    return _TYPES if entry is None else entry.hint
