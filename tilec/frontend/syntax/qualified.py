"""Which dotted names mean tilec: `tl.load`, `tilec.language.f32`, and no `numpy.maximum`.

Other libraries have functions of the same names with other meanings (`numpy.maximum` lets a NaN
win), so only modules of tilec count. `inf`, `nan` and `pi` are the same numbers everywhere.
"""

from types import ModuleType

from tilec.frontend.semantics.constant_names import CONSTANT_NAMES
from tilec.frontend.syntax import ast

LANGUAGE_MODULES = ("tilec", "tilec.language")
SHORT_NAMES = {"tilec": "tilec", "tl": "tilec"}
"""Names of the language's module that need no import in a `.tile` file."""
_NUMBER_MODULES = ("math", "numpy", "torch")


def language_member(dotted: str) -> str | None:
    """Return the name in the language that a dotted name of Python stands for, or None.

    Args:
        dotted: Module and name, for example `tilec.language.load`.
    """
    parent, _, name = dotted.rpartition(".")
    if parent in LANGUAGE_MODULES:
        return name
    return name if parent in _NUMBER_MODULES and name in CONSTANT_NAMES else None


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
    return ".".join([root, *reversed(parts)])


def language_name(node: ast.Expression, module: ast.Module) -> str | None:
    """Return the name in the language that a plain or dotted name stands for, or None.

    A plain name that nothing else explains stands for itself.
    """
    if isinstance(node, ast.Name):
        if node.id in module.functions or node.id in module.constants:
            return None
        if node.id in module.aliases:
            return language_member(module.aliases[node.id])
        if node.id in module.globals:
            value = module.globals[node.id]
            return value.name if isinstance(value, ast.LanguageName) else None
        return node.id
    dotted = dotted_name(node, module)
    return None if dotted is None else language_member(dotted)
