"""The text that kernels are written in, with what it took from Python."""

from collections.abc import Callable, Mapping, Sequence
from numbers import Number
from typing import Any

from tilec.compiler.program import Program
from tilec.runtime.args.signature_binding import Interface, interface_from_signature
from tilec.support import compiler_threads
from tilec.support.diagnostics import SourceFile
from tilec.support.locks import computed

Contents = tuple[SourceFile, Mapping[str, Any]]

CapturedName = tuple[str, Any, Callable[[], Any]]
"""A name whose value a kernel took from Python: the name, the value, and what returns it now."""


class KernelText:
    """Text with one or more kernels, parsed when it is first needed.

    Attributes:
        captured: The values that were taken from Python; none before the text was read.
    """

    def __init__(
        self,
        read: Callable[[], Contents],
        captured: Sequence[CapturedName] = (),
        program: Program | None = None,
    ) -> None:
        """Keep how to read the text.

        Args:
            read: Returns the source and the values of its Python module.
            captured: Where these values came from; `read` fills it.
            program: What the text was parsed to, if it was.
        """
        self._program = program
        self._read = read
        self.captured = captured

    def has_changed(self) -> bool:
        """Tell whether a value that was taken from Python is another one now; every call asks."""
        try:
            for _, value, now in self.captured:
                if now() is not value:
                    return self._has_other_values()
        except ValueError:  # a variable of an enclosing function was deleted
            return True
        return False

    def _has_other_values(self) -> bool:
        return any(_differs(value, now()) for _, value, now in self.captured)

    def renewed(self) -> "KernelText":
        """Return the same text, read again."""
        text = KernelText(self._read, self.captured)
        _ = text.contents
        return text

    @computed
    def contents(self) -> Contents:
        """The source and the values of the surrounding Python module."""
        return compiler_threads.run_locked(self._read)

    @computed
    def program(self) -> Program:
        """The program; its source is parsed once."""
        return self._program or Program(*self.contents)

    @classmethod
    def of(cls, program: Program) -> "KernelText":
        """Return the text of a program, which is not parsed again."""
        return cls(lambda: (program.source, program.module_globals), program=program)

    @property
    def tree(self) -> Any:
        """The syntax tree."""
        return self.program.tree

    @property
    def kernel_names(self) -> tuple[str, ...]:
        """Names of the kernels, in source order."""
        return self.program.kernel_names

    def signature(self, name: str) -> Any:
        """Return the `Signature` of kernel `name`.

        Raises:
            CompileError: The parameter list has mistakes.
        """
        return self.program.signature(name)

    def interface(self, name: str) -> Interface:
        """Return the parameters of kernel `name`.

        Raises:
            CompileError: The parameter list has mistakes.
        """
        return interface_from_signature(self.signature(name), self.contents[0])


def _differs(first: Any, second: Any) -> bool:
    """Tell whether two values mean different things in a kernel: 1 and True do, 0.0 and -0.0."""
    if first is second:
        return False
    is_plain = isinstance(first, bool | int | float | str | tuple | Number)
    return type(first) is not type(second) or not is_plain or repr(first) != repr(second)
