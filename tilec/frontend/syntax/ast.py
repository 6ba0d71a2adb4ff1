"""The syntax tree of a tilec source: frozen nodes, each with its source range.

The parser makes these nodes; `tilec.frontend.semantics` gives them meaning. Nothing here knows
types or values.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tilec.support.diagnostics import SourceFile, SourceSpan
from tilec.support.fast_dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Node:
    """Anything with a place in the source."""

    span: SourceSpan


# Expressions


@dataclass(frozen=True, slots=True)
class Expression(Node):
    """A node that has a value."""


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """A variable, parameter, builtin or function."""

    id: str


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """A number, string, `True`, `False`, `None` or `...`, as the Python value."""

    value: Any


@dataclass(frozen=True, slots=True)
class FormatField(Node):
    """`{value:spec}` in an f-string."""

    value: Expression
    spec: str


@dataclass(frozen=True, slots=True)
class FormattedString(Expression):
    """An f-string: texts and fields, in order."""

    parts: tuple[str | FormatField, ...]


@dataclass(frozen=True, slots=True)
class TupleExpression(Expression):
    """`(a, b)`, `a, b` or `[a, b]`: tilec has one kind of sequence."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class UnaryOperation(Expression):
    """`-x`, `+x`, `~x` or `not x`."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class BinaryOperation(Expression):
    """An arithmetic or bit operation."""

    operator: str
    left: Expression
    right: Expression


def operator_chain(node: BinaryOperation) -> tuple[list[BinaryOperation], Expression]:
    """Return the links of `a + b - c`, innermost first, and its first operand.

    A chain is as deep as it is long, so code that follows it must not recurse.
    """
    links: list[BinaryOperation] = []
    first: Expression = node
    while isinstance(first, BinaryOperation):
        links.append(first)
        first = first.left
    return links[::-1], first


@dataclass(frozen=True, slots=True)
class BooleanOperation(Expression):
    """`a and b` or `a or b`, with two or more operands."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Comparison(Expression):
    """`a < b`, or a chain such as `a < b <= c`."""

    operators: tuple[str, ...]
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Conditional(Expression):
    """`value if condition else otherwise`."""

    condition: Expression
    value: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Attribute(Expression):
    """`value.name`."""

    value: Expression
    name: str
    name_span: SourceSpan


@dataclass(frozen=True, slots=True)
class Keyword(Node):
    """`name=value` in a call."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """`function(arguments, keywords)`."""

    function: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    """`lambda parameters: value`, as a function that returns the value."""

    definition: "FunctionDef"


@dataclass(frozen=True, slots=True)
class Slice(Expression):
    """`start:stop:step` inside brackets."""

    start: Expression | None
    stop: Expression | None
    step: Expression | None


@dataclass(frozen=True, slots=True)
class Subscript(Expression):
    """`value[items]`; `is_tuple` tells `x[a,]` from `x[a]`."""

    value: Expression
    items: tuple[Expression, ...]
    is_tuple: bool


# Statements


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """One statement."""


@dataclass(frozen=True, slots=True)
class ExpressionStatement(Statement):
    """An expression whose value is dropped, such as a call of `store`."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """`target = value`; several targets for `a = b = value`, a type for `a: type = value`."""

    targets: tuple[Expression, ...]
    value: Expression
    annotation: Expression | None = None


@dataclass(frozen=True, slots=True)
class AugmentedAssign(Statement):
    """`target operator= value`; `operator` comes without the `=`."""

    target: Name
    operator: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Return(Statement):
    """`return` with or without a value."""

    value: Expression | None


@dataclass(frozen=True, slots=True)
class Assert(Statement):
    """`assert condition, message`."""

    condition: Expression
    message: Expression | None


@dataclass(frozen=True, slots=True)
class Pass(Statement):
    """`pass`."""


@dataclass(frozen=True, slots=True)
class Break(Statement):
    """`break`."""


@dataclass(frozen=True, slots=True)
class Continue(Statement):
    """`continue`."""


@dataclass(frozen=True, slots=True)
class If(Statement):
    """`if`; an `elif` is an `If` inside `otherwise`. `span` covers the header."""

    condition: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class For(Statement):
    """`for targets in iterable`. `span` covers the header."""

    targets: tuple[Name, ...]
    iterable: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class While(Statement):
    """`while condition`. `span` covers the header."""

    condition: Expression
    body: tuple[Statement, ...]


# Functions and modules


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """One parameter of a function; `keyword_only` when it follows `*`."""

    name: str
    annotation: Expression | None
    default: Expression | None
    keyword_only: bool


@dataclass(frozen=True, slots=True)
class Decorator(Node):
    """`@name` or `@name(hints)`; `name` is the last part of a dotted name, `function`."""

    name: str
    function: Expression
    hints: tuple[Keyword, ...]


@dataclass(frozen=True, slots=True)
class FunctionDef(Statement):
    """A kernel or a helper. `span` covers the name; a docstring is not part of `body`."""

    name: str
    decorators: tuple[Decorator, ...]
    type_parameters: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    docstring: str | None

    @property
    def is_kernel(self) -> bool:
        """Whether it is marked `@kernel`."""
        return any(item.name == "kernel" for item in self.decorators)


@dataclass(frozen=True, slots=True)
class Import(Node):
    """One name of an import statement; `span` covers the name that is taken, or the module.

    Attributes:
        bound: The name that it gives in this file.
        module: Dotted name of the module.
        module_span: Where the module is named.
        name: The name taken from the module; None for the module itself.
        has_alias: Whether `as` gives the name.
    """

    bound: str
    module: str
    module_span: SourceSpan
    name: str | None = None
    has_alias: bool = False

    @property
    def is_path(self) -> bool:
        """Whether it is `import a.b`, which binds `a`."""
        return self.name is None and not self.has_alias

    @property
    def dotted(self) -> str:
        """Dotted name of what `bound` means."""
        if self.name is not None:
            return f"{self.module}.{self.name}"
        return self.bound if self.is_path else self.module


@dataclass(frozen=True, slots=True)
class ImportedName:
    """A name that `from other import name` takes from another `.tile` file.

    Attributes:
        module: The file.
        name: The name there.
    """

    module: "Module"
    name: str


@dataclass(frozen=True, slots=True)
class Namespace:
    """A module whose members a kernel uses by dotted names: a `.tile` file or a Python module.

    Attributes:
        name: Its dotted name, for messages.
        module: The members. Of a Python module it has only `globals`, and only what the kernel
            mentions.
        known: Further names that the module has, to suggest one for a misspelled name.
    """

    name: str
    module: "Module"
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Module(Node):
    """One parsed source file.

    Attributes:
        source: The file.
        functions: Kernels and helpers by name, in source order.
        constants: Expressions of module-level assignments, by name.
        aliases: Names of libraries bound by imports: alias -> imported dotted name.
        globals: What other files provide. From other `.tile` files: `ImportedName` and `Namespace`.
            From the surrounding Python module (decorated functions only): numbers, strings, tuples
            of them, element types, Python modules, names of the language (`LanguageName`), a
            `Namespace` for a helper module, a `Module` that holds a helper function, the
            `CompileError` that its source gave, or a `ForeignValue`.
        imports: The `.tile` files that it imports, and those that they import; of the file that
            was compiled only.
    """

    source: SourceFile
    functions: Mapping[str, FunctionDef]
    constants: Mapping[str, Expression]
    aliases: Mapping[str, str]
    globals: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    imports: tuple[SourceFile, ...] = ()

    @property
    def sources(self) -> tuple[SourceFile, ...]:
        """The file, and all that it imports."""
        return (self.source, *self.imports)

    def has(self, name: str) -> bool:
        """Tell whether the file gives `name` a meaning, by a definition or an import."""
        return any(name in names for names in self.scopes)

    @property
    def scopes(self) -> tuple[Mapping[str, Any], ...]:
        """The places where a name can have its meaning; the first one that has it counts."""
        return self.functions, self.constants, self.aliases, self.globals
