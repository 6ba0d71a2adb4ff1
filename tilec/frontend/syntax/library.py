"""The standard library, `tilec.lib`: its functions by their dotted names."""

import functools

from tilec import lib
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.imports import library_path
from tilec.frontend.syntax.parser import parse_source
from tilec.frontend.syntax.qualified import LIBRARY
from tilec.support.sources import read_source_file


def library_member(dotted: str) -> ast.ImportedName | None:
    """Return the function of the library that a dotted name stands for, or None.

    Args:
        dotted: Module and name, for example `tilec.lib.softmax`.
    """
    parent, _, name = dotted.rpartition(".")
    return library_function(name) if parent == LIBRARY and name in lib.FILES else None


def library_function(name: str) -> ast.ImportedName:
    """Return a function of the library: its file, and its name there.

    Args:
        name: One of `tilec.lib.FILES`.
    """
    return ast.ImportedName(_module(library_path(name)), name)


@functools.cache
def _module(path: str) -> ast.Module:
    return parse_source(read_source_file(path))
