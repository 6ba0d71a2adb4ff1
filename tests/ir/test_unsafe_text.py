"""Text that would end the process in MLIR's parser is found ahead of it."""

import pytest

from tilec.ir.unsafe_text import MOST_NESTED, MOST_RESULTS, check_text
from tilec.support.diagnostics import CompileError


def found(text):
    with pytest.raises(CompileError) as caught:
        check_text(text, "a.mlir")
    (problem,) = caught.value.diagnostics
    assert problem.code == "T0584"
    assert problem.hint
    return str(problem.span), problem.message


@pytest.mark.parametrize(("opening", "closing"), ["()", "[]", "{}", "<>"])
def test_brackets(opening, closing):
    fine = opening * MOST_NESTED + closing * MOST_NESTED
    check_text(f"{fine}\n{fine}", "a.mlir")
    place, message = found(f"x\n{opening * 100_000}")
    assert (place, message) == (
        f"a.mlir:2:{MOST_NESTED + 1}",
        "brackets are nested more than 256 deep",
    )


def test_brackets_that_do_not_nest():
    for text in ('"((((" ', "-> ", ">= ", "<= ", ") ", "// (((\n"):
        check_text(text * 1000, "a.mlir")


@pytest.mark.parametrize("number", ["2147483647", "65537", "9" * 5000, "0xFFFFFF"])
def test_results(number):
    for text in (f"  %14#{number}", f"  %14 # {number}", f"  %14:{number} = x"):
        place, message = found(f"\n{text}")
        assert place.startswith("a.mlir:2:")
        assert message == f"result number {number} is out of range"


def test_results_that_are_fine():
    text = f'%0#{MOST_RESULTS} %1:3 = %a : i32 %c99999999_i32 "%0#99999999" // %0#99999999\n'
    check_text(text, "a.mlir")


@pytest.mark.parametrize("number", ["-1", "4294967296", "0x10"])
def test_positions(number):
    for name in ("extractvalue %0", "insertvalue %0, %1"):
        place, message = found(f"  %2 = llvm.{name}[0, {number}] : !llvm.struct<(i32)>")
        assert place.startswith("a.mlir:1:")
        assert message == f"position {number} is in no struct or array"
        check_text(f"  %2 = llvm.{name}[0, 3] : !llvm.struct<(i32)>", "a.mlir")
