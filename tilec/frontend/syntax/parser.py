"""From the text of a source to its syntax tree. Imports no MLIR."""

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from lark import Tree

from tilec.frontend.syntax import ast
from tilec.frontend.syntax.expression_builder import NestingError
from tilec.frontend.syntax.imports import ImportReader, twice
from tilec.frontend.syntax.limits import MAX_SOURCE_CHARACTERS
from tilec.frontend.syntax.qualified import dotted_name, language_member
from tilec.frontend.syntax.source_scan import Scanner
from tilec.frontend.syntax.syntax_errors import parse_with_recovery
from tilec.frontend.syntax.tree_builder import TreeBuilder
from tilec.support.diagnostics import CompileError, Diagnostic, SourceFile, SourceSpan, error
from tilec.support.fast_dataclasses import replace
from tilec.support.kernel_selection import select_kernel

_IMPORTS = ("import_statement", "import_from")
_KEPT_FILES = 32
"""Files whose syntax is kept for the next kernel that is compiled from them or imports them."""


def parse_source(
    source: SourceFile, module_globals: Mapping[str, Any] = MappingProxyType({})
) -> ast.Module:
    """Parse one `.tile` source with the files that it imports, or a function in Python.

    Args:
        source: Text and the name to show for it.
        module_globals: Values of the surrounding Python module, see `ast.Module.globals`.

    Returns:
        The module. It may hold no kernel: `kernels` and `find_kernel` check that.

    Raises:
        CompileError: With every syntax error that was found (codes T01xx), or for an import that
            cannot be resolved (T0201, T0203, T0216).
    """
    reader = ImportReader(source, _parse_imported)
    module = _parse(source, module_globals, reader)
    return replace(module, imports=reader.sources())


def _parse_imported(source: SourceFile, reader: ImportReader) -> ast.Module:
    return _parse(source, MappingProxyType({}), reader)


def _parse(
    source: SourceFile, module_globals: Mapping[str, Any], reader: ImportReader
) -> ast.Module:
    """Parse one file and, with `reader`, those that it imports."""
    module, imports = _syntax(source)
    aliases, names = reader.bind(source, imports)
    module = replace(module, aliases=aliases, globals={**module_globals, **names})
    wrong = _wrong_decorators(module)
    if wrong:
        raise CompileError(_in_order(wrong), [source])
    return module


@functools.lru_cache(maxsize=_KEPT_FILES)
def _syntax(source: SourceFile) -> tuple[ast.Module, tuple[ast.Import, ...]]:
    """Return what stands in one file, which depends on no other, and its imports."""
    _check_size(source)
    scan = Scanner(source).run()
    errors = list(scan.errors)
    if scan.fatal:
        raise CompileError(_in_order(errors), [source])
    if not scan.lines:
        raise CompileError(error("T0108", "the file is empty", _start(source)), [source])
    if errors:
        raise CompileError(_in_order(errors), [source])
    tree, errors = parse_with_recovery(source, scan.lines, scan.lines[0].width)
    if tree is None:
        raise CompileError(_in_order(errors), [source])
    builder = TreeBuilder(source.name)
    try:
        module, imports = _build_module(source, tree, builder)
    except NestingError as failure:
        raise CompileError(failure.diagnostic, [source]) from None
    _check_clashes(module, imports, builder)
    if builder.diagnostics:
        raise CompileError(_in_order(builder.diagnostics), [source])
    return module, tuple(imports)


def _check_size(source: SourceFile) -> None:
    """Raise when a source is too large; the empty lines above a Python function do not count."""
    size = len(source.text.strip())
    if size > MAX_SOURCE_CHARACTERS:
        message = f"the source has {size} characters; the limit is {MAX_SOURCE_CHARACTERS}"
        hint = "split it into several files, or use a loop or a helper for code that repeats"
        raise CompileError(error("T0210", message, _start(source), hint=hint), [source])


def _start(source: SourceFile) -> SourceSpan:
    return SourceSpan(source.name, 1, 1, 1, 2)


def _in_order(errors: list[Diagnostic]) -> list[Diagnostic]:
    return sorted(errors, key=lambda item: (item.span.line, item.span.column) if item.span else ())


def _build_module(
    source: SourceFile, tree: Tree, builder: TreeBuilder
) -> tuple[ast.Module, list[ast.Import]]:
    """Return the module of a parse tree, and its imports, which are not resolved yet."""
    functions: dict[str, ast.FunctionDef] = {}
    constants: dict[str, ast.Expression] = {}
    imports: list[ast.Import] = []
    for child in tree.children:
        if not isinstance(child, Tree):
            continue
        if child.data == "simple_line":
            child = _without_imports(child, builder, imports)
        for statement in builder.statements([child]):
            _add_statement(statement, functions, constants, builder)
    return ast.Module(_start(source), source, functions, constants, {}), imports


def _without_imports(line: Tree, builder: TreeBuilder, imports: list[ast.Import]) -> Tree:
    """Add the imports of a line to `imports` and return the line without them."""
    others: list[Any] = []
    for item in line.children:
        if isinstance(item, Tree) and item.data in _IMPORTS:
            imports.extend(builder.imports(item))
        else:
            others.append(item)
    return Tree(line.data, others, line.meta)


def _check_clashes(module: ast.Module, imports: list[ast.Import], builder: TreeBuilder) -> None:
    """Report imported names that the file defines, too."""
    for item in imports:
        defined = module.functions.get(item.bound) or module.constants.get(item.bound)
        if defined is not None:
            builder.diagnostics.append(twice(item.bound, defined.span, item.span))


def _wrong_decorators(module: ast.Module) -> list[Diagnostic]:
    """Return an error for each decorator of another module than tilec."""
    errors: list[Diagnostic] = []
    for definition in module.functions.values():
        for item in definition.decorators:
            dotted = dotted_name(item.function, module)
            if isinstance(item.function, ast.Attribute) and language_member(dotted or "") is None:
                message = f"'{dotted}' is not tilec's '{item.name}'"
                hint = f"write '@{item.name}'"
                errors.append(error("T0115", message, item.span, hint=hint))
    return errors


def _add_statement(
    statement: ast.Statement,
    functions: dict[str, ast.FunctionDef],
    constants: dict[str, ast.Expression],
    builder: TreeBuilder,
) -> None:
    if isinstance(statement, ast.FunctionDef):
        first = functions.setdefault(statement.name, statement)
        if first is not statement:
            builder.diagnostics.append(twice(statement.name, statement.span, first.span))
        return
    if isinstance(statement, ast.Assign) and all(
        isinstance(target, ast.Name) for target in statement.targets
    ):
        if statement.annotation is not None:
            message = "a module constant has no annotation: its type comes from its uses"
            builder.fail("T0321", message, statement.annotation.span, "remove the annotation")
        for target in statement.targets:
            if isinstance(target, ast.Name):
                constants[target.id] = statement.value
        return
    is_docstring = isinstance(statement, ast.ExpressionStatement) and isinstance(
        statement.value, ast.Literal
    )
    if not is_docstring and not isinstance(statement, ast.Pass):
        builder.fail(
            "T0112",
            "only kernels, functions, constants and imports can stand outside a function",
            statement.span,
        )


def kernels(module: ast.Module) -> tuple[ast.FunctionDef, ...]:
    """Return the kernels of a module, in source order.

    Raises:
        CompileError: There is none (T0109).
    """
    found = tuple(item for item in module.functions.values() if item.is_kernel)
    if found:
        return found
    hint = "mark a function with '@kernel'"
    first = next(iter(module.functions.values()), None)
    if first is not None:
        hint = f"write '@kernel' above 'def {first.name}'"
    span = first.span if first is not None else module.span
    raise CompileError(
        error("T0109", "there is no kernel in this file", span, hint=hint), [module.source]
    )


def find_kernel(module: ast.Module, wanted: str | None = None) -> ast.FunctionDef:
    """Return the kernel called `wanted`, or the only one.

    Raises:
        CompileError: There is no kernel (T0109) or none of that name, or there are several and no
            name is given (T0006).
    """
    found = {kernel.name: kernel for kernel in kernels(module)}
    first = next(iter(found.values()))
    return found[select_kernel(found, wanted, module.source.name, first.span, [module.source])]
