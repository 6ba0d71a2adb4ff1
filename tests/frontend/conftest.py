"""Helpers of the frontend tests: errors as short tuples, kernels run on the CPU reference."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from tilec.frontend.semantics.analysis import KernelProgram, analyze_kernel
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.parser import parse_source
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, Diagnostic, SourceFile

HEADER = (
    "@kernel\n"
    "def f[M, N, K](A: f32[M, K], B: bf16[K, N], C: f32[M, N], H: f16[M, N], I: i32[M, N],"
    " n: i32, alpha: f32, BM: const = 64):\n"
)
LOAD_A = "m, k = grid(cdiv(M, 64), cdiv(K, 64))\na = load(A, (m, k), (64, 64))\n"


def indent(body: str) -> str:
    return "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))


class Frontend:
    """Parses and analyses kernels given as text."""

    header = HEADER
    load_a = LOAD_A

    def parse(self, text: str) -> ast.Module:
        return parse_source(SourceFile("t.tile", text))

    def analyze(
        self, text: str, kernel: str | None = None, specialization: Specialization | None = None
    ) -> KernelProgram:
        return analyze_kernel(self.parse(text), kernel, specialization or Specialization())

    def kernel(self, body: str, header: str = HEADER) -> KernelProgram:
        return self.analyze(header + indent(body))

    def failure(
        self, text: str, kernel: str | None = None, specialization: Specialization | None = None
    ) -> CompileError:
        with pytest.raises(CompileError) as caught:
            self.analyze(text, kernel, specialization)
        return caught.value

    def diagnostics(self, body: str, header: str = HEADER) -> tuple[Diagnostic, ...]:
        return self.failure(header + indent(body)).diagnostics

    def errors(self, body: str, header: str = HEADER) -> list[tuple[str, int, str]]:
        """Return (code, line of the body, message) of every error."""
        offset = header.count("\n")
        return [
            (item.code, item.span.line - offset, item.message)
            for item in self.diagnostics(body, header)
            if item.span is not None
        ]

    def error(self, body: str, header: str = HEADER) -> tuple[str, int, str]:
        """Return the only error."""
        found = self.errors(body, header)
        assert len(found) == 1, found
        return found[0]


@pytest.fixture(scope="session")
def frontend() -> Frontend:
    return Frontend()


@pytest.fixture(scope="session")
def context() -> Any:
    from tilec.ir.context import make_context

    return make_context()


@pytest.fixture
def run_kernel(context: Any) -> Callable[..., None]:
    """Return a function that runs a kernel on the CPU reference; arrays change in place."""
    from tilec.frontend.emit.module import emit_module
    from tilec.interpreter.run import run_kernel as interpret

    def run(
        text: str,
        arrays: Mapping[str, np.ndarray],
        scalars: Mapping[str, Any] | None = None,
        grid: tuple[int, ...] | None = None,
        specialization: Specialization | None = None,
    ) -> None:
        tree = parse_source(SourceFile("t.tile", text))
        module = emit_module(tree, None, specialization or Specialization(), context)
        interpret(module, arrays, scalars or {}, grid)

    return run
