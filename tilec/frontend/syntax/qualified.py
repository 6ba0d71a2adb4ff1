"""Which dotted names mean tilec: `tl.load`, `tilec.language.f32`, and no `numpy.maximum`.

Other libraries have functions of the same names with other meanings (`numpy.maximum` lets a NaN
win), so only modules of tilec count. `inf`, `nan` and `pi` are the same numbers everywhere.
"""

from types import ModuleType

from tilec.frontend.semantics.constant_names import CONSTANT_NAMES
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.foreign_values import LanguageName

LANGUAGE_MODULES = ("tilec", "tilec.language")
LIBRARY = "tilec.lib"
"""The standard library."""
SHORT_NAMES = {"tilec": "tilec", "tl": "tilec"}
"""Names of the language's module that need no import in a `.tile` file."""
_NUMBER_MODULES = ("math", "numpy", "torch")
_LIBRARIES = ("__future__", "cuda", "cupy", "jax", "scipy", "tilec", "triton", "typing")
"""Packages that hold no helpers: their functions mean nothing in a kernel, but for tilec's own."""


def is_library(dotted: str) -> bool:
    """Tell whether a module belongs to a library that is never a helper module."""
    return dotted.partition(".")[0] in (*_LIBRARIES, *_NUMBER_MODULES)


def language_member(dotted: str) -> str | None:
    """Return the name in the language that a dotted name of Python stands for, or None.

    Args:
        dotted: Module and name, for example `tilec.language.load`.
    """
    parent, _, name = dotted.rpartition(".")
    if parent in LANGUAGE_MODULES:
        return name
    return name if parent in _NUMBER_MODULES and name in CONSTANT_NAMES else None


def settle(node: ast.Expression, module: ast.Module) -> tuple[ast.Expression, ast.Module]:
    """Follow a name to the file that defines it, through imports of other files.

    Args:
        node: A plain or dotted name; any other expression stays as it is.
        module: Where it is written.

    Returns:
        A plain name and the module that gives it its meaning; `node` and `module` where the name
        comes from no other file.
    """
    if isinstance(node, ast.Attribute):
        inner, owner = settle(node.value, module)
        found = owner.globals.get(inner.id) if isinstance(inner, ast.Name) else None
        if isinstance(found, ast.Namespace) and found.module.has(node.name):
            return settle(ast.Name(node.span, node.name), found.module)
    elif isinstance(node, ast.Name):
        found = module.globals.get(node.id)
        if isinstance(found, ast.ImportedName):
            return settle(ast.Name(node.span, found.name), found.module)
    return node, module


def dotted_name(node: ast.Expression, module: ast.Module) -> str | None:
    """Return `package.module.name` for a name with dots, its first part resolved; None else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.name)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    value = module.globals.get(node.id)
    root = module.aliases.get(node.id) or SHORT_NAMES.get(node.id, node.id)
    if isinstance(value, ModuleType):
        root = value.__name__
    elif isinstance(value, ast.Namespace):
        root = value.name
    return ".".join([root, *reversed(parts)])


def language_name(node: ast.Expression, module: ast.Module) -> str | None:
    """Return the name in the language that a plain or dotted name stands for, or None.

    A plain name that nothing else explains stands for itself.
    """
    node, module = settle(node, module)
    if isinstance(node, ast.Name):
        if node.id in module.functions or node.id in module.constants:
            return None
        if node.id in module.aliases:
            return language_member(module.aliases[node.id])
        if node.id in module.globals:
            value = module.globals[node.id]
            return value.name if isinstance(value, LanguageName) else None
        return node.id
    dotted = dotted_name(node, module)
    return None if dotted is None else language_member(dotted)
