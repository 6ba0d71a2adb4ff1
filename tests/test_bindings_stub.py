"""The type stubs of the MLIR bindings (`typings/mlir`) against the real bindings."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

from tilec.ir import bindings

ROOT = Path(__file__).resolve().parent.parent
STUBS = sorted((ROOT / "typings" / "mlir").rglob("*.pyi"))

MISSING = object()

FIELD_PROTOCOL = {
    "Result": {"__get__", "__set__"},
    "Operation": {"loc", "ip"},
}
"""Names of `ext` that exist for the type checker only: how the field of a result reads and what
else the constructor takes. The bindings make the properties and the constructor of each class."""

SET_ON_DERIVED_CLASSES = {
    "Operation": {"OPERATION_NAME"},
    "Type": {"type_name"},
    "Attribute": {"attr_name"},
    "Dialect": {"DIALECT_NAMESPACE", "operations", "Operation", "Type", "Attribute"},
}
"""Names that the bindings give to the classes derived from those of `ext`."""


def real_module(path):
    """Return the module that a stub file describes."""
    parts = path.relative_to(ROOT / "typings" / "mlir").with_suffix("").parts
    name = ".".join(part for part in parts if part != "__init__")
    return importlib.import_module(f"{bindings.PROVIDER}.{name}" if name else bindings.PROVIDER)


def declared_names(node):
    """Return what one statement of a stub declares."""
    match node:
        case ast.FunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case _:
            return []


def members(tree, node):
    """Yield the statements of a class of a stub and of its private bases in the same file."""
    yield from node.body
    bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
    for other in tree.body:
        if isinstance(other, ast.ClassDef) and other.name in bases and other.name[0] == "_":
            yield from members(tree, other)


def public_classes(tree):
    return [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name[0] != "_"]


def constructors():
    """Yield (function of a stub, real function) for what the bindings define in Python."""
    for path in STUBS:
        tree, module = ast.parse(path.read_text()), real_module(path)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                yield node, getattr(module, node.name)
        if path.parent.name != "dialects" or path.stem == "ext":
            continue
        for node in public_classes(tree):
            for member in members(tree, node):
                if isinstance(member, ast.FunctionDef) and member.name == "__init__":
                    yield member, getattr(module, node.name).__init__


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.stem)
def test_every_declared_name_exists(path):
    tree, module = ast.parse(path.read_text()), real_module(path)
    names = [name for node in tree.body for name in declared_names(node)]
    missing = [name for name in names if name[0] != "_" and not hasattr(module, name)]
    for node in public_classes(tree):
        known = FIELD_PROTOCOL.get(node.name, set()) | SET_ON_DERIVED_CLASSES.get(node.name, set())
        accepted = known if path.stem == "ext" else set()
        for name in {name for member in members(tree, node) for name in declared_names(member)}:
            found = inspect.getattr_static(getattr(module, node.name), name, MISSING)
            if found is MISSING and name not in accepted:
                missing.append(f"{node.name}.{name}")
    assert missing == []


_ANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
"""Kinds of `*args` and `**kwargs`."""


def test_parameters_are_those_of_the_bindings():
    checked = 0
    for declared, real in constructors():
        try:
            parameters = inspect.signature(real).parameters
        except ValueError:  # a compiled function without a signature
            continue
        if all(item.kind in _ANY for item in parameters.values()):
            continue  # what newer versions of Python say of such a function
        arguments = declared.args
        names = {item.arg for item in [*arguments.args, *arguments.kwonlyargs]}
        required = {
            name
            for name, item in parameters.items()
            if item.default is item.empty and item.kind < item.VAR_POSITIONAL
        }
        assert required <= names <= set(parameters), real
        checked += 1
    assert checked > 80


def test_the_stub_of_the_import_module_names_what_the_module_has():
    tree = ast.parse((ROOT / "tilec" / "ir" / "bindings.pyi").read_text())
    names = {name for node in tree.body for name in declared_names(node)}
    names |= {
        alias.asname
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
        for alias in node.names
    }
    assert {"ir", "ext", "nvvm", "register_dialect_module"} <= names
    assert [name for name in names if not hasattr(bindings, name)] == []
    modules = {
        name
        for name, value in vars(bindings).items()
        if inspect.ismodule(value) and value.__name__.startswith(f"{bindings.PROVIDER}.")
    }
    assert modules - names == set()
