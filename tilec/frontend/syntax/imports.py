"""Imports between `.tile` files: `import other`, `from other import helper`.

`other` is the file `other.tile` in the folder of the importing file, `package.other` the file
`package/other.tile` there. A function of `tilec.lib` is in a file of that folder. Other libraries
are no files: names of tilec, and the numbers of `math`.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tilec import lib
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.limits import MAX_CALL_DEPTH
from tilec.frontend.syntax.qualified import LIBRARY, is_library
from tilec.support.diagnostics import (
    CompileError,
    Diagnostic,
    SourceFile,
    SourceSpan,
    error,
    note,
)
from tilec.support.fast_dataclasses import replace
from tilec.support.sources import read_source_file
from tilec.support.suggest import did_you_mean

SUFFIX = ".tile"
Names = Mapping[str, Any]


class ImportReader:
    """Reads the files that a source imports, each once."""

    def __init__(
        self, source: SourceFile, parse: Callable[[SourceFile, "ImportReader"], ast.Module]
    ) -> None:
        """Start without files.

        Args:
            source: The importing file.
            parse: Parses one file; its imports are read with the same reader.
        """
        self._parse = parse
        self._modules: dict[str, ast.Module] = {}
        self._open = [_identity(source.name)]

    def sources(self) -> tuple[SourceFile, ...]:
        """Return every file that was read, those that imported files import included."""
        return tuple(module.source for module in self._modules.values())

    def bind(self, source: SourceFile, items: Iterable[ast.Import]) -> tuple[dict[str, str], Names]:
        """Return what the imports of a file mean.

        Args:
            source: The file.
            items: Its imports.

        Returns:
            Dotted names of libraries, and names of other files: `ImportedName` and `Namespace`.

        Raises:
            CompileError: A file is missing or wrong or imports itself (T0216), has no such name
                (T0201), or a name is bound twice (T0203).
        """
        bound = _Bound()
        for item in items:
            if item.module == LIBRARY and item.name is not None:
                bound.add(item, self._library_function(source, item, item.name), source)
            elif is_library(item.module):
                bound.add(item, item.dotted, source)
            else:
                bound.add(item, self._meaning(source, item), source)
        return bound.aliases, bound.globals

    def _meaning(self, source: SourceFile, item: ast.Import) -> ast.ImportedName | ast.Namespace:
        """Return what one name of another file means."""
        if item.name is None:
            return ast.Namespace(item.module, self._read(source, item, item.module))
        inner = f"{item.module}.{item.name}"
        if not _exists(_path(source, item.module)) and _exists(_path(source, inner)):
            return ast.Namespace(inner, self._read(source, item, inner))
        module = self._read(source, item, item.module)
        if module.has(item.name):
            return ast.ImportedName(module, item.name)
        message = f"'{module.source.name}' has no '{item.name}'"
        hint = did_you_mean(item.name, [name for names in module.scopes for name in names])
        raise CompileError(error("T0201", message, item.span, hint=hint), [source])

    def _library_function(
        self, source: SourceFile, item: ast.Import, name: str
    ) -> ast.ImportedName:
        """Return what a name of the standard library means."""
        if name not in lib.FILES:
            hint = did_you_mean(name, lib.FILES)
            message = f"'{LIBRARY}' has no '{name}'"
            raise CompileError(error("T0201", message, item.span, hint=hint), [source])
        return ast.ImportedName(self._read_file(source, item, library_path(name)), name)

    def _read(self, source: SourceFile, item: ast.Import, dotted: str) -> ast.Module:
        """Return the parsed file of a module."""
        return self._read_file(source, item, _path(source, dotted))

    def _read_file(self, source: SourceFile, item: ast.Import, name: str) -> ast.Module:
        """Return a parsed file."""
        if name in self._modules:
            return self._modules[name]
        if not _exists(name):
            raise CompileError(_missing(source, item, name), [source])
        identity = _identity(name)
        if identity in self._open:
            message = f"'{name}' imports itself"
            if identity != self._open[-1]:
                message += ", through the files that it imports"
            hint = "move the code that both files need into a third file"
            raise CompileError(error("T0216", message, item.module_span, hint=hint), [source])
        if len(self._open) > MAX_CALL_DEPTH:
            message = f"files import each other more than {MAX_CALL_DEPTH} deep, the limit"
            raise CompileError(error("T0207", message, item.module_span), [source])
        self._open.append(identity)
        try:
            module = self._parse(read_source_file(name), self)
        except CompileError as failure:
            raise _imported_here(failure, source, item) from None
        finally:
            self._open.pop()
        return self._modules.setdefault(name, module)


class _Bound:
    """What the imports of one file bind."""

    def __init__(self) -> None:
        self.aliases: dict[str, str] = {}
        self.globals: dict[str, Any] = {}
        self._places: dict[str, SourceSpan] = {}

    def add(self, item: ast.Import, meaning: Any, source: SourceFile) -> None:
        """Bind one name.

        Raises:
            CompileError: It means something else already (T0203).
        """
        if isinstance(meaning, ast.Namespace) and item.is_path:
            meaning = _package(item.module.split("."), meaning, self.globals.get(item.bound))
        first = self._places.setdefault(item.bound, item.span)
        before = self.aliases.get(item.bound) or self.globals.get(item.bound)
        if before is not None and not _agree(before, meaning):
            raise CompileError(twice(item.bound, item.span, first), [source])
        if isinstance(meaning, str):
            self.aliases[item.bound] = meaning
        else:
            self.globals[item.bound] = meaning


def twice(name: str, span: SourceSpan, first: SourceSpan) -> Diagnostic:
    """Return the error that a name is defined twice."""
    notes = [note("the first one is here", first)]
    return error("T0203", f"'{name}' is defined twice", span, notes=notes)


def _agree(first: Any, second: Any) -> bool:
    """Tell whether one name can have both meanings: the same one, or parts of one package."""
    if isinstance(first, ast.ImportedName) and isinstance(second, ast.ImportedName):
        return first.module is second.module and first.name == second.name
    if isinstance(first, ast.Namespace) and isinstance(second, ast.Namespace):
        is_package = not first.module.source.text and not second.module.source.text
        return is_package or first.module is second.module
    return isinstance(first, str) and first == second


def _package(parts: list[str], inner: ast.Namespace, before: Any) -> ast.Namespace:
    """Return what `import a.b.c` binds to `a`: a namespace with `b`, and what it has already."""
    if len(parts) == 1:
        return inner
    members: dict[str, Any] = {}
    if isinstance(before, ast.Namespace) and not before.module.source.text:
        members.update(before.module.globals)
    members[parts[1]] = _package(parts[1:], inner, members.get(parts[1]))
    file = SourceFile(parts[0], "")
    place = SourceSpan(file.name, 1, 1, 1, 2)
    return ast.Namespace(parts[0], ast.Module(place, file, {}, {}, {}, members))


def library_path(name: str) -> str:
    """Return the name of the file that defines a function of the standard library."""
    return str(lib.FOLDER / (lib.FILES[name] + SUFFIX))


def _path(source: SourceFile, dotted: str) -> str:
    """Return the name of the file of a module that `source` imports."""
    *folders, last = dotted.split(".")
    return str(Path(source.name).parent.joinpath(*folders, last + SUFFIX))


def _exists(name: str) -> bool:
    return Path(name).is_file()


def _identity(name: str) -> str:
    """Return a path that is the same for all names of a file."""
    return os.path.realpath(name)


def _missing(source: SourceFile, item: ast.Import, name: str) -> Diagnostic:
    folder = Path(source.name).parent
    hint = "an import names a '.tile' file, relative to this one; tilec's own names need no import"
    if Path(name).parent == folder:
        there = (path.stem for path in sorted(folder.glob(f"*{SUFFIX}")))
        hint = did_you_mean(item.module, there) or hint
    return error("T0216", f"there is no file '{name}' to import", item.module_span, hint=hint)


def _imported_here(failure: CompileError, source: SourceFile, item: ast.Import) -> CompileError:
    """Return an error of an imported file with a note on who imports it."""
    first, *others = failure.diagnostics
    place = note("imported from here", item.module_span)
    first = replace(first, span=first.span or item.module_span, notes=(*first.notes, place))
    return CompileError([first, *others], [*failure.sources, source])
