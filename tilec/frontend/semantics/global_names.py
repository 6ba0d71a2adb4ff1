"""What names mean outside of functions: definitions, imports, values of Python, the language."""

from types import ModuleType
from typing import Any

from tilec.frontend.semantics import hir
from tilec.frontend.semantics.builtins.table import BUILTINS
from tilec.frontend.semantics.closures import used_before
from tilec.frontend.semantics.constant_names import CONSTANT_NAMES
from tilec.frontend.semantics.context import Context, Frame, SemanticError
from tilec.frontend.semantics.names import assigned_names
from tilec.frontend.semantics.not_yet import Usage, lacking
from tilec.frontend.semantics.values import (
    AnyValue,
    BuiltinValue,
    Constant,
    DTypeValue,
    FunctionValue,
    NamespaceValue,
    TupleValue,
)
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.foreign_values import ForeignValue, LanguageName
from tilec.frontend.syntax.library import library_member
from tilec.frontend.syntax.qualified import (
    LANGUAGE_MODULES,
    LIBRARY,
    SHORT_NAMES,
    language_member,
)
from tilec.lib import FILES
from tilec.support.diagnostics import CompileError, SourceSpan, note
from tilec.support.dtypes import DTYPES, DType
from tilec.support.fast_dataclasses import replace
from tilec.support.suggest import did_you_mean


def unknown_name(ctx: Context, node: ast.Name) -> SemanticError:
    """Return the error that a name means nothing."""
    entry = lacking(Usage.FUNCTION, node.id) or lacking(Usage.MODULE, node.id)
    if entry is not None:
        return ctx.fail_lacking(entry, node.id, node.span)
    if node.id in assigned_names(ctx.frame.function.body):
        return used_before(ctx, node.id, node.span)
    module = ctx.frame.module
    known = [*ctx.frame.variables, *module.functions, *module.constants, *module.globals]
    hint = did_you_mean(node.id, known) or did_you_mean(node.id, [*BUILTINS, *DTYPES])
    hint = _library_hint(node.id) or hint
    if node.id.isupper():  # as extents of tiles are written
        hint = f"{hint} Or declare" if hint else "declare"
        hint += f" the parameter '{node.id}: const'"
    return ctx.fail("T0201", f"unknown name '{node.id}'", node.span, hint=hint)


def unimported_member(ctx: Context, node: ast.Attribute) -> SemanticError | None:
    """Return the error for `np.sqrt` without an import: what tilec has instead; None for others."""
    if not isinstance(node.value, ast.Name):
        return None
    module, name = node.value.id, node.name
    entry, member = lacking(Usage.MODULE, module), lacking(Usage.FUNCTION, name)
    if entry is None or module in ctx.frame.variables:
        return None
    hint = _library_hint(name) or (member.hint if member is not None else None)
    if _language_value(name, node.span) is not None:
        hint = f"write '{name}', without '{module}.'"
    return ctx.fail("T0318", entry.message(module), node.span, hint=hint or entry.hint)


def _library_hint(name: str) -> str | None:
    """Return how to import a function of the standard library; None for another name."""
    return f"write 'from {LIBRARY} import {name}'" if name in FILES else None


def global_value(
    ctx: Context, name: str, span: SourceSpan, module: ast.Module | None = None
) -> AnyValue | None:
    """Return what a name means outside the functions of a module, or None.

    Args:
        ctx: The analysis.
        name: The name.
        span: Where it is used.
        module: The module; by default that of the function that is analysed.
    """
    module = module or ctx.frame.module
    if name in module.functions:
        return FunctionValue(module.functions[name], module)
    if name in module.constants:
        return _module_constant(ctx, name, module)
    if name in module.aliases:
        return _imported(ctx, module.aliases[name], span)
    if name in module.globals:
        return _outer_value(ctx, name, module.globals[name], span)
    found = _language_value(name, span)
    if found is not None or name not in SHORT_NAMES:
        return found
    return NamespaceValue(SHORT_NAMES[name])


def _module_constant(ctx: Context, name: str, module: ast.Module) -> AnyValue:
    """Evaluate a module-level assignment, where no local variable is visible."""
    node = module.constants[name]
    key = (module.source.name, name)
    if key in ctx.known_constants:
        return ctx.known_constants[key]
    if key in ctx.open_constants:
        raise ctx.fail("T0403", f"module constant '{name}' depends on itself", node.span)
    outer = ctx.frame
    nothing = ast.FunctionDef(node.span, name, (), (), (), (), None)
    ctx.frame = Frame(nothing, module, call_span=outer.call_span, caller=outer.caller)
    ctx.open_constants.add(key)
    try:
        with ctx.in_block(hir.Block()) as block:
            value = ctx.evaluate(node)
    finally:
        ctx.frame = outer
        ctx.open_constants.discard(key)
    if block.operations:
        raise ctx.fail("T0403", f"module constant '{name}' is not a constant", node.span)
    ctx.known_constants[key] = value
    return value


def _imported(ctx: Context, dotted: str, span: SourceSpan) -> AnyValue:
    function = library_member(dotted)
    if function is not None:
        return _imported_name(ctx, function, span)
    name = language_member(dotted)
    found = _language_value(name, span) if name is not None else None
    return NamespaceValue(dotted) if found is None else found


def _language_value(name: str, span: SourceSpan) -> AnyValue | None:
    """Return what a name of the language means, or None."""
    if name in BUILTINS:
        return BuiltinValue(name, BUILTINS[name])
    if name in DTYPES:
        return DTypeValue(DTYPES[name])
    if name in CONSTANT_NAMES:
        return Constant(CONSTANT_NAMES[name], span)
    return None


def _outer_value(ctx: Context, name: str, value: Any, span: SourceSpan) -> AnyValue:
    """Return a value of another `.tile` file, or of the Python module around a kernel."""
    if isinstance(value, ast.ImportedName):
        return _imported_name(ctx, value, span)
    if isinstance(value, ast.Namespace):
        return NamespaceValue(value.name, value)
    if isinstance(value, ast.Module):
        ctx.add_source(value.source)
        return FunctionValue(next(iter(value.functions.values())), value)
    if isinstance(value, CompileError):
        for source in value.sources:
            ctx.add_source(source)
        use = note(f"'{name}' is compiled because it is used here", span)
        found = [replace(item, notes=(*item.notes, use)) for item in value.diagnostics]
        raise CompileError(found, [*value.sources, ctx.frame.module.source])
    return _python_value(ctx, name, value, span)


def _imported_name(ctx: Context, name: ast.ImportedName, span: SourceSpan) -> AnyValue:
    ctx.add_source(name.module.source)
    found = global_value(ctx, name.name, span, name.module)
    if found is None:
        raise ctx.fail("T0201", f"unknown name '{name.name}'", span)
    return found


def _python_value(ctx: Context, name: str, value: Any, span: SourceSpan) -> AnyValue:
    """Return a value of the Python module around a decorated kernel."""
    if isinstance(value, DType):
        return DTypeValue(value)
    if isinstance(value, ForeignValue):
        raise ctx.fail("T0215", value.message(name), span, hint=value.hint)
    if isinstance(value, LanguageName):
        found = _language_value(value.name, span)
        if found is None:
            raise ctx.fail("T0201", f"'{value.name}' has no value", span)
        return found
    if isinstance(value, ModuleType):
        return NamespaceValue(value.__name__)
    if isinstance(value, tuple):
        return TupleValue(tuple(_python_value(ctx, name, item, span) for item in value))
    return Constant(value, span)


def namespace_member(ctx: Context, namespace: NamespaceValue, node: ast.Attribute) -> AnyValue:
    """Return what a dotted name means.

    Raises:
        SemanticError: The module has no such name, or it means nothing in a kernel.
    """
    if namespace.members is not None:
        return _member(ctx, namespace.members, node)
    dotted = f"{namespace.name}.{node.name}"
    member = _imported(ctx, dotted, node.span)
    if not isinstance(member, NamespaceValue) or dotted in (*LANGUAGE_MODULES, LIBRARY):
        return member
    if namespace.name == LIBRARY:
        hint = did_you_mean(node.name, FILES)
        raise ctx.fail("T0206", f"'{LIBRARY}' has no '{node.name}'", node.name_span, hint=hint)
    if namespace.name not in LANGUAGE_MODULES:
        raise foreign_name(ctx, dotted, node.span)
    entry = lacking(Usage.FUNCTION, node.name)
    if entry is not None:
        raise ctx.fail_lacking(entry, node.name, node.name_span)
    hint = _library_hint(node.name) or did_you_mean(node.name, [*BUILTINS, *DTYPES])
    written = node.value.id if isinstance(node.value, ast.Name) else namespace.name
    message = f"'{written}' has no '{node.name}' that a kernel can use"
    raise ctx.fail("T0206", message, node.name_span, hint=hint)


def _member(ctx: Context, namespace: ast.Namespace, node: ast.Attribute) -> AnyValue:
    """Return what a name of a helper module or of another `.tile` file means."""
    module = namespace.module
    if module.source.text:
        ctx.add_source(module.source)
    found = global_value(ctx, node.name, node.span, module) if module.has(node.name) else None
    if found is not None:
        return found
    known = [*namespace.known, *(name for names in module.scopes for name in names)]
    message = f"the module '{namespace.name}' has no '{node.name}'"
    raise ctx.fail("T0206", message, node.name_span, hint=did_you_mean(node.name, known))


def foreign_name(ctx: Context, dotted: str, span: SourceSpan) -> SemanticError:
    """Return the error for using a name of another module than tilec."""
    parent, _, name = dotted.rpartition(".")
    entry = lacking(Usage.FUNCTION, name)
    hint = "a kernel uses tilec's own functions and types, helpers and constants"
    if parent in LANGUAGE_MODULES:
        hint = did_you_mean(name, (*BUILTINS, *DTYPES, *CONSTANT_NAMES)) or hint
    if entry is not None:
        hint = entry.hint
    hint = _library_hint(name) or hint
    if _language_value(name, span) is not None:
        hint = f"write '{name}', or 'tl.{name}' with 'import tilec as tl', for tilec's own"
    return ctx.fail("T0214", f"'{dotted}' is not part of tilec", span, hint=hint)
