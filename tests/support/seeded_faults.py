"""Examples as they come to the protocol check, and edits of them that seed faults."""

import contextlib
import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tilec.compiler.driver import compile_source
from tilec.ir.context import make_context
from tilec.ir.text import parse_module
from tilec.passes.registry import PassContext
from tilec.passes.transforms.nv_tileas.verify.verify_async_protocol import verify_async_protocol
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import InternalCompilerError, SourceFile

ROOT = Path(__file__).resolve().parents[2]
BEFORE = "nv-tileas-attach-tma-descriptors"
TILES = {"BM": 128, "BN": 256, "BK": 64}


def source_of(path: Path) -> SourceFile:
    return SourceFile(path.name, path.read_text())


def before_the_check(
    cluster: tuple[int, int] = (1, 1),
    size: Mapping[str, int] = TILES,
    example: str = "matmul",
    **plan: int,
) -> str:
    """Return the IR of an example as the check gets it; the example has passed the check."""
    options = CompileOptions(emit="nv_tileas", print_after=(BEFORE,))
    source = source_of(ROOT / "examples" / f"{example}.tile")
    chosen = Specialization(constants=size, plan={**plan, "cluster": cluster})
    with contextlib.redirect_stderr(io.StringIO()) as printed:
        compile_source(source, specialization=chosen, options=options)
    return printed.getvalue()


def verify(text: str) -> None:
    module = parse_module(text, make_context(), "dump.mlir")
    with module.context:
        verify_async_protocol(module, PassContext(buffer="dump.mlir"))


def failure(text: str) -> str:
    with pytest.raises(InternalCompilerError) as caught:
        verify(text)
    return str(caught.value)


def check_fault(text: str, fault: tuple[Callable[[str], str], str]) -> None:
    """Edit a dump and check that the protocol check refuses it with the given message."""
    edit, message = fault
    edited = edit(text)
    assert edited != text
    assert message in failure(edited)


def lines_of(text: str, operation: str) -> list[int]:
    lines = text.splitlines()
    found = [index for index, line in enumerate(lines) if f'"nv_tileas.{operation}"' in line]
    assert found, operation
    return found


def without(operation: str, *numbers: int) -> Callable[[str], str]:
    """Return an edit that drops uses of an operation: those numbered, or all of them."""

    def edit(text: str) -> str:
        found = lines_of(text, operation)
        dropped = {found[number] for number in numbers} if numbers else set(found)
        lines = text.splitlines()
        return "\n".join(line for index, line in enumerate(lines) if index not in dropped)

    return edit


def changed(operation: str, number: int, old: str, new: str) -> Callable[[str], str]:
    """Return an edit that changes the text of one use of an operation."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        index = lines_of(text, operation)[number]
        assert old in lines[index], lines[index]
        lines[index] = lines[index].replace(old, new, 1)
        return "\n".join(lines)

    return edit


def with_operands_of(
    operation: str, number: int, other: str, other_number: int
) -> Callable[[str], str]:
    """Return an edit that gives one use of an operation the operands of a use of another one."""

    def operands(line: str) -> str:
        return line[line.index('"(') + 1 : line.index(")", line.index('"(')) + 1]

    def edit(text: str) -> str:
        lines = text.splitlines()
        index, source = lines_of(text, operation)[number], lines_of(text, other)[other_number]
        lines[index] = lines[index].replace(operands(lines[index]), operands(lines[source]), 1)
        return "\n".join(lines)

    return edit


def swap_before(operation: str, other: str) -> Callable[[str], str]:
    """Return an edit that moves the only use of an operation before the only one of another."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        (source,), (target,) = lines_of(text, operation), lines_of(text, other)
        lines.insert(target, lines.pop(source))
        return "\n".join(lines)

    return edit


def moved(operation: str, number: int, before: str, other: int) -> Callable[[str], str]:
    """Return an edit that moves one use of an operation in front of one of another."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        source, target = lines_of(text, operation)[number], lines_of(text, before)[other]
        line = lines.pop(source)
        lines.insert(target - (source < target), line)
        return "\n".join(lines)

    return edit


def replaced(pattern: str, result: str, count: int = 0) -> Callable[[str], str]:
    def edit(text: str) -> str:
        edited, found = re.subn(pattern, result, text, count=count)
        assert found, pattern
        return edited

    return edit
