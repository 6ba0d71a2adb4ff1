"""A parsed source, from which kernels are selected, specialized and compiled.

A command or the Python API makes one `Program`, takes kernels and signatures from it, and passes it
to `compile_kernel` or `emit_kernel` of `tilec.compiler.driver`. So a source is parsed once.
"""

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tilec.support import compiler_threads
from tilec.support.diagnostics import SourceFile
from tilec.support.locks import computed


class Program:
    """A source with one or more kernels. It is parsed on first use, with the files it imports.

    Attributes:
        source: The text.
        module_globals: Values of the Python module that a decorated kernel stands in.
    """

    def __init__(
        self, source: SourceFile, module_globals: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        """Keep the source; nothing is parsed yet."""
        self.source = source
        self.module_globals = module_globals
        self._parse_seconds = 0.0

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process gets: the tree, which holds all that Python's values say."""
        return {**Program(self.source).__dict__, "tree": self.tree}

    @computed
    def tree(self) -> Any:
        """The syntax tree, an `ast.Module`.

        Raises:
            CompileError: The source has syntax errors.
        """
        return compiler_threads.run_locked(self._parse)

    def _parse(self) -> Any:
        started = time.perf_counter()
        from tilec.frontend.syntax.parser import parse_source

        tree = parse_source(self.source, self.module_globals)
        self._parse_seconds = time.perf_counter() - started
        return tree

    @property
    def sources(self) -> tuple[SourceFile, ...]:
        """The source and the `.tile` files that it imports, as they were when it was parsed.

        Raises:
            CompileError: The source or an imported file has errors.
        """
        return self.tree.sources

    def claim_parse_seconds(self) -> float:
        """Return the seconds that parsing took, to the first caller; later callers get 0."""
        seconds, self._parse_seconds = self._parse_seconds, 0.0
        return seconds

    @computed
    def kernel_names(self) -> tuple[str, ...]:
        """Names of the kernels, in source order.

        Raises:
            CompileError: The source has syntax errors, or no kernel (T0109).
        """
        tree = self.tree
        from tilec.frontend.syntax.parser import kernels

        return tuple(item.name for item in kernels(tree))

    def select_kernel(self, wanted: str | None = None) -> str:
        """Return the name of the kernel to take: `wanted`, or the only one.

        Raises:
            CompileError: The source has syntax errors, no kernel (T0109), not this one, or several
                and none was named (T0006).
        """
        tree = self.tree
        from tilec.frontend.syntax.parser import find_kernel

        return find_kernel(tree, wanted).name

    def signature(self, kernel: str) -> Any:
        """Return the `Signature` of a kernel.

        Raises:
            CompileError: The parameter list has mistakes, or there is no such kernel.
        """
        tree = self.tree
        return compiler_threads.run_locked(lambda: _signature(tree, kernel))


def _signature(tree: Any, kernel: str) -> Any:
    from tilec.frontend.semantics.signature import signature
    from tilec.frontend.syntax.parser import find_kernel

    return signature(find_kernel(tree, kernel), tree)
