"""Fixtures of the code generation tests."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tilec.codegen.llvmir import translate
from tilec.codegen.ptx import emit_ptx
from tilec.codegen.tools import find_tool
from tilec.ir.bindings import PassManager, ir
from tilec.request.target import get_target

TARGET = get_target("sm_90a")
LOWERING = "builtin.module(convert-nvvm-to-llvm,reconcile-unrealized-casts)"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Fail early, with the reason, when the tools that these tests are about are missing."""
    here = Path(__file__).parent
    if any(here in item.path.parents for item in items) and find_tool("ptxas") is None:
        pytest.exit("ptxas is missing: pip install 'nvidia-cuda-nvcc<13.3'", returncode=3)


@pytest.fixture
def compile_llvm() -> Callable[[str], str]:
    """Return a function from the text of an llvm-stage module to PTX."""

    def run(text: str, *, lineinfo: bool = False) -> str:
        with ir.Context():
            module = ir.Module.parse(text)
            PassManager.parse(LOWERING).run(module.operation)
            return emit_ptx(translate(module, lineinfo=lineinfo), TARGET)

    return run


@pytest.fixture
def instructions() -> Callable[[str], list[str]]:
    """Return a function from PTX to its instructions with single spaces."""

    def run(ptx: str) -> list[str]:
        body = ptx[ptx.index("{") : ptx.rindex("}")]
        return [re.sub(r"\s+", " ", line).strip() for line in body.splitlines()]

    return run
