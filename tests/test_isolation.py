"""Work in a process of its own: what comes back, and what is left of a process that dies."""

import os
import resource
import subprocess
import sys
import time

import pytest

from tilec.support.diagnostics import CompileError, InternalCompilerError, SourceSpan, error, note
from tilec.support.isolation import REPEATING, Limits, read_outcome, run_isolated, step

SPAN = SourceSpan("a.mlir", 3, 4, 3, 9)


def double(value):
    return value * 2


def reject():
    raise CompileError(error("T0501", "no", SPAN, hint="maybe", notes=[note("see")]))


def break_down():
    failure = InternalCompilerError("broken", pass_name="p", op="d.o", span=SPAN)
    failure.add_note("reproducer: x")
    raise failure


def fail():
    raise ZeroDivisionError("x")


def die_in_a_pass():
    sys.stderr.write("shown\n")
    with step("cse", is_pass=True):
        pass
    with step(REPEATING), step("cse", is_pass=True):
        pass
    with step("outer"), step("my-pass", is_pass=True):
        os.write(2, b"\nLLVM ERROR: too bad\nStack dump:\n0. x\n")
        os.abort()


def leave():
    os._exit(3)


def hang():
    with step("waiting"):
        time.sleep(60)


def fill():
    return bytes(1 << 40)


def what_is_allowed():
    return resource.getrlimit(resource.RLIMIT_AS)


def print_without_python():
    os.write(1, b"not a frame")
    return "fine"


def test_the_answer_comes_back():
    outcome = run_isolated(double, [1, "\udcff"])
    assert outcome.answered
    assert outcome.answer == [1, "\udcff"] * 2
    assert run_isolated(print_without_python).answer == "fine"


def test_errors_come_back_as_they_were():
    with pytest.raises(CompileError) as caught:
        run_isolated(reject)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span, found.hint) == ("T0501", SPAN, "maybe")
    assert found.notes[0].message == "see"
    with pytest.raises(InternalCompilerError, match="broken") as broken:
        run_isolated(break_down)
    assert (broken.value.pass_name, broken.value.op, broken.value.span) == ("p", "d.o", SPAN)
    assert broken.value.__notes__ == ["reproducer: x"]
    with pytest.raises(InternalCompilerError, match="ZeroDivisionError: x"):
        run_isolated(fail)


def test_a_process_that_dies_leaves_what_it_did():
    outcome = run_isolated(die_in_a_pass)
    assert not outcome.answered
    assert outcome.died == "SIGABRT"
    assert outcome.message == "too bad"
    assert outcome.running == ["outer", "my-pass"]
    assert outcome.passes == ["cse", "my-pass"]
    assert outcome.printed == "shown\n"
    assert run_isolated(leave).died == "exit status 3"


def test_limits():
    assert run_isolated(fill).over_limit == "8192 MiB of memory"
    began = time.monotonic()
    outcome = run_isolated(hang, limits=Limits(seconds=8.0))
    assert time.monotonic() - began < 40
    assert outcome.over_limit == "8 seconds"
    assert outcome.running == ["waiting"]
    assert run_isolated(what_is_allowed, limits=Limits(memory=3 << 30)).answer[0] == 3 << 30


def test_a_lower_limit_of_the_caller_stays():
    program = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30));"
        "from tilec.support.isolation import run_isolated; from tests.test_isolation import double;"
        "print(run_isolated(double, 4).answer)"
    )
    root = __file__.rsplit("/tests/", 1)[0]
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=root
    )
    assert done.stdout == "8\n", done.stderr


def test_a_frame_that_was_cut_off_is_left_out():
    assert read_outcome(b"\x80\x04", "", -11).died == "SIGSEGV"


def test_no_python_for_the_process(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(CompileError, match=r"T0018.*a process of its own, which failed"):
        run_isolated(double, 1)


def test_steps_cost_nothing_outside_of_a_child():
    with step("x"):
        pass
